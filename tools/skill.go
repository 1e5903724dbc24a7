package tools

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
)

// skillMax bounds, in bytes, the text of a skill in a result.
const skillMax = 100_000

//go:embed skill.md
var skillText string

// Skill is one that a model may load.
type Skill struct {
	Name string
	// About says in a line when to load it; the model sees it always.
	About string
}

// Skills finds the skills of a session. Its methods are called from several
// goroutines at once.
type Skills interface {
	// List returns what there is when the session starts, in a stable order.
	List() []Skill
	// Load returns the text of a skill of that list.
	Load(ctx context.Context, name string) (string, error)
}

type skillArgs struct {
	Name string `json:"name" jsonschema:"name of the skill"`
}

func (a skillArgs) Summary() string { return shown(a.Name) }

func (b *builtin) skill() Tool {
	about := strings.TrimSuffix(skillText, "\n")
	var names []string
	for _, s := range b.cfg.Skills.List() {
		names = append(names, s.Name)
		about += "\n- " + shown(s.Name) + ": " + s.About
	}
	run := func(ctx context.Context, _ Call, args skillArgs) Result {
		known := false
		for _, name := range names {
			known = known || name == args.Name
		}
		if !known {
			return failed("no skill %s; the skills are %s", quoteCapped(args.Name), strings.Join(names, ", "))
		}
		text, err := b.cfg.Skills.Load(ctx, args.Name)
		if err != nil {
			return failed("skill %s: %v", shown(args.Name), err)
		}
		if len(text) <= skillMax {
			return Result{Text: "skill " + shown(args.Name) + "\n" + visible([]byte(text))}
		}
		head := wholeRunes([]byte(text[:skillMax]))
		return Result{Truncated: true, Text: fmt.Sprintf("skill %s, the first %d of %d bytes\n%s", shown(args.Name), len(head), len(text), visible(head))}
	}
	return mustNew(Spec{Name: "skill", Description: about, Class: ReadOnly}, run)
}
