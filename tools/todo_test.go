package tools

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTodoKeepsThePlan(t *testing.T) {
	k := newKit(t, Config{})
	plan := []TodoItem{{"read", "done"}, {"write\nit", "doing"}, {"test", "open"}}
	if got := k.want("todo", args{"items": plan}); got != "1 of 3 done\n[x] read\n[>] write it\n[ ] test" {
		t.Errorf("got %q", got)
	}
	if d := cmp.Diff(plan, Todo(k.scope)); d != "" {
		t.Error(d)
	}
	for _, bad := range []any{
		[]TodoItem{{"x", "later"}}, []TodoItem{{" ", "open"}}, []TodoItem{{strings.Repeat("x", 501), "open"}}, make([]TodoItem, 101), "x", nil,
	} {
		if r := k.call("todo", args{"items": bad}); r.Kind != BadArgument {
			t.Errorf("%v: %+v", bad, r)
		}
	}
	if d := cmp.Diff(plan, Todo(k.scope)); d != "" {
		t.Error(d)
	}
	if got := k.want("todo", args{"items": []TodoItem{}}); got != "0 of 0 done" {
		t.Errorf("got %q", got)
	}
}

// shelf is a Skills with two of them.
type shelf struct{}

func (shelf) List() []Skill { return []Skill{{"pdf", "for PDF files"}, {"broken", "never works"}} }

func (shelf) Load(_ context.Context, name string) (string, error) {
	if name == "broken" {
		return "", errors.New("it is gone")
	}
	return "how to read a PDF", nil
}

func TestSkill(t *testing.T) {
	k := newKit(t, Config{Skills: shelf{}})
	tool, ok := k.reg.Lookup("skill")
	if !ok {
		t.Fatal("there is no skill tool")
	}
	has(t, tool.Spec().Description, "\n- pdf: for PDF files\n- broken: never works")
	if got := k.want("skill", args{"name": "pdf"}); got != "skill pdf\nhow to read a PDF" {
		t.Errorf("got %q", got)
	}
	has(t, k.refuse("skill", args{"name": "broken"}), "it is gone")
	has(t, k.refuse("skill", args{"name": "doc"}), "the skills are pdf, broken")
	if _, ok := newKit(t, Config{}).reg.Lookup("skill"); ok {
		t.Error("a skill tool without skills")
	}
}
