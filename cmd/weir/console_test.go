package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/weir-agents/weir/cmd/weir/internal/edit"
	"github.com/weir-agents/weir/cmd/weir/internal/vt"
)

const desktopRows = 40

// desktop is weir on a terminal that can do all it wants.
type desktop struct {
	*process
	master, tty *os.File
	home        string
	before      unix.Termios
	width       int
}

// onDesktop starts weir; home is kept for the next one if it is given.
func onDesktop(t *testing.T, home string, args ...string) *desktop {
	t.Helper()
	return onDesktopWith(t, home, []string{"NO_COLOR=1"}, args...)
}

// onDesktopWith starts weir with more in its environment.
func onDesktopWith(t *testing.T, home string, env []string, args ...string) *desktop {
	t.Helper()
	return onDesktopIn(t, t.TempDir(), home, append(append(bare(), "HOME="+home, "TERM=xterm-256color", "NO_COLOR="), env...), args...)
}

// onDesktopIn starts weir in a folder, in just that environment.
func onDesktopIn(t *testing.T, dir, home string, env []string, args ...string) *desktop {
	t.Helper()
	cmd := exec.Command("weir", args...)
	cmd.Dir, cmd.Env = dir, env
	return desktopOf(t, home, cmd)
}

// desktopOf starts a command that becomes weir.
func desktopOf(t *testing.T, home string, cmd *exec.Cmd) *desktop {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = master.Close(), tty.Close() })
	d := &desktop{master: master, tty: tty, home: home, width: 100}
	d.resize(t, d.width)
	d.before = d.modes(t)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	out := watch(master)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	d.process = &process{cmd: cmd, out: out, err: out, ended: make(chan error, 1)}
	go func() { d.ended <- cmd.Wait() }()
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return d
}

func (d *desktop) resize(t *testing.T, width int) {
	t.Helper()
	if err := pty.Setsize(d.tty, &pty.Winsize{Rows: desktopRows, Cols: uint16(width)}); err != nil {
		t.Fatal(err)
	}
}

