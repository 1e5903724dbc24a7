package main

import (
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// canaryPort is a port of this machine that counts who comes.
func canaryPort(t *testing.T) (address string, came *atomic.Int32) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	came, done := new(atomic.Int32), make(chan struct{})
	go func() { // Ends with the listener.
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			came.Add(1)
			_ = conn.Close() // nothing is said
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-done
	})
	return l.Addr().String(), came
}

// everyChange is a script that wants to change and to run by each tool that can,
// in one message.
func everyChange(t *testing.T, port string) string {
	reach := `exec 3<>/dev/tcp/` + strings.Replace(port, ":", "/", 1) + `; `
	calls := []string{
		`"write_file", "arguments": {"path": "new", "content": "x"}`,
		`"write_file", "arguments": {"path": "deep/er/new", "content": "x"}`,
		`"write_file", "arguments": {"path": "a.txt", "content": "x"}`,
		`"write_file", "arguments": {"path": ".git/hooks/pre-commit", "content": "x"}`,
		`"edit_file", "arguments": {"path": "a.txt", "edits": [{"old": "one", "new": "two"}]}`,
		`"bash", "arguments": {"command": "` + reach + `echo x >made"}`,
		`"bash", "arguments": {"command": "` + reach + `echo x >later", "background": true}`,
		`"job_kill", "arguments": {"job": "1"}`,
		`"web_fetch", "arguments": {"url": "http://` + port + `/"}`,
	}
	return scriptFile(t, `{"steps": [{"blocks": [{"call": `+strings.Join(calls, `}, {"call": `)+`}]}, "Done."]}`)
}

// stateOf returns name, kind, time and content of all that lies below dir.
func stateOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	state := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		var text []byte
		if info.Mode().IsRegular() {
			text, err = os.ReadFile(path)
		}
		state[path] = fmt.Sprintf("%v %v %q", info.Mode(), info.ModTime(), text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// Promise 3: by default no command runs and no file is written without consent,
// where nobody can be asked and where a person says no. With consent all of it
// happens, which shows that it would have been seen.
func TestPromise3NothingRunsOrChangesWithoutConsent(t *testing.T) {
	t.Parallel()
	port, came := canaryPort(t)
	script := everyChange(t, port)
	dir := tree(t, map[string]string{"a.txt": "one\n", ".git/HEAD": "ref: refs/heads/main\n"})
	before := stateOf(t, dir)
	unchanged := func(how string) {
		t.Helper()
		if diff := cmp.Diff(before, stateOf(t, dir)); diff != "" || came.Load() > 0 {
			t.Errorf("%s: the port was reached %d times, and\n%s", how, came.Load(), diff)
		}
	}
	home := t.TempDir()
	env := append(bare(), "HOME="+home, "TERM=xterm-256color", "NO_COLOR=1")
	all := []string{"--script", script, "--tools", "write_file,edit_file,bash,job_kill,web_fetch"}
	for _, more := range [][]string{{}, {"--output-format", "jsonl"}, {"--mode", "read-only"}, {"--mode", "plan"}, {"--eager"}} {
		cmd := exec.Command("weir", append(append(all, "-p", "go"), more...)...)
		cmd.Dir, cmd.Env = dir, env
		if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != exitDenied {
			t.Errorf("%v: %v: %s", more, cmd.ProcessState, out)
		}
		unchanged(fmt.Sprint("nobody to ask ", more))
	}
	d := onDesktopIn(t, dir, home, env, all...)
	d.sees(t, "weir> ")
	d.types(t, "go"+enter)
	d.holds(t, together)
	d.sees(t, allow)
	unchanged("while it is asked")
	d.types(t, "n all"+enter)
	d.sees(t, "● Done.\nweir> ")
	d.types(t, ctrlD)
	d.leaves(t, exitDenied)
	unchanged("a no")
	yes := exec.Command("weir", append(all, "-p", "go", "--mode", "bypass", "--sandbox", "off")...)
	yes.Dir, yes.Env = dir, env
	_ = yes.Run() // web_fetch refuses the own machine, and a hook of git is asked by itself
	after := stateOf(t, dir)
	for _, name := range []string{"new", "deep/er/new", "made"} {
		if after[filepath.Join(dir, name)] == "" {
			t.Errorf("with consent no %s is made", name)
		}
	}
	if came.Load() == 0 || after[filepath.Join(dir, "a.txt")] == before[filepath.Join(dir, "a.txt")] {
		t.Error("with consent neither the port is reached nor the file changed")
	}
}
