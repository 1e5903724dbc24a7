package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tree writes files into a folder of its own and returns it.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// instructed reads the instructions in at, below dir, by their names below dir.
func instructed(t *testing.T, dir, at, config string) (map[string]string, []string) {
	t.Helper()
	var warned []string
	got := map[string]string{}
	for _, in := range instructions(filepath.Join(dir, at), config, func(w string) { warned = append(warned, w) }) {
		got[strings.TrimPrefix(in.name, dir+"/")] = in.text
	}
	return got, warned
}

func TestInstructionsComeFromTheRepositoryAndTheUser(t *testing.T) {
	dir := tree(t, map[string]string{
		"AGENTS.md": "above the repository", "repo/.git/HEAD": "ref: refs/heads/lamp\n",
		"repo/AGENTS.md": "Be kind.\n@docs/style.md\n@missing.md\nmail me @home\n", "repo/CLAUDE.md": "not read",
		"repo/docs/style.md": "Tabs.\n@more/end.md\n", "repo/docs/more/end.md": "End.\n",
		"repo/sub/CLAUDE.md": "In sub.", "config/AGENTS.md": "Mine.",
	})
	got, warned := instructed(t, dir, "repo/sub", filepath.Join(dir, "config"))
	want := map[string]string{
		"config/AGENTS.md": "Mine.", "repo/AGENTS.md": "Be kind.\nTabs.\nEnd.\n@missing.md\nmail me @home\n", "repo/sub/CLAUDE.md": "In sub.",
	}
	if diff := cmp.Diff(want, got); diff != "" || warned != nil {
		t.Errorf("%v\n%s", warned, diff)
	}
	if branch := gitBranch(filepath.Join(dir, "repo/sub")); branch != "lamp" {
		t.Errorf("the branch is %q", branch)
	}
	// Outside a repository only the folder itself counts.
	got, _ = instructed(t, dir, "config", "")
	if diff := cmp.Diff(map[string]string{"config/AGENTS.md": "Mine."}, got); diff != "" {
		t.Error(diff)
	}
}

func TestB095_InstructionsFollowNoLinkOutOfTheProject(t *testing.T) {
	dir := tree(t, map[string]string{"secret": "KEY", "repo/.git/HEAD": "x", "repo/sub/AGENTS.md": "@../../secret\n@link\n", "repo/sub/x": ""})
	for link, to := range map[string]string{"repo/AGENTS.md": "../secret", "repo/sub/link": "../../secret"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	got, _ := instructed(t, dir, "repo/sub", "")
	if diff := cmp.Diff(map[string]string{"repo/sub/AGENTS.md": "@../../secret\n@link\n"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestInstructionsAreBounded(t *testing.T) {
	big := strings.Repeat("日", instructionBytes)
	files := map[string]string{"a/b/c/d/e/x": "", ".git/HEAD": "x", "loop.md": "x\n@loop.md\n@loop.md\n"}
	for _, at := range []string{"", "a/", "a/b/", "a/b/c/", "a/b/c/d/"} {
		files[at+"AGENTS.md"] = big
	}
	files["a/b/c/d/e/AGENTS.md"] = "@loop.md\n@loop.md"
	dir := tree(t, files)
	all, warned := instructed(t, dir, "a/b/c/d/e", "")
	total := 0
	for name, text := range all {
		total += len(text)
		if strings.Contains(text, "\ufffd") {
			t.Errorf("%s is cut within a character", name)
		}
	}
	if total > allInstructionBytes || len(warned) == 0 {
		t.Errorf("%d bytes, %q", total, warned)
	}
}
