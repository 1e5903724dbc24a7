package main

import "testing"

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
