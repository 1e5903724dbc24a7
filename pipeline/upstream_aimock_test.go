package pipeline_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/pipeline"
)

// upstreamCase is a turn against a server that others have written. What the
// server's journal says of it is the proof, not what we think we have sent.
type upstreamCase struct {
	name     string
	prompt   string
	config   pipeline.Config
	statuses string // of the requests, by the journal
	ran      int    // calls
	check    func(t *testing.T, events []pipeline.Event, asked []asked)
}

var upstreamCases = []upstreamCase{
	{name: "two calls", prompt: "weather", statuses: "[200 200]", ran: 2, check: checkWeather},
	{name: "two calls, blocking", prompt: "weather", config: pipeline.Config{NoStream: true}, statuses: "[200 200]", ran: 2, check: checkWeather},
	{name: "cut in the text", prompt: "cut in the text", statuses: "[200 200]", check: checkCut(true)},
	{name: "cut in a call", prompt: "cut in a call", statuses: "[200 200]", check: checkCut(false)},
	{
		name: "rate limit, then overload", prompt: "too fast", statuses: "[429 503 200]",
		check: func(t *testing.T, events []pipeline.Event, _ []asked) {
			waits, failed := delays(events)
			if len(waits) != 2 || waits[0] != time.Second {
				t.Errorf("waits %v, want a second first, as the server asked", waits)
			}
			mustSay(t, failed[0].Message, "429", "rate_limit_error", "slow down")
			wantWhole(t, events)
		},
	},
	{
		name: "rate limit for an hour", prompt: "come back in an hour", statuses: "[429]",
		check: func(t *testing.T, events []pipeline.Event, _ []asked) {
			end := last(t, events)
			if end.Outcome != pipeline.Failed {
				t.Fatalf("the turn ended as %+v", end)
			}
			mustSay(t, end.Error.Message, "429", "slow down", "come back in 1h0m0s")
		},
	},
	{
		name: "refused", prompt: "refuse", statuses: "[400]",
		check: func(t *testing.T, events []pipeline.Event, _ []asked) {
			end := last(t, events)
			if end.Outcome != pipeline.Failed {
				t.Fatalf("the turn ended as %+v", end)
			}
			mustSay(t, end.Error.Message, "400", "invalid_request_error", "there is no gate 7")
		},
	},
}

// TestUpstreamAimock has its cases only where WEIR_AIMOCK is set: it needs Node
// and a package registry.
func TestUpstreamAimock(t *testing.T) {
	if os.Getenv("WEIR_AIMOCK") == "" {
		return
	}
	m := startAimock(t)
	for _, dialect := range dialects {
		for _, c := range upstreamCases {
			t.Run(c.name+" "+dialect, func(t *testing.T) { c.run(t, m, dialect) })
		}
	}
}

func (c upstreamCase) run(t *testing.T, m *aimock, dialect string) {
	id := strings.ReplaceAll(t.Name(), "/", " ")
	tool := &recorder{}
	config := c.config
	config.Tools = registry(t, tool.tool("look"))
	events := run(t, open(t, m.client(t, dialect, id), config), c.prompt)
	checkRules(t, events)
	asked := m.journal(t, id)
	if got := statuses(asked); got != c.statuses {
		t.Errorf("the journal has requests answered %s, want %s: %s", got, c.statuses, lines(t, events))
	}
	for _, a := range asked {
		if want := map[string]string{"openai": "/v1/chat/completions", "anthropic": "/v1/messages"}[dialect]; a.Path != want {
			t.Errorf("asked %s, want %s", a.Path, want)
		}
	}
	if _, n := tool.calls(); n != c.ran {
		t.Errorf("%d calls ran, want %d", n, c.ran)
	}
	if strings.Contains(lines(t, events), canary) {
		t.Error("the key is in the events")
	}
	c.check(t, events, asked)
}

func checkWeather(t *testing.T, events []pipeline.Event, asked []asked) {
	t.Helper()
	want := []string{
		"session_started", "turn_started", "step_started", "text_delta", "message_completed",
		"tool_started", "tool_finished", "tool_started", "tool_finished",
		"step_started", "text_delta", "message_completed", "turn_ended",
	}
	if d := cmp.Diff(want, kinds(events)); d != "" {
		t.Errorf("events (-want +got):\n%s", d)
	}
	if end := last(t, events); end.Outcome != pipeline.Completed || end.Text != "Both are sunny." {
		t.Errorf("the turn ended as %+v", end)
	}
	if len(asked) == 2 {
		mustSay(t, string(asked[1].Body), "call_a", "call_b", "I look at both.", "done")
	}
}

// checkCut: the answer was cut after something of it had come.
func checkCut(shown bool) func(*testing.T, []pipeline.Event, []asked) {
	return func(t *testing.T, events []pipeline.Event, asked []asked) {
		t.Helper()
		_, failed := delays(events)
		if len(failed) != 1 || failed[0].Kind != "truncated_stream" {
			t.Fatalf("failures %+v, want one of truncated_stream", failed)
		}
		for _, e := range events {
			if r, ok := e.(pipeline.RetryScheduled); ok && r.Discard != shown {
				t.Errorf("discard is %v, want %v: %s", r.Discard, shown, lines(t, events))
			}
		}
		if len(asked) == 2 && string(asked[0].Body) != string(asked[1].Body) {
			t.Errorf("the second try asked something else:\n%s\n%s", asked[0].Body, asked[1].Body)
		}
		wantWhole(t, events)
	}
}

func wantWhole(t *testing.T, events []pipeline.Event) {
	t.Helper()
	if end := last(t, events); end.Outcome != pipeline.Completed || end.Text != "the whole answer" {
		t.Errorf("the turn ended as %+v", end)
	}
	if got := kept(events); got != "the whole answer" {
		t.Errorf("a reader who heeds discard has %q", got)
	}
}
