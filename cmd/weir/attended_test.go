package main

import (
	"context"
	"errors"
	"testing"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider/script"
	"github.com/weir-agents/weir/tools"
)

// fullSink takes no question.
type fullSink struct{ sink }

var errFull = errors.New("full")

func (fullSink) Event(e pipeline.Event) error {
	if _, ok := e.(pipeline.ApprovalRequested); ok {
		return errFull
	}
	return nil
}

type alwaysAsks struct{}

func (alwaysAsks) Decide(tools.Call, tools.Spec) tools.Verdict {
	return tools.Verdict{Decision: tools.Ask}
}

func (alwaysAsks) Remember(string) error { return nil }

// TestAQuestionThatCannotBeShownEndsTheTurn loses the output with the question,
// which nobody can answer then.
func TestAQuestionThatCannotBeShownEndsTheTurn(t *testing.T) {
	t.Parallel()
	steps, err := script.Parse([]byte(`{"steps": [{"blocks": [{"call": "write", "arguments": {}}]}, "Done."]}`))
	if err != nil {
		t.Fatal(err)
	}
	write, err := tools.New(tools.Spec{Name: "write", Description: "writes", Class: tools.Mutating},
		func(context.Context, tools.Call, struct{}) tools.Result { return tools.Result{Text: "written"} })
	if err != nil {
		t.Fatal(err)
	}
	registry, err := tools.NewRegistry(write)
	if err != nil {
		t.Fatal(err)
	}
	p, err := pipeline.New(script.New(steps), pipeline.Config{Tools: registry, Policy: alwaysAsks{}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	s, err := p.Open("")
	if err != nil {
		t.Fatal(err)
	}
	k := &turner{session: s, sink: fullSink{}}
	if err := k.attended(s.Run(t.Context(), "go")); !errors.Is(err, errFull) {
		t.Errorf("%v, want %v", err, errFull)
	}
}
