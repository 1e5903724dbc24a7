package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheKeysOfTheQuestionForTrust presses each, and looks what is remembered.
func TestTheKeysOfTheQuestionForTrust(t *testing.T) {
	t.Parallel()
	dir, script := tree(t, map[string]string{".weir/config.toml": "model = \"theirs\"\n"}), scriptFile(t, `{"steps": ["fine"]}`)
	const waits = "◇ press Ctrl-C again to leave, or Ctrl-D\n" + trustPrompt
	for _, c := range []struct {
		keys, screen, remembers string
		left                    bool
	}{
		{"y" + enter, "weir> ", `"trusted":true`, false},
		{"YES" + enter, "weir> ", `"trusted":true`, false},
		{"n" + enter, "weir> ", `"trusted":false`, false},
		{enter, "weir> ", `"trusted":false`, false},
		{"fix the bug" + enter, trustPrompt, "", false},
		{"yesterday" + enter + "y" + enter, "weir> ", `"trusted":true`, false},
		{"half" + ctrlC, waits, "", false},
		{ctrlC, waits, "", false},
		{ctrlC + ctrlC, "", "", true},
		{ctrlD, "", "", true},
	} {
		home := t.TempDir()
		d := onDesktop(t, home, "--script", script, "--cwd", dir)
		d.sees(t, trustPrompt)
		d.types(t, c.keys)
		if !c.left {
			d.sees(t, c.screen)
			d.types(t, ctrlD)
		}
		d.leaves(t, 0)
		said, err := os.ReadFile(filepath.Join(home, ".local/state/weir/trusted.jsonl"))
		if (err == nil) != (c.remembers != "") || !strings.Contains(string(said), c.remembers) {
			t.Errorf("%q: %s %v", c.keys, said, err)
		}
	}
}

// TestATalkWithoutAHomeSaysSoOnce types a line for the history and an answer,
// neither of which can be saved.
func TestATalkWithoutAHomeSaysSoOnce(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{".weir/config.toml": "max-steps = 3\n", "home": ""})
	d := onDesktop(t, filepath.Join(dir, "home"), "--script", scriptFile(t, `{"steps": ["fine"]}`), "--cwd", dir)
	d.holds(t, "◇ no history, answer or long output is saved: ")
	d.sees(t, trustPrompt)
	d.types(t, "y"+enter)
	d.sees(t, "weir> ")
	d.types(t, "hi"+enter)
	d.sees(t, "● fine\nweir> ")
	d.types(t, ctrlD)
	d.leaves(t, 0)
	if text := d.screen(t, d.out.text()).Text(); strings.Count(text, "saved") != 1 {
		t.Errorf("not said once:\n%s", text)
	}
}

// TestWhatATrustedFolderLeavesOutIsToldAboveThePrompt has a command of a folder
// left out, which is known only once the question is answered.
func TestWhatATrustedFolderLeavesOutIsToldAboveThePrompt(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{".weir/commands/quit.md": "no\n"})
	d := onDesktop(t, t.TempDir(), "--script", scriptFile(t, `{"steps": ["fine"]}`), "--cwd", dir)
	d.sees(t, trustPrompt)
	d.types(t, "y"+enter)
	d.sees(t, "s\nweir> ")
	text := strings.ReplaceAll(d.screen(t, d.out.text()).Text(), "\n", "")
	_, below, _ := strings.Cut(text, trustPrompt+"y")
	if !strings.HasPrefix(below, "◇ command ") || !strings.HasSuffix(below, "quit.md was left out: /quit is a command of weir'sweir>") {
		t.Errorf("the screen:\n%s", text)
	}
	d.types(t, "/exit"+enter)
	d.leaves(t, 0)
}
