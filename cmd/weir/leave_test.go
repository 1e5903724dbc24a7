package main

import (
	"strings"
	"syscall"
	"testing"
)

// TestWhoHasLeftCanStillCancel leaves while a model says nothing, on each kind of
// terminal, and does what the note says.
func TestWhoHasLeftCanStillCancel(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ env, key string }{{"NO_COLOR=1", ctrlC}, {"NO_COLOR=1", escape}, {"TERM=dumb", ctrlC}} {
		d := onDesktopWith(t, t.TempDir(), []string{c.env}, "--script", scriptFile(t, stalls))
		d.sees(t, "weir> ")
		d.types(t, "go"+map[bool]string{true: "\n", false: enter}[c.env == "TERM=dumb"])
		d.holds(t, "Half an answer")
		d.types(t, ctrlD)
		d.holds(t, "leaving when the turn has ended; Ctrl-C ends it now")
		d.types(t, "x"+ctrlD+c.key)
		d.leaves(t, 130)
	}
}

// TestWhoHasLeftIsAskedNothing leaves while questions are open, and before one
// comes up: all calls are denied, and nothing waits for an answer.
func TestWhoHasLeftIsAskedNothing(t *testing.T) {
	t.Parallel()
	const call = `{"call": "bash", "arguments": {"command": "echo ran >a"}}`
	for _, env := range []string{"NO_COLOR=1", "TERM=dumb"} {
		d := onDesktopWith(t, t.TempDir(), []string{env}, "--script", threeCalls(t))
		d.sees(t, "weir> ")
		d.types(t, "go"+map[bool]string{true: "\n", false: enter}[env == "TERM=dumb"])
		d.holds(t, together)
		d.types(t, ctrlD)
		d.holds(t, "the person has left")
		d.leaves(t, 3)
		if text := d.screen(t, d.out.text()).Text(); strings.Contains(text, "echo b") {
			t.Errorf("a question after leaving:\n%s", text)
		}

		script := scriptFile(t, `{"steps": [{"blocks": [{"text": ["Wait", {"gate": "g"}, "."]}, `+call+`]}, "Done."]}`)
		server := run(t, nil, nil, "sim", "--script", script)
		base := strings.TrimSpace(server.out.until(t, "an address", func(text string) bool { return strings.Contains(text, "\n") }))
		d = onDesktopWith(t, t.TempDir(), []string{env}, "--base-url", base)
		d.sees(t, "weir> ")
		d.types(t, "go"+map[bool]string{true: "\n", false: enter}[env == "TERM=dumb"])
		d.holds(t, "Wait")
		d.types(t, ctrlD)
		d.holds(t, "leaving when the turn has ended")
		post(t, base+"/gates/g")
		d.holds(t, "● Done.")
		d.leaves(t, 3)
		wantFiles(t, d.cmd.Dir, "")
	}
}

// TestASignalThatEndsTheProgramIsSeenOnTheScreen has what was shown stay, and the
// line behind it say that it is not all.
func TestASignalThatEndsTheProgramIsSeenOnTheScreen(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		d := onDesktop(t, t.TempDir(), "--script", scriptFile(t, stalls))
		d.sees(t, "weir> ")
		d.types(t, "go"+enter)
		d.holds(t, "Half an answer")
		d.signal(t, sig)
		d.holds(t, "Half an answer\n◇ interrupted: canceled")
		d.leaves(t, 128+int(sig))
	}
}
