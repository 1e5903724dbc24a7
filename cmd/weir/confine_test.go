package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPromise6ASandboxThatIsAskedForHoldsOrIsAnError runs a command that writes outside
// the workspace. Where no sandbox works the run must not begin.
func TestPromise6ASandboxThatIsAskedForHoldsOrIsAnError(t *testing.T) {
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

// TestPlainDeniesAreHiddenFromCommands: where commands can be confined they do
// not see what a deny on read_file names, and cannot make what the program or
// git would run; where they cannot, nothing runs with --sandbox on.
func TestPlainDeniesAreHiddenFromCommands(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	for _, name := range []string{"plain", "keys/id", "sub/.git/HEAD"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(work, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(work, name), []byte("canary-5e1d"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	script := scriptFile(t, `{"steps": [{"blocks": [{"call": "bash", "arguments": {"command":
		"cat plain keys/id; echo x >.weir/config.toml; mkdir -p sub/.git/hooks; echo x >sub/.git/hooks/pre-commit; echo ran >ran"}}]}, "fine"]}`)
	p := run(t, nil, nil, "-p", "hi", "--mode", "bypass", "--sandbox", "on", "--cwd", work, "--output-format", "jsonl",
		"--deny", "read_file(plain)", "--deny", "read_file(keys/**)", "--deny", "read_file("+filepath.Dir(work)+"/**)", "--script", script)
	err := <-p.ended
	if text := p.out.text(); strings.Contains(text, "canary-5e1d") {
		t.Errorf("the command read it: %s", text)
	}
	if err != nil {
		if text := p.err.text(); !strings.HasPrefix(text, "weir: --sandbox on: no sandbox works here") {
			t.Errorf("%v: %s", err, text)
		}
		return
	}
	if _, err := os.Stat(filepath.Join(work, "ran")); err != nil {
		t.Errorf("the command did not run: %v", err)
	}
	for _, name := range []string{".weir", "sub/.git/hooks"} {
		if _, err := os.Stat(filepath.Join(work, name)); err == nil {
			t.Errorf("%s is left", name)
		}
	}
}
