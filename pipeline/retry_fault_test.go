package pipeline_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider"
)

// broken is a way for an answer to break that is mended by asking again.
type broken struct {
	name   string
	blocks string // of the first answer
	kind   provider.ErrorKind
	shown  bool
	took   time.Duration // from the request to the failure
}

// breaks are what the sim can do to an answer. 90 s and 5 min are the idle and
// the first-byte timeout of the adapters.
var breaks = []broken{
	{"cut after text", `{"text":"half a"},{"fault":"cut"}`, "truncated_stream", true, 0},
	{"cut after thinking", `{"thinking":"hm","signature":"s"},{"fault":"cut"}`, "truncated_stream", true, 0},
	{"cut within arguments", `{"call":"look","arguments":["{\"a\":",{"fault":"cut"}]}`, "truncated_stream", false, 0},
	{"cut after a whole call", `{"call":"look","arguments":{"a":1}},{"fault":"cut"}`, "truncated_stream", false, 0},
	{"cut after text and a call", `{"text":"I look"},{"call":"look"},{"fault":"cut"}`, "truncated_stream", true, 0},
	{"cut at once", `{"fault":"cut"}`, "empty_response", false, 0},
	{"reset after text", `{"text":"half a"},{"fault":"reset"}`, "truncated_stream", true, 0},
	{"reset at once", `{"fault":"reset"}`, "unreachable", false, 0},
	{"overloaded in the middle", `{"text":"half a"},{"fault":"error","type":"overloaded_error","message":"Overloaded"}`, "provider_error", true, 0},
	{"overloaded at the start", `{"fault":"error","type":"overloaded_error","message":"Overloaded"}`, "provider_error", false, 0},
	{"not JSON", `{"text":"half a"},{"fault":"bad_json"}`, "bad_json", true, 0},
	{"silence after text", `{"text":"half a"},{"fault":"stall"}`, "idle_timeout", true, 90 * time.Second},
	{"silence within arguments", `{"text":"I look"},{"call":"look","arguments":["{\"a\":",{"fault":"stall"}]}`, "idle_timeout", true, 90 * time.Second},
	{"silence from the start", `{"fault":"stall"}`, "first_byte_timeout", false, 5 * time.Minute},
	{"promised calls, sent none", ``, "empty_response", false, 0},
}

func (b broken) script() string {
	if b.name == "promised calls, sent none" {
		return `{"select":"sequence","steps":[{"blocks":[],"stop":"tool_calls"},"the whole answer"]}`
	}
	return `{"select":"sequence","steps":[{"blocks":[` + b.blocks + `]},"the whole answer"]}`
}

// B044, B046: an answer that breaks is asked for again from the last complete
// message. Readers are told whether what they have seen is void, and the
// history has the text once.
func TestB044ABrokenAnswerIsAskedForAgain(t *testing.T) {
	for _, b := range breaks {
		for _, dialect := range dialects {
			t.Run(b.name+" "+dialect, func(t *testing.T) {
				tool := &recorder{}
				within(t, setting{
					dialect: dialect, script: b.script(), config: pipeline.Config{Tools: registry(t, tool.tool("look"))},
				}, func(t *testing.T, w *world) {
					events := w.run("go", nil)
					w.checkWaits(events, b.took)
					_, failed := delays(events)
					if len(failed) != 1 || failed[0].Kind != b.kind || !failed[0].Retryable || failed[0].Status != 0 {
						t.Fatalf("failures %+v, want one of kind %s", failed, b.kind)
					}
					if end := last(t, events); end.Outcome != pipeline.Completed || end.Text != "the whole answer" || end.Steps != 1 {
						t.Errorf("the turn ended as %+v", end)
					}
					if shown := text(events) != "the whole answer" || b.name == "cut after thinking"; shown != b.shown {
						t.Errorf("shown was %q", text(events))
					}
					if d := cmp.Diff("the whole answer", kept(events)); d != "" {
						t.Errorf("what counts (-want +got):\n%s", d)
					}
					if calls, n := tool.calls(); n > 0 {
						t.Errorf("after an error these ran: %v", calls)
					}
					w.checkHistory("again")
				})
			})
		}
	}
}

// kept is the text that a reader has who heeds discard.
func kept(events []pipeline.Event) string {
	all := ""
	for _, e := range events {
		switch e := e.(type) {
		case pipeline.TextDelta:
			all += e.Text
		case pipeline.RetryScheduled:
			if e.Discard {
				all = ""
			}
		}
	}
	return all
}

