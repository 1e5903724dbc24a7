package main

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPromise9B097KeysAreNeverWritten runs a turn whose model asks a command and a hook
// for the key that the turn is asked with, and then looks for it in all that the
// run has printed and left on disk (promise 9).
func TestPromise9B097KeysAreNeverWritten(t *testing.T) {
	t.Parallel()
	const key, other = "canary-key-0a9f3b7c", "canary-other-55d1e2"
	script := scriptFile(t, `{"steps": [{"blocks": [{"call": "bash", "arguments": {"command":
		"env; echo \"k $OPENAI_API_KEY $DEPLOY_TOKEN\"; echo ran"}}]}, "fine"]}`)
	server := run(t, nil, nil, "sim", "--script", script)
	base := strings.TrimSpace(server.out.until(t, "an address", func(text string) bool { return strings.Contains(text, "\n") }))
	home, work := t.TempDir(), t.TempDir()
	hooked := filepath.Join(work, "hooked")
	config := filepath.Join(home, ".config", "weir")
	if err := os.MkdirAll(config, 0o700); err != nil {
		t.Fatal(err)
	}
	hook := "[[hooks.pre_tool]]\ncommand = [\"/bin/sh\", \"-c\", \"env >" + hooked + "; echo '{\\\"decision\\\":\\\"allow\\\"}'\"]\n"
	if err := os.WriteFile(filepath.Join(config, "config.toml"), []byte(hook), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "weir", "-p", "hi", "--mode", "bypass", "--sandbox", "auto", "--output-format", "jsonl", "--base-url", base)
	cmd.Dir, cmd.Env = work, append(bare(), "HOME="+home, "OPENAI_API_KEY="+key, "DEPLOY_TOKEN="+other)
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("ran")) {
		t.Fatalf("%v: %s", err, out)
	}
	if bytes.Contains(out, []byte(key)) || bytes.Contains(out, []byte(other)) {
		t.Errorf("it is printed:\n%s", out)
	}
	files := 0
	for _, dir := range []string{home, work} {
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() {
				return err
			}
			files++
			text, err := os.ReadFile(path)
			if bytes.Contains(text, []byte(key)) || bytes.Contains(text, []byte(other)) {
				t.Errorf("%s holds it", path)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(hooked); err != nil || files < 2 {
		t.Errorf("the hook did not run: %v, %d files", err, files)
	}
}
