package pipeline_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/script"
)

// Another model has its own window: a conversation that is too long for it is
// made shorter before it is asked, by the model itself.
func TestAnotherModelBringsItsWindow(t *testing.T) {
	p := answering(func(provider.Request) script.Step { return says("it was so") })
	s := open(t, p, pipeline.Config{Model: "gpt-4o"})
	for range 3 {
		run(t, s, strings.Repeat("some words ", 1200))
	}
	if err := s.UseModel(t.Context(), "gpt-4"); err != nil {
		t.Fatal(err)
	}
	if fill, err := s.Usage(t.Context()); err != nil || fill.Window != 8_192 {
		t.Errorf("%+v, %v", fill, err)
	}
	run(t, s, "go on")
	var asked []string
	for _, req := range p.Requests() {
		asked = append(asked, req.Model)
		if n := pipeline.EstimateTokens(req); req.Model == "gpt-4" && n > 8_192 {
			t.Errorf("a request of %d tokens for a window of 8,192", n)
		}
	}
	if n := len(asked); n < 5 || slices.Contains(asked[3:], "gpt-4o") {
		t.Errorf("asked were %q", asked)
	}
	s.Close()
	if err := s.UseModel(t.Context(), "gpt-4o"); !errors.Is(err, pipeline.ErrClosed) {
		t.Errorf("a closed session: %v", err)
	}
}