// checkHistory runs another turn, whose request shows the history: the prompt
// and the whole answer. That turn fails, as the script is over.
func (w *world) checkHistory(prompt string) {
	w.t.Helper()
	w.run(prompt, nil)
	all := w.server.Requests()
	say := func(role provider.Role, text string) provider.Message {
		return provider.Message{Role: role, Blocks: []provider.Block{provider.Text{Text: text}}}
	}
	want := []provider.Message{say("user", "go"), say("assistant", "the whole answer"), say("user", prompt)}
	if d := cmp.Diff(want, all[len(all)-1].Decoded.Messages); d != "" {
		w.t.Errorf("the history (-want +got):\n%s", d)
	}
	for _, r := range all[:2] { // the same request both times
		if d := cmp.Diff(want[:1], r.Decoded.Messages); d != "" {
			w.t.Errorf("a try asked (-want +got):\n%s", d)
		}
	}
}

// An answer that breaks every time is asked for as often as Attempts says; a
// response with nothing in it only once more.
func TestAttemptsAreBounded(t *testing.T) {
	for _, c := range []struct {
		name, blocks string
		attempts     int
		want         int
	}{
		{"cut", `{"text":"half"},{"fault":"cut"}`, 3, 3},
		{"one attempt", `{"text":"half"},{"fault":"cut"}`, 1, 1},
		{"reset", `{"fault":"reset"}`, 2, 2},
		{"overloaded", `{"text":"half"},{"fault":"error","type":"overloaded_error"}`, 5, 5},
		{"the longest waits", `{"fault":"http","status":503}`, 9, 9},
		{"empty", `{"fault":"cut"}`, 9, 2},
		{"silent", `{"fault":"stall"}`, 2, 2},
	} {
		for _, dialect := range dialects {
			t.Run(c.name+" "+dialect, func(t *testing.T) {
				within(t, setting{
					dialect: dialect, script: always(c.blocks), firstByte: time.Minute,
					config: pipeline.Config{Limits: pipeline.Limits{Attempts: c.attempts}},
				}, func(t *testing.T, w *world) {
					events := w.run("go", nil)
					if n := len(w.requests()); n != c.want {
						t.Errorf("%d requests, want %d", n, c.want)
					}
					took := time.Duration(0)
					if c.name == "silent" {
						took = time.Minute
					}
					w.checkWaits(events, took)
					if end := last(t, events); end.Outcome != pipeline.Failed {
						t.Errorf("the turn ended as %+v", end)
					}
				})
			})
		}
	}
}

// A message with nothing in it, though the model says it is done, is asked for
// once more and then ends the turn as a limit, not as an error.
func TestB112AnEmptyAnswerEndsAsEmpty(t *testing.T) {
	for _, blocks := range []string{``, `{"thinking":"I have nothing to say","signature":"s"}`} {
		for _, dialect := range dialects {
			t.Run(dialect+" "+blocks, func(t *testing.T) {
				within(t, setting{dialect: dialect, script: `{"select":"sequence","loop":"last","steps":[{"blocks":[` + blocks + `],"stop":"stop"}]}`}, func(t *testing.T, w *world) {
					events := w.run("go", nil)
					if d := cmp.Diff([]time.Duration{0, 0}, w.requests()); d != "" {
						t.Errorf("requests (-want +got):\n%s", d)
					}
					if end := last(t, events); end.Outcome != pipeline.Limited || end.Limit != "empty" {
						t.Errorf("the turn ended as %+v", end)
					}
					for _, e := range events {
						if m, ok := e.(pipeline.MessageCompleted); ok {
							t.Errorf("nothing was completed: %+v", m)
						}
					}
				})
			})
		}
	}
}

// Nobody listens: each try is a dial, and the message names the server.
func TestAServerThatIsDownIsTriedAgain(t *testing.T) {
	for _, dialect := range dialects {
		t.Run(dialect, func(t *testing.T) {
			within(t, setting{dialect: dialect, script: always(`{"text":"x"}`), down: true}, func(t *testing.T, w *world) {
				events := w.run("go", nil)
				waits, failed := delays(events)
				if w.dials != 4 || len(waits) != 3 || len(failed) != 4 {
					t.Fatalf("%d dials, %d waits, %d failures", w.dials, len(waits), len(failed))
				}
				for _, f := range failed {
					if f.Kind != "unreachable" || !f.Retryable {
						t.Errorf("it failed as %+v", f)
					}
					mustSay(t, f.Message, "http://sim", "check the base URL")
				}
				if end := last(t, events); end.Error == nil || end.Error.Kind != "unreachable" {
					t.Errorf("the turn ended as %+v", end)
				}
			})
		})
	}
}
