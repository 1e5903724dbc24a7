package pipeline_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/script"
)

// B122: what no compaction can mend is said at once and fails; nothing is sent.
func TestB122APromptAndToolsLargerThanTheWindow(t *testing.T) {
	p := answering(looking(1, summed))
	s := open(t, p, pipeline.Config{System: strings.Repeat("be good. ", 1000), Tools: large(t), Compaction: pipeline.Compaction{ContextTokens: 2000}})
	for range 2 {
		events := run(t, s, "hi")
		end := last(t, events)
		if end.Outcome != pipeline.Failed || end.Error.Kind != "context" || !strings.Contains(end.Error.Message, "window of 2000 tokens") {
			t.Errorf("the turn ended as %+v", end.Error)
		}
		if d := cmp.Diff([]string{"context"}, codes(events)); d != "" || len(p.Requests()) > 0 {
			t.Errorf("%d requests; notices (-want +got):\n%s", len(p.Requests()), d)
		}
	}
}

// B122: a prompt that the window cannot hold is refused before anything is sent,
// and does not stay in the way of the next.
func TestB122APromptLargerThanTheWindow(t *testing.T) {
	p := answering(func(provider.Request) script.Step { return says("hello") })
	s := open(t, p, pipeline.Config{Compaction: pipeline.Compaction{ContextTokens: 2000}})
	run(t, s, "hi")
	events := run(t, s, strings.Repeat("words ", 10_000))
	end := last(t, events)
	if end.Outcome != pipeline.Failed || end.Error.Kind != "context" || !strings.Contains(end.Error.Message, "nothing was sent; shorten it") {
		t.Errorf("the turn ended as %+v", end.Error)
	}
	if d := cmp.Diff([]string{"context"}, codes(events)); d != "" || len(p.Requests()) != 1 {
		t.Errorf("%d requests; notices (-want +got):\n%s", len(p.Requests()), d)
	}
	if end := last(t, run(t, s, "hi")); end.Outcome != pipeline.Completed || roles(history(t, s)) != "uaua" {
		t.Errorf("the turn after ended as %+v", end)
	}
}
