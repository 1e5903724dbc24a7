package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestADenyOnReadingHoldsForEveryFileTool lets a model look for a secret with
// each tool that shows what files hold. bash is not among them: a rule on
// read_file holds it only where it names one plain path and the sandbox works.
func TestADenyOnReadingHoldsForEveryFileTool(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	for name, text := range map[string]string{".env": "KEY=canary-7f3a\n", "sub/.env": "KEY=canary-7f3a\n", "a.txt": "seen by all\n"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(work, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(work, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	script := scriptFile(t, `{"steps": [{"blocks": [
		{"call": "read_file", "arguments": {"path": ".env"}},
		{"call": "grep", "arguments": {"pattern": "."}},
		{"call": "grep", "arguments": {"pattern": "KEY", "path": "sub"}},
		{"call": "glob", "arguments": {"pattern": "**"}},
		{"call": "list_dir", "arguments": {"depth": 3}},
		{"call": "edit_file", "arguments": {"path": ".env", "edits": [{"old": "KEY=canari", "new": "x"}]}},
		{"call": "edit_file", "arguments": {"path": ".env", "edits": [{"old": "KEY", "new": "LOCK"}]}},
		{"call": "write_file", "arguments": {"path": "sub/.env", "content": "new\n"}}
	]}, "fine"]}`)
	p := run(t, nil, nil, "-p", "hi", "--mode", "bypass", "--cwd", work, "--deny", "read_file(**/.env)",
		"--output-format", "jsonl", "--script", script)
	p.exits(t, exitDenied)
	text := p.out.until(t, "the end", func(text string) bool { return strings.Contains(text, `"turn_ended"`) })
	if strings.Contains(text, "canary-7f3a") {
		t.Errorf("the secret is told:\n%s", text)
	}
	if n := strings.Count(text, "2 withheld by a deny rule"); n != 3 {
		t.Errorf("%d results say what is left out, want 3:\n%s", n, text)
	}
	for _, want := range []string{"seen by all", "the edits do not fit", "(no diff: a deny rule keeps read_file from this file)"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	left, err := os.ReadFile(filepath.Join(work, ".env"))
	if err != nil || string(left) != "LOCK=canary-7f3a\n" {
		t.Errorf("%q, %v", left, err)
	}
}
