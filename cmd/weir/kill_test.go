package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// killTimes is how many times each test here ends the program.
const killTimes = 50

// killSignals are the ends that come from outside.
var killSignals = []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGKILL}

// killScript streams, reads, and runs a command that leaves a child behind, over
// and over.
func killScript(t *testing.T, mark string) string {
	return scriptFile(t, fmt.Sprintf(`{"gap_ms": 1, "steps": [{"blocks": [{"text": {"repeat": "word ", "bytes": 100}}, {"call": "list_dir"},
		{"call": "bash", "arguments": {"command": "sleep %[1]s & sleep 0.01; : %[1]s"}}]}], "loop": true}`, mark))
}

// wantWholeFiles fails if a file of weir's own in home is half written: the
// history and the answers on trust are whole lines of JSON.
func wantWholeFiles(t *testing.T, home string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(home, ".local/state/weir"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || strings.Contains(path, "/output-") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if len(text) > 0 && text[len(text)-1] != '\n' {
			t.Errorf("%s ends within a line: %q", path, text)
		}
		for line := range strings.Lines(string(text)) {
			if !json.Valid([]byte(line)) {
				t.Errorf("%s: half a line: %q", path, line)
			}
		}
		return nil
	})
	if err != nil && !os.IsNotExist(err) {
		t.Error(err)
	}
}

// nap is a time to sleep that no other test sleeps, to know the sleeper by.
func nap(kind, i int) string { return fmt.Sprintf("1000.%d%d%03d", kind, os.Getpid(), i) }

// TestNothingOutlivesAKilledProgram kills the program with SIGKILL while a
// command runs that has left a job behind and a process that gave up all that it
// could be found by.
func TestNothingOutlivesAKilledProgram(t *testing.T) {
	t.Parallel()
	for i, sandbox := range []string{"auto", "off"} {
		mark := nap(3, i)
		script := scriptFile(t, fmt.Sprintf(`{"steps": [{"blocks": [{"call": "bash", "arguments": {"command": "sleep %[1]s", "background": true}}]},
			{"blocks": [{"call": "bash", "arguments": {"command":
			"%[2]s"}}]}, "fine"]}`, mark, fmt.Sprintf(leaves, mark)))
		p := run(t, nil, nil, "-p", "hi", "--mode", "bypass", "--sandbox", sandbox, "--output-format", "jsonl", "--script", script)
		p.out.want(t, `"text":"begun\n"`)
		p.signal(t, syscall.SIGKILL)
		<-p.ended
		gone(t, mark)
	}
}

// leaves is a shell command that leaves behind what nothing can find it by, and
// stays.
const leaves = "env -i setsid -f sleep %[1]s >/dev/null 2>&1 </dev/null; trap '' TERM HUP; sleep %[1]s & echo begun; sleep %[1]s; :"

// TestNothingOfAHookOutlivesAKilledProgram kills the program while a hook runs, and
// when one has ended that left something behind.
func TestNothingOfAHookOutlivesAKilledProgram(t *testing.T) {
	t.Parallel()
	for i, rest := range []string{leaves, "env -i setsid -f sleep %[1]s >/dev/null 2>&1 </dev/null; echo '{\"decision\":\"allow\"}'"} {
		mark := nap(4, i)
		p := runHook(t, fmt.Sprintf(rest, mark), `"bash"`)
		there(t, mark)
		p.signal(t, syscall.SIGKILL)
		<-p.ended
		gone(t, mark)
	}
}

// runHook starts weir with a hook before each call, and a model that calls one
// tool and then says nothing more.
func runHook(t *testing.T, hook, tool string) *process {
	t.Helper()
	home := tree(t, map[string]string{".config/weir/config.toml": fmt.Sprintf("[[hooks.pre_tool]]\ncommand = [\"/bin/sh\", \"-c\", %q]\n", hook)})
	script := scriptFile(t, fmt.Sprintf(`{"steps": [{"blocks": [{"call": %s, "arguments": {"command": "true"}}]}, {"blocks": [{"fault": "stall"}]}]}`, tool))
	return runIn(t, home, nil, nil, "-p", "hi", "--mode", "bypass", "--output-format", "jsonl", "--script", script)
}

// TestNothingOfAnOwnCommandOutlivesATalk ends a talk while a command of the
// person's runs, and when one has ended that left something behind.
func TestNothingOfAnOwnCommandOutlivesATalk(t *testing.T) {
	t.Parallel()
	for i, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGHUP, syscall.SIGTERM} {
		for j, rest := range []string{leaves, "setsid -f sleep %[1]s; echo done", "sleep %[1]s >/dev/null 2>&1 & echo done"} {
			mark := nap(5, 10*i+j)
			d := onDesktop(t, t.TempDir(), "--script", scriptFile(t, `{"steps": ["fine"]}`))
			d.sees(t, "weir> ")
			d.types(t, "!"+fmt.Sprintf(rest, mark)+enter)
			there(t, mark)
			d.signal(t, sig)
			<-d.ended
			gone(t, mark)
		}
	}
}

// TestWheneverATalkIsKilled ends a talk at times and by signals drawn at random.
// After each but SIGKILL the terminal is as it was; after each no child is left
// and no file is half written.
func TestWheneverATalkIsKilled(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 1))
	home := t.TempDir()
	for i := range killTimes {
		mark := nap(1, i)
		sig := killSignals[rnd.IntN(len(killSignals))]
		d := onDesktop(t, home, "--mode", "bypass", "--script", killScript(t, mark))
		d.sees(t, "weir> ")
		d.types(t, fmt.Sprintf("go %d", i)+enter)
		<-time.After(time.Duration(rnd.IntN(60_000)) * time.Microsecond) // when it comes is what is drawn
		d.signal(t, sig)
		switch sig {
		case syscall.SIGKILL:
			<-d.ended
		case syscall.SIGINT: // it cancels; the person leaves
			d.types(t, ctrlD)
			<-d.ended
		default:
			d.exits(t, 128+int(sig))
		}
		if diff := cmp.Diff(d.before, d.modes(t)); diff != "" && sig != syscall.SIGKILL {
			t.Errorf("%v: the terminal's modes have changed:\n%s", sig, diff)
		}
		gone(t, mark)
		wantWholeFiles(t, home)
		_, _ = d.master.Close(), d.tty.Close()
		if t.Failed() {
			t.Fatalf("time %d, %v, with seed %d", i, sig, seed)
		}
	}
}

// TestWheneverAOneShotRunIsKilled does the same without a terminal.
func TestWheneverAOneShotRunIsKilled(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 2))
	for i := range killTimes {
		mark := nap(2, i)
		sig := killSignals[rnd.IntN(len(killSignals))]
		p := run(t, nil, nil, "-p", "go", "--mode", "bypass", "--output-format", "jsonl", "--script", killScript(t, mark))
		p.out.want(t, `"type":"turn_started"`)
		<-time.After(time.Duration(rnd.IntN(80_000)) * time.Microsecond) // when it comes is what is drawn
		p.signal(t, sig)
		t.Logf("time %d: %v, seed %d", i, sig, seed)
		if sig == syscall.SIGKILL {
			<-p.ended
		} else {
			p.exits(t, 128+int(sig))
			p.out.want(t, `"type":"turn_ended"`)
		}
		gone(t, mark)
		if t.Failed() {
			t.Fatalf("time %d, %v, with seed %d", i, sig, seed)
		}
	}
}
