package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
)

// screen is weir on a terminal of its own.
type screen struct {
	*process
	tty  *os.File
	mark int
}

// onTerminal starts weir on a terminal.
func onTerminal(t *testing.T, args ...string) *screen {
	t.Helper()
	cmd := exec.Command("weir", args...)
	cmd.Dir, cmd.Env = t.TempDir(), append(bare(), "HOME="+t.TempDir(), "TERM=dumb")
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 200})
	if err != nil {
		t.Fatal(err)
	}
	out := watch(tty)
	s := &screen{process: &process{cmd: cmd, out: out, err: out, ended: make(chan error, 1)}, tty: tty}
	go func() { s.ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = tty.Close()
	})
	return s
}

// types types keys, which wait for nothing.
func (s *screen) types(t *testing.T, keys string) {
	t.Helper()
	if _, err := s.tty.WriteString(keys); err != nil {
		t.Fatal(err)
	}
}

// shows waits until words have come behind what was waited for before.
func (s *screen) shows(t *testing.T, words string) {
	t.Helper()
	text := s.out.until(t, "»"+words+"«", func(text string) bool { return strings.Contains(text[s.mark:], words) })
	s.mark += strings.Index(text[s.mark:], words) + len(words)
}

const (
	ctrlC = "\x03"
	ctrlD = "\x04"
)

func TestATalkGoesOnInOneSession(t *testing.T) {
	t.Parallel()
	s := onTerminal(t, "--script", scriptFile(t, `{"steps": [{"blocks": [{"thinking": "Hm."}, {"text": "One."}]}, "Two."]}`))
	s.shows(t, "weir> ")
	s.types(t, "first\n")
	s.shows(t, "✻ Hm.\r\n● One.\r\nweir> ")
	s.types(t, "second\n")
	s.shows(t, "● Two.\r\nweir> ")
	s.types(t, "/help\n")
	s.shows(t, "◇ what you can type:")
	s.shows(t, "weir> ")
	s.types(t, "/nope\n")
	s.shows(t, "◇ no command /nope")
	s.types(t, "/clear\n")
	s.shows(t, "◇ a new session")
	s.types(t, "first\n")
	s.shows(t, "● One.")
	s.shows(t, "weir> ")
	s.types(t, "/exit\n")
	s.exits(t, 0)
}

func TestCtrlCCancelsTheTurnAndTheTalkGoesOn(t *testing.T) {
	t.Parallel()
	s := onTerminal(t, "--script", scriptFile(t, `{"select": "sequence", "steps": [{"blocks": [{"text": "Half"}, {"fault": "stall"}]}, "Whole."]}`))
	s.shows(t, "weir> ")
	s.types(t, "first\n")
	s.shows(t, "● Half")
	s.types(t, ctrlC)
	s.shows(t, "◇ interrupted: canceled\r\nweir> ")
	s.types(t, "second\n")
	s.shows(t, "● Whole.\r\nweir> ")
	s.types(t, ctrlD)
	s.exits(t, 0)
}

func TestTheExitCodeIsThatOfTheLastTurn(t *testing.T) {
	t.Parallel()
	s := onTerminal(t, "--script", scriptFile(t, `{"select": "sequence", "steps": ["fine", {"blocks": [{"fault": "http", "status": 400}]}]}`))
	s.shows(t, "weir> ")
	s.types(t, "a\n")
	s.shows(t, "● fine\r\nweir> ")
	s.types(t, "b\n")
	s.shows(t, "◇ http_error")
	s.shows(t, "weir> ")
	s.types(t, "/quit\n")
	s.exits(t, 1)
}

func TestCtrlCAtThePromptSaysHowToLeave(t *testing.T) {
	t.Parallel()
	s := onTerminal(t, "--script", scriptFile(t, `{"steps": ["fine"]}`))
	s.shows(t, "weir> ")
	s.types(t, "half a line"+ctrlC)
	s.shows(t, "◇ press Ctrl-C again to leave, or Ctrl-D\r\nweir> ")
	s.types(t, ctrlC)
	s.exits(t, 0)
}

func TestCtrlCKillsACommandAndItsChildren(t *testing.T) {
	t.Parallel()
	mark := fmt.Sprintf("weirmark%d_tty", os.Getpid())
	s := onTerminal(t, "-v", "--mode", "bypass", "--script", sleeper(t, mark))
	s.shows(t, "weir> ")
	s.types(t, "go\n")
	s.shows(t, "begun")
	s.types(t, ctrlC)
	s.shows(t, "✘ bash")
	s.shows(t, "weir> ")
	gone(t, mark)
	s.types(t, ctrlD)
	s.exits(t, 130)
}

