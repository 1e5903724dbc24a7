package workspace

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/tools"
)

func TestCommandsAreReadAndExpanded(t *testing.T) {
	dir := tree(t, map[string]string{
		"u/commands/review.md": "---\ndescription: \"Look at a change\"\n---\nReview $ARGUMENTS now.", "u/commands/fix.md": "# Fix it\nall of it",
		"p/.weir/commands/review.md": "theirs", "p/.weir/commands/Bad Name.md": "x", "p/.weir/commands/own.md": "own",
		"p/.weir/commands/key.md": "->../../../secret", "secret": "SECRET", "p/.weir/commands/note.txt": "x",
	})
	commands, notes := Commands(Places{User: filepath.Join(dir, "u"), Project: filepath.Join(dir, "p")})
	got := map[string]string{}
	for _, c := range commands {
		got[c.Name+": "+c.About] = c.Expand("$1")
	}
	want := map[string]string{"review: Look at a change": "Review $1 now.", "fix: Fix it": "# Fix it\nall of it\n\n$1", "own: own": "own\n\n$1"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if len(notes) != 3 { // B095: the link to the secret among them
		t.Errorf("%q", notes)
	}
}

func TestSkillsAreLoadedWhenAsked(t *testing.T) {
	dir := tree(t, map[string]string{
		"u/skills/pdf/SKILL.md":          "---\nname: pdf\ndescription: >\n  Fill in\n  forms\n---\n\nold",
		"p/.weir/skills/deploy/SKILL.md": "---\ndescription: 'To deploy'\n---\nsteps", "p/.weir/skills/README.md": "x",
		"p/.weir/skills/none/SKILL.md": "no head", "p/.weir/skills/pdf/SKILL.md": "---\ndescription: x\n---",
		"p/.weir/skills/key": "->../../../keys", "keys/SKILL.md": "---\ndescription: x\n---\nSECRET",
	})
	var s tools.Skills
	s, notes := LoadSkills(Places{User: filepath.Join(dir, "u"), Project: filepath.Join(dir, "p")})
	want := []tools.Skill{{Name: "deploy", About: "To deploy"}, {Name: "pdf", About: "Fill in forms"}}
	if d := cmp.Diff(want, s.List()); d != "" {
		t.Error(d)
	}
	if len(notes) != 3 {
		t.Errorf("%q", notes)
	}
	if err := os.WriteFile(filepath.Join(dir, "u/skills/pdf/SKILL.md"), []byte("---\nname: pdf\n---\nnew"), 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := s.Load(context.Background(), "pdf")
	if err != nil || !strings.HasSuffix(text, "u/skills/pdf.\n\nnew") {
		t.Errorf("%q %v", text, err)
	}
	if _, err := s.Load(context.Background(), "key"); err == nil {
		t.Error("loaded a skill that was left out")
	}
}

func TestMemoryKeepsOneLineForEachThing(t *testing.T) {
	m := NewMemory(filepath.Join(t.TempDir(), "weir"))
	for _, text := range []string{"use tabs", "use\ttabs\n", "- run\x1b[2J tests"} {
		if err := m.Append(text); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := m.Text(), "- use tabs\n- run [2J tests"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if info, err := os.Stat(m.Path()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	if m.Append(" \n") == nil || NewMemory("").Append("x") == nil || NewMemory("").Text() != "" {
		t.Error("nothing was remembered, and nothing said")
	}
}
