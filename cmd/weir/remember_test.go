package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestTheModelProposesALineAndThePersonKeepsIt asks in every mode that could
// let it pass, and offers nothing where nobody can be asked.
func TestTheModelProposesALineAndThePersonKeepsIt(t *testing.T) {
	t.Parallel()
	script := scriptFile(t, `{"steps": [{"blocks": [{"call": "remember", "arguments": {"line": "likes\n tabs"}}]}, "Done."]}`)
	for _, c := range []struct{ mode, answer, kept string }{
		{"ask", "y", "- likes tabs\n"}, {"bypass", "y", "- likes tabs\n"}, {"bypass", "n", ""}, {"accept-edits", "n", ""},
	} {
		home := t.TempDir()
		d := onDesktop(t, home, "--mode", c.mode, "--script", script)
		d.sees(t, "weir> ")
		d.types(t, "go"+enter)
		d.sees(t, allow)
		d.holds(t, "◇ remember wants to run: the line would be told to the model in every session from now on\n  - likes tabs\n")
		d.types(t, c.answer+enter)
		d.sees(t, "● Done.\nweir> ")
		d.types(t, ctrlD)
		d.exits(t, map[string]int{"y": exitOK, "n": exitDenied}[c.answer])
		kept, err := os.ReadFile(filepath.Join(home, ".config/weir/memory.md"))
		if string(kept) != c.kept || (err == nil) != (c.kept != "") {
			t.Errorf("%+v: %q, %v", c, kept, err)
		}
	}
	p := run(t, nil, nil, "-p", "hi", "--mode", "bypass", "--script", script)
	p.exits(t, 0)
	p.err.want(t, "✘ remember: ")
}