func TestApprovalsAreAsked(t *testing.T) {
	t.Parallel()
	call := func(file string) string {
		return fmt.Sprintf(`{"blocks": [{"call": "bash", "arguments": {"command": "touch %s && echo done"}}]}`, file)
	}
	s := onTerminal(t, "--script", scriptFile(t, `{"steps": [`+call("a")+`,`+call("b")+`,`+call("b")+`, "Enough."]}`))
	s.shows(t, "weir> ")
	s.types(t, "go\n")
	s.shows(t, "touch a && echo done")
	s.shows(t, "allow? [y]es, [a]lways, [n]o ")
	s.types(t, "what?\n")
	s.shows(t, "allow? [y]es, [a]lways, [n]o ")
	s.types(t, "y\n")
	s.shows(t, "✔ bash -> done")
	s.shows(t, "touch b && echo done")
	s.shows(t, "allow? ")
	s.types(t, "n, not b\n")
	s.shows(t, "✘ bash: ")
	s.shows(t, "not b")
	s.shows(t, "allow? ")
	s.types(t, ctrlC)
	s.shows(t, "◇ canceled")
	s.shows(t, "weir> ")
	s.types(t, ctrlD)
	s.exits(t, 130)
	for file, want := range map[string]bool{"a": true, "b": false} {
		if _, err := os.Stat(s.cmd.Dir + "/" + file); (err == nil) != want {
			t.Errorf("file %s: %v", file, err)
		}
	}
}

func TestAOneShotRunOnATerminalAsksToo(t *testing.T) {
	t.Parallel()
	s := onTerminal(t, "-p", "go", "--script", scriptFile(t, `{"steps": [{"blocks": [{"call": "bash", "arguments": {"command": "echo x >made"}}]}, "Done."]}`))
	s.shows(t, "allow? ")
	s.types(t, "y\n")
	s.shows(t, "✔ bash")
	s.shows(t, "● Done.\r\n")
	s.exits(t, 0)
}

func TestALineTypedMeanwhileJoinsTheTurn(t *testing.T) {
	t.Parallel()
	script := scriptFile(t, `{"steps": [{"blocks": [{"text": ["One", {"gate": "g"}, " done."]}, {"call": "list_dir"}]}, "Two."]}`)
	server := run(t, nil, nil, "sim", "--script", script)
	base := strings.TrimSpace(server.out.until(t, "an address", func(text string) bool { return strings.Contains(text, "\n") }))
	s := onTerminal(t, "--base-url", base)
	s.shows(t, "weir> ")
	s.types(t, "first\n")
	s.shows(t, "● One")
	s.types(t, "and then\n")
	s.shows(t, "◇ queued: and then")
	post(t, base+"/gates/g")
	s.shows(t, "◇ joined: and then")
	s.shows(t, "● Two.\r\nweir> ")
	s.types(t, ctrlD)
	s.exits(t, 0)
}

func TestATerminalThatVanishesEndsTheTalk(t *testing.T) {
	t.Parallel()
	mark := fmt.Sprintf("weirmark%d_gone", os.Getpid())
	s := onTerminal(t, "-v", "--mode", "bypass", "--script", sleeper(t, mark))
	s.shows(t, "weir> ")
	s.types(t, "go\n")
	s.shows(t, "begun")
	if err := s.tty.Close(); err != nil {
		t.Fatal(err)
	}
	s.exits(t, 128+int(syscall.SIGHUP))
	gone(t, mark)
}

func TestEverythingIsLiveOnATerminalAndColoured(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("weir", "-p", "hi", "--script", scriptFile(t, `{"steps": [{"blocks": [{"thinking": "Hm"}, {"text": "Half"}, {"fault": "stall"}]}]}`))
	cmd.Env = append(bare(), "HOME="+t.TempDir(), "TERM=xterm")
	tty, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tty.Close() }()
	s := &screen{process: &process{cmd: cmd, out: watch(tty), ended: make(chan error, 1)}, tty: tty}
	s.err = s.out
	go func() { s.ended <- cmd.Wait() }()
	s.shows(t, "\x1b[2m✻ Hm\x1b[0m\r\n")
	s.shows(t, "● Half")
	s.types(t, ctrlC)
	s.shows(t, "◇ interrupted: canceled")
	s.exits(t, 130)
}