func (d *desktop) modes(t *testing.T) unix.Termios {
	t.Helper()
	m, err := unix.IoctlGetTermios(int(d.tty.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return *m
}

func (d *desktop) types(t *testing.T, keys string) {
	t.Helper()
	if _, err := d.master.WriteString(keys); err != nil {
		t.Fatal(err)
	}
}

// screen is what the terminal shows after text.
func (d *desktop) screen(t *testing.T, text string) *vt.Terminal {
	t.Helper()
	v := vt.New(d.width, edit.Cluster)
	v.Height = desktopRows
	if _, err := v.Write([]byte(text)); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	return v
}

// sees waits until the screen ends in words.
func (d *desktop) sees(t *testing.T, words string) {
	t.Helper()
	d.out.until(t, "»"+words+"« on the screen", func(text string) bool {
		v := d.screen(t, text)
		return strings.HasSuffix(v.Text()+" ", strings.TrimSuffix(words, " ")+" ")
	})
}

// holds waits until the screen holds words anywhere.
func (d *desktop) holds(t *testing.T, words string) {
	t.Helper()
	d.out.until(t, "»"+words+"« on the screen", func(text string) bool { return strings.Contains(d.screen(t, text).Text(), words) })
}

// leaves waits for the end, and checks that the terminal is as it was.
func (d *desktop) leaves(t *testing.T, code int) {
	t.Helper()
	d.exits(t, code)
	if diff := cmp.Diff(d.before, d.modes(t)); diff != "" {
		t.Errorf("the terminal's modes have changed:\n%s", diff)
	}
	if code < 128 || code == 130 {
		d.out.until(t, "the end of the modes", func(text string) bool {
			for _, on := range d.screen(t, text).Modes {
				if on != 0 {
					return false
				}
			}
			return true
		})
	}
}

const (
	enter  = "\r"
	escape = "\x1b"
)

func TestADeskShowsOutputAboveTheLine(t *testing.T) {
	t.Parallel()
	d := onDesktop(t, t.TempDir(), "--script", scriptFile(t, `{"steps": [{"blocks": [{"thinking": "Hm."}, {"text": "One.\nMore."}]}, "Two."]}`))
	d.sees(t, "weir> ")
	d.types(t, "first"+enter)
	d.sees(t, "weir> first\n✻ Hm.\n● One.\nMore.\nweir> ")
	d.types(t, "one\ntwo\\"+enter+"three"+enter)
	d.sees(t, "weir> one\n      two\n      three\n● Two.\nweir> ")
	d.types(t, "/exit"+enter)
	d.leaves(t, 0)
}

func TestAPasteIsOneMessage(t *testing.T) {
	t.Parallel()
	script := scriptFile(t, `{"steps": ["fine"]}`)
	d := onDesktop(t, t.TempDir(), "--script", script)
	d.sees(t, "weir> ")
	d.types(t, "\x1b[200~one\r\ntwo\rthree\x1b[201~")
	d.sees(t, "weir> one\n      two\n      three")
	d.types(t, enter)
	d.sees(t, "● fine\nweir> ")
	d.types(t, ctrlD)
	d.leaves(t, 0)
}

func TestTheHistoryIsThereTheNextTime(t *testing.T) {
	t.Parallel()
	home, script := t.TempDir(), scriptFile(t, `{"steps": ["fine"], "loop": true}`)
	d := onDesktop(t, home, "--script", script)
	d.sees(t, "weir> ")
	for _, text := range []string{"find this", "and that"} {
		d.types(t, text+enter)
		d.sees(t, text+"\n● fine\nweir> ")
	}
	d.types(t, ctrlD)
	d.leaves(t, 0)
	info, err := os.Stat(filepath.Join(home, ".local/state/weir/history"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info, err)
	}
	d = onDesktop(t, home, "--script", script)
	d.sees(t, "weir> ")
	d.types(t, "\x1b[A")
	d.sees(t, "weir> and that")
	d.types(t, "\x12find")
	d.holds(t, "search: find\n  find this")
	d.types(t, enter)
	d.sees(t, "weir> find this\n● fine\nweir> ")
	d.types(t, ctrlD)
	d.leaves(t, 0)
}

func TestKeysThatCancel(t *testing.T) {
	t.Parallel()
	for _, key := range []string{ctrlC, escape} {
		d := onDesktop(t, t.TempDir(), "--script", scriptFile(t, `{"select": "sequence", "steps": [{"blocks": [{"text": "Half"}, {"fault": "stall"}]}, "Whole."]}`))
		d.sees(t, "weir> ")
		d.types(t, "first"+enter)
		d.holds(t, "● Half")
		d.types(t, "draft")
		d.holds(t, "weir> draft")
		d.types(t, key)
		d.sees(t, "● Half\n◇ interrupted: canceled\nweir> draft")
		d.types(t, " sent"+enter)
		d.sees(t, "weir> draft sent\n● Whole.\nweir> ")
		d.types(t, "half a line"+ctrlC)
		d.sees(t, "◇ press Ctrl-C again to leave, or Ctrl-D\nweir> ")
		d.types(t, ctrlC)
		d.leaves(t, 0)
	}
}

func TestADraftIsNoAnswerToAQuestion(t *testing.T) {
	t.Parallel()
	script := scriptFile(t, `{"steps": [{"blocks": [{"text": ["Wait", {"gate": "g"}, "."]}, {"call": "bash", "arguments": {"command": "echo ran >ran"}}]}, "Done."]}`)
	server := run(t, nil, nil, "sim", "--script", script)
	base := strings.TrimSpace(server.out.until(t, "an address", func(text string) bool { return strings.Contains(text, "\n") }))
	d := onDesktop(t, t.TempDir(), "--base-url", base)
	d.sees(t, "weir> ")
	d.types(t, "go"+enter)
	d.holds(t, "● Wait")
	d.types(t, "yes, but")
	d.holds(t, "weir> yes, but")
	post(t, base+"/gates/g")
	d.sees(t, allow)
	d.types(t, "n use another"+enter)
	d.sees(t, "● Done.\nweir> yes, but")
	d.holds(t, "use another")
	if _, err := os.Stat(filepath.Join(d.cmd.Dir, "ran")); err == nil {
		t.Error("the command ran")
	}
	d.types(t, ctrlC)
	d.sees(t, "weir> ")
	d.types(t, ctrlD)
	d.leaves(t, 3)
}

func TestTheStatusSaysWhatGoesOn(t *testing.T) {
	t.Parallel()
	d := onDesktop(t, t.TempDir(), "--mode", "bypass", "--script", scriptFile(t, `{"steps": [{"blocks": [{"call": "bash", "arguments": {"command": "sleep 1000"}}]}]}`))
	d.sees(t, "weir> ")
	d.types(t, "go"+enter)
	d.holds(t, "step 1")
	d.holds(t, "running bash")
	d.types(t, ctrlC)
	d.holds(t, "✘ bash")
	d.sees(t, "weir> ")
	d.types(t, ctrlD)
	d.leaves(t, 130)
}

func TestB143_AResizeRepeatsNothing(t *testing.T) {
	t.Parallel()
	d := onDesktop(t, t.TempDir(), "--script", scriptFile(t, `{"steps": [{"blocks": [{"text": "One"}, {"fault": "stall"}]}]}`))
	d.sees(t, "weir> ")
	d.types(t, "日本語 first"+enter)
	d.holds(t, "● One")
	for i := range 100 {
		d.resize(t, 100+i%2)
		if err := d.cmd.Process.Signal(syscall.SIGWINCH); err != nil {
			t.Fatal(err)
		}
	}
	d.types(t, ctrlC)
	d.sees(t, "● One\n◇ interrupted: canceled\nweir> ")
	text := d.screen(t, d.out.text()).Text()
	for _, words := range []string{"/help lists", "日本語 first", "● One"} {
		if strings.Count(text, words) != 1 {
			t.Errorf("%q is not there once:\n%s", words, text)
		}
	}
	d.types(t, ctrlD)
	d.leaves(t, 130)
}

func TestTheTerminalIsRestoredOnEverySignal(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGABRT} {
		mark := fmt.Sprintf("weirmark%d_restored%d.", os.Getpid(), sig)
		d := onDesktop(t, t.TempDir(), "--mode", "bypass", "--script", sleeper(t, mark))
		d.sees(t, "weir> ")
		d.types(t, "go"+enter)
		d.holds(t, "running")
		d.signal(t, sig)
		d.leaves(t, 128+int(sig))
		gone(t, mark)
	}
}

// TestPromise12TheTerminalIsRestoredWheneverTheEndComes ends the program at times drawn
// at random.
func TestPromise12TheTerminalIsRestoredWheneverTheEndComes(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 0))
	script := scriptFile(t, `{"gap_ms": 2, "steps": [{"blocks": [{"text": {"repeat": "word ", "bytes": 2000}}, {"call": "list_dir"}]}], "loop": true}`)
	for i := range 12 {
		mark := "weir> "
		d := onDesktop(t, t.TempDir(), "--script", script)
		d.sees(t, mark)
		d.types(t, "go"+enter)
		d.holds(t, "● word")
		<-time.After(time.Duration(rnd.IntN(40)) * time.Millisecond) // when it comes is what is drawn
		d.signal(t, syscall.SIGTERM)
		d.leaves(t, 143)
		if t.Failed() {
			t.Fatalf("time %d with seed %d", i, seed)
		}
	}
}

