package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// told returns the documents as name=text, names relative to dir.
func told(t *testing.T, dir string, docs []Doc) []string {
	t.Helper()
	var all []string
	for _, d := range docs {
		name, err := filepath.Rel(dir, d.Path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, name+"="+d.Text)
	}
	return all
}

func TestInstructionsComeFromTheUserThenFromTheOutermostFolderDown(t *testing.T) {
	home := tree(t, map[string]string{
		"AGENTS.md": "home", "config/AGENTS.md": "user", "p/.git/HEAD": "ref: refs/heads/main",
		"p/AGENTS.md": "top", "p/CLAUDE.md": "->AGENTS.md", "p/sub/CLAUDE.md": "sub",
	})
	docs, notes := Instructions(filepath.Join(home, "p/sub"), home, filepath.Join(home, "config"))
	want := []string{"config/AGENTS.md=user", "AGENTS.md=home", "p/AGENTS.md=top", "p/sub/CLAUDE.md=sub"}
	if d := cmp.Diff(want, told(t, home, docs)); d != "" || len(notes) > 0 {
		t.Errorf("%s %q", d, notes)
	}
}

func TestImportsAreTakenInOnceAndNotOutOfCode(t *testing.T) {
	home := tree(t, map[string]string{
		"p/AGENTS.md": "see @docs/a.md, mail me@b.md `@no.md`\n```\n@no.md\n```\n@docs @missing.md",
		"p/docs/a.md": "@b.md @../AGENTS.md", "p/docs/b.md": "@a.md", "p/no.md": "no", "p/b.md": "no",
	})
	docs, notes := Instructions(filepath.Join(home, "p"), home, "")
	if len(docs) != 3 || len(notes) > 0 {
		t.Fatalf("%q %q", told(t, home, docs), notes)
	}
	if d := cmp.Diff([]string{"p/docs/a.md=@b.md @../AGENTS.md", "p/docs/b.md=@a.md"}, told(t, home, docs[1:])); d != "" {
		t.Error(d)
	}
}

func TestB095_InstructionsThatLeadOutOfTheProjectAreNotRead(t *testing.T) {
	home := tree(t, map[string]string{
		"secret.md": "SECRET", "keys/id.md": "SECRET", "p/.git/HEAD": "x",
		"p/AGENTS.md": "@link.md @dir/id.md @../secret.md @~/secret.md @/etc/passwd", "p/link.md": "->../secret.md",
		"p/dir": "->../keys", "p/CLAUDE.md": "->../secret.md",
	})
	docs, notes := Instructions(filepath.Join(home, "p"), home, "")
	for _, d := range docs[1:] {
		t.Errorf("read %s: %q", d.Path, d.Text)
	}
	if len(notes) != 6 {
		t.Errorf("%d notes, want one for each: %q", len(notes), notes)
	}
}

// TestARepositoryOfSomebodyElseVouchesForNothing is about one above the root.
func TestARepositoryOfSomebodyElseVouchesForNothing(t *testing.T) {
	const system, self, other, unknown = 0, 1000, 1001, -1
	type hands struct{ repository, root int }
	for h, want := range map[hands]bool{
		{self, self}: true, {system, self}: true, {other, other}: true,
		{other, self}: false, {other, system}: false, {unknown, self}: false, {unknown, unknown}: false,
	} {
		if got := vouched(h.repository, h.root, self); got != want {
			t.Errorf("%+v: %v, want %v", h, got, want)
		}
	}
	if os.Getuid() != 0 {
		return // nobody else may give a file away
	}
	dir := tree(t, map[string]string{".git/HEAD": "ref: refs/heads/main", "AGENTS.md": "THEIRS", "mine/AGENTS.md": "mine"})
	for _, name := range []string{".git", "AGENTS.md"} {
		if err := os.Chown(filepath.Join(dir, name), other, other); err != nil {
			t.Fatal(err)
		}
	}
	docs, notes := Instructions(filepath.Join(dir, "mine"), "", "")
	if got := told(t, dir, docs); !cmp.Equal(got, []string{"mine/AGENTS.md=mine"}) || len(notes) != 1 {
		t.Errorf("%q %q", got, notes)
	}
}

func TestInstructionsAreBoundedAndNeverWaitedFor(t *testing.T) {
	home := tree(t, map[string]string{"p/AGENTS.md": strings.Repeat("ä", docMax), "p/.git/HEAD": "x", "CLAUDE.md": "\x00"})
	if err := syscall.Mkfifo(filepath.Join(home, "p/CLAUDE.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	docs, notes := Instructions(filepath.Join(home, "p"), home, "")
	if len(docs) != 1 || len(docs[0].Text) != docMax || docs[0].Note != "cut after 65536 bytes" {
		t.Errorf("%d documents", len(docs))
	}
	if len(notes) != 3 || notes[1] != filepath.Join(home, "p/AGENTS.md")+": cut after 65536 bytes, the model is told so" {
		t.Errorf("%q", notes)
	}
}

func TestB098_GitIsReadAndNotRun(t *testing.T) {
	sha := "0123456789abcdef0123456789abcdef01234567"
	dir := tree(t, map[string]string{
		"a/.git/HEAD": "ref: refs/heads/feature/ünder\n", "a/deep/er/file": "", "a/.git/config": "[core]\nfsmonitor = touch canary",
		"b/.git/HEAD": sha + "\n", "b/.git/MERGE_HEAD": "", "store/HEAD": "ref: refs/heads/tree", "c/.git": "gitdir: ../store\n",
		"d/.git/HEAD": "ref: refs/heads/x\x1b[2J", "e/.git": "gitdir: nowhere", "f/.git/HEAD": "root:x:0:0\n",
	})
	for name, want := range map[string]string{
		"a": "branch feature/ünder", "a/deep/er": "branch feature/ünder", "b": "no branch, commit 0123456789ab, in the middle of a merge",
		"c": "branch tree", "d": "a repository", "e": "", "f": "a repository", "store": "",
	} {
		if got := ReadGit(filepath.Join(dir, name)).String(); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "a/canary")); err == nil {
		t.Error("the canary ran")
	}
}

func TestAPromptBeginsWithWhatIsTheSameEverywhere(t *testing.T) {
	p := Prompt{
		Base: "base\n", Roots: []string{"/w", "/x\x1b"}, Date: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC), Platform: "linux/amd64",
		Git: Git{Top: "/w", Branch: "main"}, Docs: []Doc{{Path: "/w/AGENTS.md", Text: "be kind\n", Note: "cut after 9 bytes"}},
		Memory: "- tabs\n", Append: "more",
	}
	want := `base

# Where you are

- Working directory: /w
- Further folder: "/x\x1b"
- Date: Friday, 2 January 2026
- Platform: linux/amd64
- Git: branch main

# Instructions from /w/AGENTS.md

be kind

(cut after 9 bytes; read the file for the rest)

# What the person wants remembered

- tabs

more`
	if d := cmp.Diff(want, p.String()); d != "" {
		t.Error(d)
	}
	if got := (Prompt{Base: "b"}).String(); got != "b" {
		t.Errorf("%q", got)
	}
}
