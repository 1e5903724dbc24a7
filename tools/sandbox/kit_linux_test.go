package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestMain lets the test binary be the sandbox's helper, and a probe that tries
// from inside what a shell cannot.
func TestMain(m *testing.M) {
	if handled, code := Main(os.Args[1:]); handled {
		os.Exit(code)
	}
	if len(os.Args) > 1 && os.Args[1] == "probe" {
		if err := probe(os.Args[2], os.Args[3:]...); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("done")
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func probe(what string, args ...string) error {
	switch what {
	case "connect":
		conn, err := net.Dial(args[0], args[1])
		if err != nil {
			return err
		}
		_, err = conn.Write([]byte("from inside"))
		return errors.Join(err, conn.Close())
	case "loopback":
		return loopback()
	case "devices":
		return openDevices()
	case "ptrace":
		pid, err := strconv.Atoi(args[0])
		return errors.Join(err, syscall.PtraceAttach(pid))
	case "umount":
		return syscall.Unmount(args[0], syscall.MNT_DETACH)
	case "remount":
		return syscall.Mount("", args[0], "", syscall.MS_REMOUNT|syscall.MS_BIND, "")
	case "launch": // Runs a command in a sandbox of its own, until it is killed.
		s, _, err := New(Config{Mode: On, Exe: args[0], TempDir: args[1], Report: &Report{Bubblewrap: args[2]}})
		if err != nil {
			return err
		}
		cmd := exec.Command("/bin/sh", "-c", "echo started; setsid sleep 600 & sleep 600")
		cmd.Stdout = os.Stdout
		return errors.Join(s.Wrap(cmd), cmd.Run())
	default:
		return fmt.Errorf("no probe %s", what)
	}
}

// loopback talks to itself.
func loopback() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		return err
	}
	return errors.Join(conn.Close(), listener.Close())
}

// openDevices fails if a device can be opened that could tell or do anything.
func openDevices() error {
	harmless := append([]string{"/dev/tty", "/dev/ptmx", "/dev/pts/ptmx"}, devices...)
	return filepath.WalkDir("/dev", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Type()&fs.ModeDevice == 0 || slices.Contains(harmless, path) {
			return nil
		}
		for _, flag := range []int{syscall.O_RDONLY, syscall.O_WRONLY} {
			fd, err := syscall.Open(path, flag|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
			if err == nil {
				return errors.Join(fmt.Errorf("%s can be opened", path), syscall.Close(fd))
			}
		}
		return nil
	})
}

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

// refused runs what must not work.
func (a *arena) refused(script string) {
	a.t.Helper()
	if got, code := a.run(script); code == 0 {
		a.t.Errorf("%s: worked, and said %q", script, got)
	} else if strings.Contains(got, "canary-secret") {
		a.t.Errorf("%s: told the secret", script)
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