func TestAProjectCountsOnlyOnceItIsTrusted(t *testing.T) {
	t.Parallel()
	home, script := t.TempDir(), scriptFile(t, `{"steps": ["fine"]}`)
	dir := tree(t, map[string]string{".weir/config.toml": "model = \"theirs\"\n"})
	for _, run := range []struct{ answer, model string }{{"n", "script"}, {"", "script"}, {"y", "theirs"}, {"", "theirs"}} {
		if run.answer == "y" { // another home has not been asked
			home = t.TempDir()
		}
		d := onDesktop(t, home, "--script", script, "--cwd", dir)
		if run.answer != "" {
			d.sees(t, trustPrompt)
			if text := d.screen(t, d.out.text()).Text(); strings.Contains(text, "theirs") {
				t.Errorf("it counts before the answer:\n%s", text)
			}
			d.types(t, run.answer+enter)
		}
		d.sees(t, "weir> ")
		d.types(t, "/status"+enter)
		d.holds(t, "model "+run.model)
		d.types(t, "/exit"+enter)
		d.leaves(t, 0)
	}
}

// TestCtrlCRightBehindEnterCancelsWhatWasSent types both in one go, so that the
// key comes before the turn has begun.
func TestCtrlCRightBehindEnterCancelsWhatWasSent(t *testing.T) {
	t.Parallel()
	d := onDesktop(t, t.TempDir(), "--script", scriptFile(t, stalls))
	d.sees(t, "weir> ")
	for i := range 5 { // also while the turn before is being ended
		d.types(t, fmt.Sprintf("go %d", i)+enter+ctrlC)
		d.holds(t, fmt.Sprintf("weir> go %d\n", i))
	}
	d.out.until(t, "the end of the turn", func(text string) bool {
		v := d.screen(t, text).Text()
		return strings.HasSuffix(v, "canceled\nweir>") || strings.HasSuffix(v, "canceled)\nweir>")
	})
	d.types(t, ctrlD)
	d.exits(t, 130)
}
