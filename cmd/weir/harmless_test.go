package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// evil is what a terminal would act on, in the forms it knows.
const evil = "\x1b]52;c;ZXZpbA==\a\x1b[5;5HX\x1b[?1049h\x1bc\x1bPq\x1b\\\u009b5;5H\u009d0;t\u009c\x1b_a\x1b\\\r\u202eend"

// Promise 11, end to end: whatever the model, a command, a file's name, a
// server's error and an argument say, none of it drives the terminal.
func TestPromise11NothingDrivesTheTerminal(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(evil)
	if err != nil {
		t.Fatal(err)
	}
	command, err := json.Marshal("printf '" + strings.NewReplacer("\x1b", `\033`, "\a", `\a`, "\r", `\r`).Replace(evil) + "\\n'; ls; ls >&2; cat /no/" + evil)
	if err != nil {
		t.Fatal(err)
	}
	script := scriptFile(t, `{"steps": [{"blocks": [{"thinking": `+string(text)+`}, {"text": `+string(text)+`},
		{"call": "list_dir"}, {"call": "glob", "arguments": {"pattern": "*"}}, {"call": "read_file", "arguments": {"path": `+string(text)+`}},
		{"call": `+string(text)+`}, {"call": "todo", "arguments": {"items": [{"text": `+string(text)+`, "state": "doing"}]}},
		{"call": "write_file", "arguments": {"path": `+string(text)+`, "content": `+string(text)+`}},
		{"call": "bash", "arguments": {"command": `+string(command)+`}}]},
		{"blocks": [{"fault": "http", "status": 400, "message": `+string(text)+`}]}]}`)
	dir := t.TempDir()
	name := strings.ReplaceAll(evil, "/", "")
	for _, file := range []string{name, "AGENTS.md", ".weir/skills/s/" + name} {
		path := filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(evil), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	home := t.TempDir()
	for _, term := range []string{"xterm-256color", "dumb"} {
		d := onDesktopIn(t, dir, "", append(bare(), "HOME="+home, "TERM="+term), "--script", script, "--verbose")
		if term != "dumb" { // the second time it is trusted
			d.sees(t, trustPrompt)
			d.types(t, "y"+enter)
		}
		d.sees(t, "weir> ")
		d.types(t, "go"+enter)
		d.holds(t, together)
		d.types(t, "v"+enter)
		d.holds(t, "1 more waiting")
		d.types(t, "y"+enter)
		d.holds(t, "◇ bash wants to run")
		d.types(t, "y"+enter)
		d.holds(t, "http_error")
		d.types(t, ctrlD)
		d.exits(t, exitFailed)
		wantInert(t, d.out.text())
	}
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"-p", "x", "--script", evil}, "end"},
		{[]string{"-p", "x", "--mode", evil}, "end"},
		{[]string{"-p", "x", "--cwd", evil}, "end"},
		{[]string{"-p", "x", "--deny", "x(" + evil}, "end"},
		{[]string{evil}, "end"},
		{[]string{"config", "--print"}, "base-url"},
		{[]string{"doctor"}, "terminal"},
	} {
		d := onDesktopIn(t, dir, "", append(bare(), "HOME="+home, "TERM=xterm-256color", "OPENAI_BASE_URL=http://127.0.0.1:1/"+evil), c.args...)
		wantInert(t, d.out.until(t, "a word of "+c.args[len(c.args)-1], func(text string) bool { return strings.Contains(text, c.says) }))
	}
}

// wantInert fails if the terminal was sent anything of evil that it acts on.
func wantInert(t *testing.T, sent string) {
	t.Helper()
	for _, bad := range []string{"\x1b]", "\x1b[5;5H", "\x1b[?1049h", "\x1bc", "\x1bP", "\x1b_", "\a", "\u009b", "\u009d", "\x9b", "\u202e"} {
		if i := strings.Index(sent, bad); i >= 0 {
			t.Errorf("the terminal was sent %q in %q", bad, sent[max(0, i-80):min(len(sent), i+80)])
		}
	}
}
