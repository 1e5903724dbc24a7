package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const plans = `{"steps": [{"blocks": [{"text": "1. Write new.txt."}]}, {"blocks": [{"call": "write_file", "arguments": {"path": "new.txt", "content": "one\n"}}]}, "Done."]}`

// TestAPlanEndsWithAQuestion answers it in every way.
func TestAPlanEndsWithAQuestion(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ keys, screen, mode string }{
		{"y" + enter, allow, "ask"},
		{"e" + enter, "● Done.\nweir> ", "accept-edits"},
		{"n" + enter, "weir> ", "plan"},
		{enter, "weir> ", "plan"},
		{ctrlC, "◇ the plan waits: say what to change in it, or /mode ask and have it carried out\nweir> ", "plan"},
		{"n use another name" + enter, "● Done.\n" + planPrompt, "plan"},
		{"yes, but smaller" + enter, "● Done.\n" + planPrompt, "plan"},
	} {
		d := onDesktop(t, t.TempDir(), "--mode", "plan", "--script", scriptFile(t, plans))
		d.sees(t, "weir> ")
		d.types(t, "plan it"+enter)
		d.sees(t, "● 1. Write new.txt.\n"+planPrompt)
		d.types(t, c.keys)
		d.sees(t, c.screen)
		switch {
		case c.mode == "ask":
			d.types(t, "y"+enter)
			d.sees(t, "● Done.\nweir> ")
		case strings.HasSuffix(c.screen, planPrompt):
			d.holds(t, "✘ write_file")
			d.types(t, enter)
			d.sees(t, "weir> ")
		}
		d.types(t, "/mode"+enter)
		d.holds(t, "the mode is "+c.mode)
		if _, err := os.Stat(filepath.Join(d.cmd.Dir, "new.txt")); (err == nil) != (c.mode != "plan") {
			t.Errorf("%q: %v", c.keys, err)
		}
		d.types(t, "/exit"+enter)
	}
}
