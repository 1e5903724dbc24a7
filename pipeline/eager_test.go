package pipeline_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider/script"
	"github.com/weir-agents/weir/tools"
)

// Eager: a permitted read-only call runs while the model still streams, and
// shows nothing before its message is complete.
func TestEagerStartsAReadWhileTheModelStreams(t *testing.T) {
	u := newUpstream(t, `{"steps":[{"blocks":[{"call":"look","id":"a"},{"call":"look","id":"b"},{"text":["still ",{"gate":"open"},"talking"]}]},"done"]}`)
	started := make(chan struct{}, 2)
	look := waits{"look", tools.ReadOnly, func(tools.Call) <-chan struct{} { started <- struct{}{}; return now() }}
	s := open(t, u.client(t, "anthropic"), pipeline.Config{Tools: registry(t, look), Limits: pipeline.Limits{Eager: true}})
	go func() { // ends when both calls run: the model waits for that
		<-started
		<-started
		u.Open("open")
	}()
	events := run(t, s, "go")
	checkRules(t, events)
	want := []string{
		"session_started", "turn_started", "step_started", "text_delta", "message_completed",
		"tool_started", "tool_finished", "tool_started", "tool_finished",
		"step_started", "text_delta", "message_completed", "turn_ended",
	}
	if d := cmp.Diff(want, kinds(events)); d != "" {
		t.Errorf("events (-want +got):\n%s", d)
	}
}

// Only reading is early, and nothing behind a call that must run alone.
func TestEagerLeavesOtherCallsAlone(t *testing.T) {
	u := newUpstream(t, `{"steps":[{"blocks":[{"call":"write"},{"call":"look"},{"text":["still ",{"gate":"open"},"talking"]}]},"done"]}`)
	var early atomic.Int32
	gate := make(chan struct{})
	note := func(tools.Call) <-chan struct{} {
		select {
		case <-gate:
		default:
			early.Add(1)
		}
		return now()
	}
	s := open(t, u.client(t, "anthropic"), pipeline.Config{
		Policy: bypass{}, Limits: pipeline.Limits{Eager: true},
		Tools: registry(t, waits{"write", tools.Mutating, note}, waits{"look", tools.ReadOnly, note}),
	})
	for e, err := range s.Run(t.Context(), "go") {
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := e.(pipeline.TextDelta); ok && e.Head().Step == 1 {
			select {
			case <-gate:
			default:
				close(gate)
				u.Open("open")
			}
		}
	}
	if n := early.Load(); n != 0 {
		t.Errorf("%d calls ran before their message was complete", n)
	}
}

// A try that fails takes its early calls with it before the next try is asked.
func TestEagerCallsOfAFailedTryAreStoppedAndVoid(t *testing.T) {
	p := script.New(parse(t, `{"steps":[{"attempts":[
	 {"blocks":[{"call":"look","id":"a","arguments":{"n":1}},{"text":["half ",{"gate":"open"},{"fault":"cut"}]}]},
	 {"blocks":[{"call":"look","id":"a","arguments":{"n":2}}]}]},"done"]}`))
	running := make(chan struct{})
	var ended atomic.Bool
	var order []string
	hooks := pipeline.Hooks{
		BeforeCall: func(ctx context.Context, c tools.Call) *tools.Result {
			if strings.Contains(string(c.Arguments), "1") {
				close(running)
				<-ctx.Done()
				ended.Store(true)
			}
			return nil
		},
	}
	look := waits{"look", tools.ReadOnly, func(tools.Call) <-chan struct{} { return now() }}
	s := open(t, p, pipeline.Config{
		Tools: registry(t, look), Hooks: hooks,
		Limits: pipeline.Limits{Eager: true, RetryBase: 1, RetryCap: 1},
	})
	go func() { // ends when the early call runs
		<-running
		p.Open("open")
	}()
	for e, err := range s.Run(t.Context(), "go") {
		if err != nil {
			t.Fatal(err)
		}
		switch e := e.(type) {
		case pipeline.StreamFailed:
			if !ended.Load() {
				t.Error("the early call of the failed try still runs")
			}
		case pipeline.ToolStarted:
			order = append(order, string(e.Arguments))
		}
	}
	if d := cmp.Diff([]string{`{"n":2}`}, order); d != "" {
		t.Errorf("calls shown (-want +got):\n%s", d)
	}
}

// A cancel stops early calls too.
func TestEagerCallsEndWithACancel(t *testing.T) {
	p := script.New(parse(t, `{"select":"sequence","steps":[{"blocks":[{"call":"look"},{"text":["half ",{"gate":"never"},"rest"]}]},"fine"]}`))
	running := make(chan struct{})
	stuck := waits{"look", tools.ReadOnly, func(tools.Call) <-chan struct{} { close(running); return nil }}
	s := open(t, p, pipeline.Config{Tools: registry(t, stuck), Limits: pipeline.Limits{Eager: true}})
	for e, err := range s.Run(t.Context(), "go") {
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := e.(pipeline.TextDelta); ok {
			await(t, running)
			s.Cancel(pipeline.CancelNow)
		}
		if end, ok := e.(pipeline.TurnEnded); ok && end.Outcome != pipeline.Canceled {
			t.Errorf("the turn ended as %+v", end)
		}
	}
	if end := last(t, run(t, s, "again")); end.Text != "fine" {
		t.Errorf("the next turn ended as %+v", end)
	}
}
