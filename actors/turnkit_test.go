package actors

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/tools"
)

// turnTest tells a story to a Turn: in gives it inputs, want compares all that
// it asked for since the last want.
type turnTest struct {
	t   *testing.T
	m   *Turn
	now time.Time
	got []Send
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// newTurnTest returns a turn t1 that has begun with the prompt "fix it".
func newTurnTest(t *testing.T, edits ...func(*turnRules)) *turnTest {
	t.Helper()
	rules := turnRules{limits: Limits{}.Default(), jitter: func() float64 { return 0.5 }}
	for _, edit := range edits {
		edit(&rules)
	}
	k := &turnTest{t: t, m: newTurn("t1", rules), now: noon}
	k.in(StartTurn{Turn: "t1", Prompt: Prompt{ID: "p1", Text: "fix it"}})
	return k
}

func limits(edit func(*Limits)) func(*turnRules) {
	return func(r *turnRules) { edit(&r.limits) }
}

func (k *turnTest) in(inputs ...any) {
	k.t.Helper()
	for _, in := range inputs {
		k.got = append(k.got, k.m.Handle(in, k.now)...)
	}
}

func (k *turnTest) want(sends ...any) {
	k.t.Helper()
	var want []Send
	for _, s := range sends {
		switch s := s.(type) {
		case Send:
			want = append(want, s)
		case []Send:
			want = append(want, s...)
		}
	}
	if diff := cmp.Diff(want, k.got); diff != "" {
		k.t.Errorf("effects (-want +got):\n%s", diff)
	}
	k.got = nil
}

func (k *turnTest) wantState(s State) {
	k.t.Helper()
	if k.m.State() != s {
		k.t.Errorf("the turn is %v, want %v", k.m.State(), s)
	}
}

// pass forgets what was asked for: another test looks at it.
func (k *turnTest) pass() { k.got = nil }

// streaming brings the turn to its next step, with its stream open.
func (k *turnTest) streaming() *turnTest {
	k.t.Helper()
	k.in(StepPrepared{Ref: ref(k.m.ref.Step+1, 1), Request: request})
	k.wantState(Streaming)
	k.pass()
	return k
}

// answer is a whole message of the try that runs.
func (k *turnTest) answer(stop provider.StopReason, blocks ...provider.Block) {
	k.t.Helper()
	k.in(MessageAssembled{Ref: k.m.ref, Message: message(blocks...), Stop: stop, Usage: usage})
}

// results finishes n calls of the message, in order.
func (k *turnTest) results(n int) {
	k.t.Helper()
	for i := range n {
		k.in(finished(k.m.ref, reads(i), "done"))
	}
}

var (
	request = provider.Request{Model: "m", IDPrefix: "t1"}
	usage   = &provider.Usage{Input: 10, Output: 5}
)

func ref(step, attempt int) Ref { return Ref{"t1", step, attempt} }

func message(blocks ...provider.Block) provider.Message {
	return provider.Message{Role: provider.Assistant, Blocks: blocks}
}

func reads(i int) provider.ToolCall {
	id := string(rune('a' + i))
	return provider.ToolCall{ID: id, Name: "read", Arguments: []byte(`{}`), Raw: `{}`}
}

func finished(r Ref, c provider.ToolCall, text string) CallFinished {
	return CallFinished{Ref: r, Result: provider.ToolResult{Call: c.ID, Text: text}, Event: ToolFinished{Call: c.ID, OK: true, Text: text}}
}

// told is the post of events for try r.
func told(r Ref, events ...Event) Send {
	return Send{Reporter, Post{From: Turning, Ref: r, Events: events, Bytes: eventBytes(events)}}
}

func prepare(step int) Send { return Send{Supervising, PrepareStep{Ref: ref(step, 1)}} }

// opened is what sends try r of the request.
func opened(r Ref, prefix string) []Send {
	req := request
	req.IDPrefix = prefix
	open := OpenStream{Ref: r, Request: req}
	return []Send{told(r, StepStarted{}), {Assembler, open}, {Streamer, open}}
}

func kept(r Ref, stop provider.StopReason, blocks ...provider.Block) Send {
	return Send{Supervising, Commit{Facts: []any{MessageKept{Ref: r, Message: message(blocks...), Stop: stop, Usage: usage}}}}
}

func ran(r Ref, calls ...provider.ToolCall) Send {
	return Send{Executor, RunCalls{Ref: r, Calls: calls}}
}

func notRun(r Ref, text string, calls ...provider.ToolCall) Send {
	return Send{Executor, RunCalls{Ref: r, Calls: calls, Refuse: &Refusal{tools.NotRun, text + "; this call was not run"}}}
}

// ends is the end of a turn whose last try was r.
func ends(r Ref, e TurnEnded) []Send {
	return []Send{
		{Turning, SetTimer{}},
		{Supervising, Commit{
			Facts: []any{TurnClosed{Turn: "t1", Ended: e}},
			Then: []Send{
				{Reporter, Post{From: Turning, Ref: r, Events: []Event{e}, Free: true}},
			},
		}},
	}
}
