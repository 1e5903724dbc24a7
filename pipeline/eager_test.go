package pipeline_test

import (
	"context"
	"os"
	"path/filepath"
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

// What an early call of a failed try has read the model never saw: a file that
// has changed is not edited on its account, and its plan is nobody's. What an
// early call that counts has read, it did see.
func TestEagerCallsOfAFailedTryLeaveNothingInTheSession(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "f"), []byte(text), 0o600); err != nil {
			t.Error(err)
		}
	}
	write("alpha\nbeta\n")
	ws, err := tools.OpenWorkspace(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	p := script.New(parse(t, `{"steps":[{"blocks":[{"call":"read_file","arguments":{"path":"f"}}]},{"blocks":[{"call":"change"}]},{"attempts":[
	 {"blocks":[{"call":"todo","arguments":{"items":[{"text":"no","state":"open"}]}},{"call":"read_file","arguments":{"path":"f"}},{"text":["half ",{"gate":"void"},{"fault":"cut"}]}]},
	 {"blocks":[{"call":"edit_file","arguments":{"path":"f","edits":[{"old":"alpha","new":"A"}]}}]}]},
	 {"blocks":[{"call":"todo","arguments":{"items":[{"text":"yes","state":"open"}]}},{"call":"read_file","arguments":{"path":"f"}},{"text":["and ",{"gate":"kept"},"on"]}]},
	 {"blocks":[{"call":"edit_file","arguments":{"path":"f","edits":[{"old":"alpha","new":"A"}]}}]},"done"]}`))
	change := waits{"change", tools.Mutating, func(tools.Call) <-chan struct{} { write("alpha\nnew\n"); return now() }}
	var scope *tools.Scope
	reads := 0
	s := open(t, p, pipeline.Config{
		Policy: bypass{}, Tools: registry(t, append(tools.Builtin(ws, tools.Config{}), change)...),
		Hooks: pipeline.Hooks{AfterCall: func(_ context.Context, c tools.Call, r tools.Result) tools.Result {
			scope = c.Scope
			if c.Name == "read_file" {
				reads++
				p.Open([]string{"", "void", "kept"}[reads-1])
			}
			return r
		}},
		Limits: pipeline.Limits{Eager: true, ParallelCalls: 1, RetryBase: 1, RetryCap: 1},
	})
	var edits []string
	for _, e := range run(t, s, "go") {
		if e, ok := e.(pipeline.ToolFinished); ok && e.Name == "edit_file" {
			first, _, _ := strings.Cut(e.Text, "\n")
			edits = append(edits, first)
		}
	}
	want := []string{"f: changed since you read it; nothing was written: read it again, then decide", "f: edited, 1 place replaced"}
	if d := cmp.Diff(want, edits); d != "" {
		t.Errorf("edits (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]tools.TodoItem{{Text: "yes", State: "open"}}, tools.Todo(scope)); d != "" {
		t.Errorf("plan (-want +got):\n%s", d)
	}
}
