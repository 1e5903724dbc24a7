package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is how long a test waits for what should come at once.
const patience = 20 * time.Second

// seen collects what a stream says.
type seen struct {
	mu   sync.Mutex
	all  []byte
	more chan struct{} // closed and replaced when something comes
	over bool
}

// watch collects r until it ends.
func watch(r io.Reader) *seen {
	s := &seen{more: make(chan struct{})}
	go func() {
		buf := make([]byte, 64<<10)
		for {
			n, err := r.Read(buf)
			s.mu.Lock()
			s.all = append(s.all, buf[:n]...)
			s.over = err != nil
			close(s.more)
			s.more = make(chan struct{})
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return s
}

// text returns what has come so far.
func (s *seen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.all)
}

// until waits until ok holds for what has come, or fails.
func (s *seen) until(t *testing.T, what string, ok func(text string) bool) string {
	t.Helper()
	deadline := time.After(patience)
	for {
		s.mu.Lock()
		text, more, over := string(s.all), s.more, s.over
		s.mu.Unlock()
		if ok(text) {
			return text
		}
		if over {
			t.Fatalf("the stream ended without %s:\n%s", what, text)
		}
		select {
		case <-more:
		case <-deadline:
			t.Fatalf("no %s:\n%s", what, text)
		}
	}
}

// want waits until the stream has said words.
func (s *seen) want(t *testing.T, words string) {
	t.Helper()
	s.until(t, "»"+words+"«", func(text string) bool { return strings.Contains(text, words) })
}

// process is a running weir.
type process struct {
	cmd      *exec.Cmd
	out, err *seen
	ended    chan error
}

// run starts weir in a folder of its own, with stdin from in. stdout goes to
// out, or is watched if that is nil.
func run(t *testing.T, in io.Reader, out *os.File, args ...string) *process {
	t.Helper()
	return runIn(t, t.TempDir(), in, out, args...)
}

// runIn is run with a home.
func runIn(t *testing.T, home string, in io.Reader, out *os.File, args ...string) *process {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	cmd := exec.CommandContext(ctx, "weir", args...)
	cmd.Dir, cmd.Env = t.TempDir(), append(bare(), "HOME="+home)
	cmd.Stdin = in
	p := &process{cmd: cmd, ended: make(chan error, 1)}
	var streams []*os.File
	pipe := func() (*seen, *os.File) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		streams = append(streams, w)
		t.Cleanup(func() { _ = r.Close() })
		return watch(r), w
	}
	p.err, cmd.Stderr = func() (*seen, io.Writer) { s, w := pipe(); return s, w }()
	if out == nil {
		p.out, out = pipe()
	}
	cmd.Stdout = out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for _, w := range streams {
		_ = w.Close()
	}
	go func() { p.ended <- cmd.Wait() }()
	t.Cleanup(cancel)
	return p
}

// bare is the environment without what would change what weir does.
func bare() []string {
	var env []string
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if !strings.Contains(name, "API_KEY") && !strings.Contains(name, "BASE_URL") && !strings.HasPrefix(name, "WEIR_") &&
			!strings.HasPrefix(name, "XDG_") && name != "HOME" {
			env = append(env, v)
		}
	}
	return env
}

// exits waits for the end and its exit code.
func (p *process) exits(t *testing.T, want int) {
	t.Helper()
	select {
	case err := <-p.ended:
		code := 0
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			code = exit.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		if code != want {
			t.Fatalf("exit code %d, want %d; standard error:\n%s", code, want, p.err.text())
		}
	case <-time.After(patience):
		t.Fatalf("still running; standard error:\n%s", p.err.text())
	}
}

func (p *process) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// script writes a script file.
func scriptFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "script.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// there waits until a process sleeps for the time that is its mark.
func there(t *testing.T, mark string) {
	t.Helper()
	until(t, "start", func() string {
		for _, p := range processes(t) {
			if string(p.line) == "sleep\x00"+mark+"\x00" {
				return ""
			}
		}
		return "a sleep of " + mark
	})
}

// gone waits until no process holds the mark in its command line, nor, but for
// weir itself, a folder of the test in that or in its environment. By the latter
// it sees what weir starts on its own, such as bubblewrap when it is tried.
func gone(t *testing.T, mark string) {
	t.Helper()
	folders := []byte(filepath.Dir(t.TempDir()))
	until(t, "end of all that was left", func() (left string) {
		for _, p := range processes(t) {
			ours := !bytes.HasPrefix(p.line, []byte("weir\x00")) && (bytes.Contains(p.line, folders) || bytes.Contains(p.env, folders))
			if ours || bytes.Contains(p.line, []byte(mark)) {
				left += fmt.Sprintf("%q\n", p.line)
			}
		}
		return left
	})
}

// listed is what tells of a process on this machine.
type listed struct{ line, env []byte }

func processes(t *testing.T) (all []listed) {
	t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no processes to be seen: %v", err)
	}
	for _, dir := range dirs {
		line, err := os.ReadFile(dir + "/cmdline")
		if err != nil {
			continue // it has ended
		}
		env, _ := os.ReadFile(dir + "/environ") // it has, or is another user's
		all = append(all, listed{line, env})
	}
	return all
}

// until waits until lacks says nothing; what is what it waits for.
func until(t *testing.T, what string, lacks func() string) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; runtime.Gosched() {
		left := lacks()
		if left == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("no %s: %s", what, left)
		}
	}
}

// killSleep ends the commands that stand under the mark, not weir itself.
func killSleep(t *testing.T, mark string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		line, err := os.ReadFile(f)
		if err != nil || !bytes.Contains(line, []byte(mark)) || !bytes.Contains(line, []byte("sleep 1000")) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		if err != nil {
			t.Fatal(err)
		}
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
	}
}

func post(t *testing.T, url string) {
	t.Helper()
	r, err := http.Post(url, "text/plain", nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Body.Close()
	if r.StatusCode != http.StatusNoContent {
		t.Fatalf("%s: %s", url, r.Status)
	}
}

// tree writes files into a folder of its own and returns it.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
