package pipeline_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/script"
	"github.com/weir-agents/weir/provider/sim"
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

// TestAPromptThatTheModelRefusesIsNotInTheWayOfTheNext has a model that takes
// less than its window is said to be, with and without something to sum up.
func TestAPromptThatTheModelRefusesIsNotInTheWayOfTheNext(t *testing.T) {
	for _, dialect := range dialects {
		for name, c := range map[string]struct {
			before  string // prompts, each answered
			compact pipeline.Compaction
			codes   []string
			after   string // what the history is then
		}{
			"the first prompt":   {"", pipeline.Compaction{}, []string{"context"}, "ua"},
			"a later one":        {"uu", pipeline.Compaction{Keep: 2}, []string{"compacted", "context"}, "Sua"},
			"without compaction": {"uu", pipeline.Compaction{Off: true}, []string{"context"}, "uauaua"},
		} {
			t.Run(dialect+" "+name, func(t *testing.T) {
				u := &upstream{Server: sim.New(script.Script{Loop: script.LoopLast, Steps: []script.Step{{Func: func(req provider.Request) script.Step {
					if isSummary(req) {
						return summed()
					}
					return narrow(3000, func(provider.Request) script.Step { return says("hello") })(req)
				}}}}, sim.Config{})}
				u.http = httptest.NewServer(u.Server)
				t.Cleanup(u.http.Close)
				s := open(t, u.client(t, dialect), pipeline.Config{Compaction: c.compact})
				for range c.before {
					run(t, s, "hi")
				}
				events := run(t, s, strings.Repeat("words ", 10_000))
				checkRules(t, events)
				if end := last(t, events); end.Outcome != pipeline.Failed || end.Error.Kind != "http_error" || !strings.Contains(end.Error.Message, "maximum context length") {
					t.Errorf("the turn ended as %+v", end.Error)
				}
				if d := cmp.Diff(c.codes, codes(events)); d != "" {
					t.Errorf("notices (-want +got):\n%s", d)
				}
				if end := last(t, run(t, s, "hi")); end.Outcome != pipeline.Completed || roles(history(t, s)) != c.after {
					t.Errorf("the turn after ended as %+v with %s", end, roles(history(t, s)))
				}
			})
		}
	}
}

// TestPromptsThatNobodyAnsweredDoNotFillTheWindowForGood has turns fail whose
// prompts fit one by one, and not together.
func TestPromptsThatNobodyAnsweredDoNotFillTheWindowForGood(t *testing.T) {
	broken := true
	p := answering(func(provider.Request) script.Step {
		if broken {
			return script.Step{Blocks: []script.Block{script.Fault{Kind: script.HTTP, Status: 404, Message: "no such model"}}}
		}
		return says("hello")
	})
	s := open(t, p, pipeline.Config{Compaction: pipeline.Compaction{ContextTokens: 2000}})
	run(t, s, strings.Repeat("words ", 650))
	run(t, s, strings.Repeat("words ", 650))
	broken = false
	events := run(t, s, strings.Repeat("words ", 60))
	if end := last(t, events); end.Outcome != pipeline.Failed || end.Error.Kind != "context" || !strings.Contains(end.Error.Message, "the last 3 prompts") {
		t.Errorf("the turn ended as %+v", end.Error)
	}
	if end := last(t, run(t, s, strings.Repeat("words ", 60))); end.Outcome != pipeline.Completed || roles(history(t, s)) != "ua" {
		t.Errorf("the turn after ended as %+v with %s", end, roles(history(t, s)))
	}
}
