package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// modesBelow returns the permissions of all that lies below dir, by name, with
// the names that are drawn at random cut short.
func modesBelow(t *testing.T, dir string) map[string]fs.FileMode {
	t.Helper()
	modes := map[string]fs.FileMode{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := e.Info()
		name, _ := filepath.Rel(dir, path) // below dir, as it was found there
		modes[name] = info.Mode()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return modes
}

// Promise 10: whatever the umask, what weir keeps is its owner's only: the
// answer for the folder, what was typed, what is remembered, and output that is
// put aside while the talk lasts.
func TestPromise10DataFilesAreTheirOwners(t *testing.T) {
	t.Parallel()
	script := scriptFile(t, `{"steps": [{"blocks": [{"call": "remember", "arguments": {"line": "likes tabs"}},
		{"call": "bash", "arguments": {"command": "seq 1 20000"}}]}, "Done."]}`)
	for _, umask := range []string{"000", "022"} {
		home, dir := t.TempDir(), tree(t, map[string]string{".weir/config.toml": "model = \"theirs\"\n"})
		cmd := exec.Command("/bin/sh", "-c", "umask "+umask+`; exec weir --allow 'bash(seq *)' --script "$1"`, "sh", script)
		cmd.Dir, cmd.Env = dir, append(bare(), "HOME="+home, "TERM=xterm-256color", "NO_COLOR=1")
		d := desktopOf(t, home, cmd)
		d.sees(t, trustPrompt)
		d.types(t, "y"+enter)
		d.sees(t, "weir> ")
		d.types(t, "go"+enter)
		d.sees(t, allow)
		d.types(t, "y"+enter)
		d.sees(t, "● Done.\nweir> ")
		seen := map[string]bool{}
		for name, mode := range modesBelow(t, home) {
			want := fs.FileMode(0o600)
			if mode.IsDir() {
				want = fs.ModeDir | 0o700
			}
			if mode != want {
				t.Errorf("umask %s: %s has %v", umask, name, mode)
			}
			kind, _, _ := strings.Cut(filepath.Base(name), "-")
			seen[kind] = true
		}
		for _, kind := range []string{"history", "memory.md", "trusted.jsonl", "output"} {
			if !seen[kind] {
				t.Errorf("umask %s: no %s is there: %v", umask, kind, seen)
			}
		}
		d.types(t, ctrlD)
		d.leaves(t, 0)
	}
}

// What somebody has put in the place of weir's files is not followed.
func TestPromise10NoPlantedLinkIsFollowed(t *testing.T) {
	t.Parallel()
	home, victims := t.TempDir(), t.TempDir()
	state := filepath.Join(home, ".local/state/weir")
	if err := os.MkdirAll(state, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"history", "trusted.jsonl"} {
		if err := os.Symlink(filepath.Join(victims, name), filepath.Join(state, name)); err != nil {
			t.Fatal(err)
		}
	}
	d := onDesktopIn(t, tree(t, map[string]string{".weir/config.toml": "model = \"theirs\"\n"}), home,
		append(bare(), "HOME="+home, "TERM=xterm-256color", "NO_COLOR=1"), "--script", scriptFile(t, `{"steps": ["Done."]}`))
	d.sees(t, trustPrompt)
	d.types(t, "y"+enter)
	d.holds(t, "weir: the history cannot be read, so it begins anew: ")
	d.sees(t, "weir> ")
	d.types(t, "go"+enter)
	d.sees(t, "● Done.\nweir> ")
	d.types(t, ctrlD)
	d.leaves(t, 0)
	if made := modesBelow(t, victims); len(made) > 0 {
		t.Errorf("it wrote through a link: %v", made)
	}
}
