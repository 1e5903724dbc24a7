package sandbox

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// arena is a place to try a sandbox out. It does not lie in /tmp, of which
// commands have their own.
type arena struct {
	t       *testing.T
	kind    Kind
	base    string // not writable for commands
	root    string
	probe   string
	sandbox *Sandbox
}

// eachKind runs the test with every sandbox this machine can make, beside
// others, because most of the time is spent waiting for the kernel.
func eachKind(t *testing.T, test func(t *testing.T, a *arena)) {
	t.Helper()
	t.Parallel()
	inTurn(t, test)
}

// inTurn is eachKind by itself.
func inTurn(t *testing.T, test func(t *testing.T, a *arena)) {
	t.Helper()
	exe := executable(t)
	report := Detect(exe)
	kinds := report.kinds()
	if look().Bubblewrap == "" {
		t.Fatal("bubblewrap is not installed; .ci/run installs it, or: apt install bubblewrap")
	}
	if len(kinds) == 0 {
		t.Fatal("no sandbox works on this machine: ", report.Missing)
	}
	for _, kind := range kinds {
		t.Run(kind.String(), func(t *testing.T) {
			test(t, newArena(t, kind, report))
		})
	}
}

func newArena(t *testing.T, kind Kind, report Report) *arena {
	t.Helper()
	base, err := os.MkdirTemp("/var/tmp", "weir-sandbox-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(base); err != nil {
			t.Error(err)
		}
	})
	a := &arena{t: t, kind: kind, base: base, root: base + "/root", probe: base + "/probe"}
	for name, text := range map[string]string{
		"root/a.txt": "a", "outside/kept": "kept", "secret/key": "canary-secret", "token": "canary-secret",
		"root/.git/config": "[core]\n", "root/.git/hooks/old": "old", "root/sub/.weir/config": "kept",
	} {
		a.write(name, text)
	}
	source, err := os.Open(executable(t))
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	target, err := os.OpenFile(a.probe, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(target, source); err != nil {
		t.Fatal(err)
	}
	if err := target.Close(); err != nil {
		t.Fatal(err)
	}
	a.use(report, func(*Config) {})
	return a
}

// use makes the sandbox of the kind, with what change says.
func (a *arena) use(report Report, change func(*Config)) {
	a.t.Helper()
	cfg := Config{
		Exe: executable(a.t), Roots: []string{a.root},
		ReadOnlyInside: []string{a.root + "/.git/config", a.root + "/.git/hooks/", a.root + "/sub/.weir/"},
		Hidden:         []string{a.base + "/secret", a.base + "/token", a.base + "/none"},
	}
	switch a.kind {
	case Bubblewrap:
		report.Landlock = 0
	case Namespaces:
		report.Bubblewrap = ""
	case Landlock:
		report.Bubblewrap, report.Namespaces = "", false
	case None:
	}
	cfg.Report = &report
	change(&cfg)
	s, got, err := New(cfg)
	if err != nil {
		a.t.Fatal(err)
	}
	if s.Kind() != a.kind {
		a.t.Fatalf("got %s, want %v", got, a.kind)
	}
	a.sandbox = s
	a.t.Cleanup(func() {
		if err := s.Close(); err != nil {
			a.t.Error(err)
		}
	})
}

// change makes the sandbox anew.
func (a *arena) change(change func(*Config)) {
	a.t.Helper()
	a.use(a.sandbox.seen, change)
}

func (a *arena) write(name, text string) {
	a.t.Helper()
	path := filepath.Join(a.base, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		a.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		a.t.Fatal(err)
	}
}

// want fails unless the file, as seen from outside, holds just that; "" means
// that it is not there or empty.
func (a *arena) want(name, text string) {
	a.t.Helper()
	got, err := os.ReadFile(filepath.Join(a.base, name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		a.t.Error(err)
	}
	if string(got) != text {
		a.t.Errorf("%s holds %q, want %q", name, got, text)
	}
}

// command prepares a script as the bash tool does.
func (a *arena) command(script string) *exec.Cmd {
	a.t.Helper()
	cmd := exec.Command("/bin/bash", "-c", script)
	cmd.Dir = a.root
	cmd.Env = []string{
		"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + a.base, "GIT_CONFIG_NOSYSTEM=1", "TMPDIR=/var/tmp",
		"BASE=" + a.base, "PROBE=" + a.probe,
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

func (a *arena) wrapped(cmd *exec.Cmd) *exec.Cmd {
	a.t.Helper()
	if err := a.sandbox.Wrap(cmd); err != nil {
		a.t.Fatal(err)
	}
	return cmd
}

// run runs a script in the sandbox and returns all it said, and its exit code.
func (a *arena) run(script string) (string, int) {
	a.t.Helper()
	var out bytes.Buffer
	cmd := a.wrapped(a.command(script))
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if failed := (*exec.ExitError)(nil); err != nil && !errors.As(err, &failed) {
		a.t.Fatal(err)
	}
	if code := cmd.ProcessState.ExitCode(); code != helperFailed {
		return strings.TrimSpace(out.String()), code
	}
	a.t.Fatalf("the sandbox was not made: %s", out.String())
	return "", 0
}

// ok runs what must work, and wants it to say just that.
func (a *arena) ok(script, want string) {
	a.t.Helper()
	if got, code := a.run(script); code != 0 || got != want {
		a.t.Errorf("%s: exit %d, %q; want %q", script, code, got, want)
	}
}

// refused runs, one after the other in one sandbox, what must not work. One, not
// one for each, because a helper with the race detector takes long to start.
func (a *arena) refused(scripts ...string) {
	a.t.Helper()
	const end = "\nexit code "
	cmd := a.command(`for script; do bash -c "$script" 2>&1 </dev/null; printf '\nexit code %s\n' $?; done`)
	cmd.Args = append(append(cmd.Args, "bash"), scripts...)
	out, err := a.wrapped(cmd).Output()
	if err != nil {
		a.t.Fatalf("the sandbox was not made: %v", err)
	}
	said := string(out)
	for _, script := range scripts {
		text, rest, ok := strings.Cut(said, end)
		code, next, _ := strings.Cut(rest, "\n")
		said = next
		switch {
		case !ok:
			a.t.Fatalf("%s: the shell was gone", script)
		case code == "0":
			a.t.Errorf("%s: worked, and said %q", script, text)
		case strings.Contains(text, "canary-secret"):
			a.t.Errorf("%s: told the secret", script)
		}
	}
}

func executable(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}
