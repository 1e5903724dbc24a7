package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestASandboxThatIsAskedForHoldsOrIsAnError runs a command that writes outside
// the workspace. Where no sandbox works the run must not begin.
func TestASandboxThatIsAskedForHoldsOrIsAnError(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "outside")
	script := scriptFile(t, `{"steps": [{"blocks": [{"call": "bash", "arguments": {"command": "echo in >in; echo out >`+outside+`"}}]}, "fine"]}`)
	p := run(t, nil, nil, "-p", "hi", "--mode", "bypass", "--sandbox", "on", "--script", script)
	err := <-p.ended
	if _, statErr := os.Stat(outside); statErr == nil {
		t.Error("the command wrote outside the workspace")
	}
	if err != nil {
		if text := p.err.text(); !strings.HasPrefix(text, "weir: --sandbox on: no sandbox works here") {
			t.Errorf("%v: %s", err, text)
		}
		return
	}
	if _, err := os.Stat(filepath.Join(p.cmd.Dir, "in")); err != nil {
		t.Errorf("the command did not write inside: %v", err)
	}
	p = run(t, nil, nil, "-p", "hi", "--mode", "bypass", "--sandbox", "off", "--script", script)
	p.exits(t, 0)
	if _, err := os.Stat(outside); err != nil {
		t.Errorf("without a sandbox the command is held: %v", err)
	}
}
