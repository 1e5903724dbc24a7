package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/script"
	"github.com/weir-agents/weir/tools"
)

const twoReads = `{"steps":[
 {"blocks":[{"text":"I look. "},
  {"call":"read_file","arguments":{"path":"a.txt"}},{"call":"read_file","arguments":{"path":"b.txt"}}]},
 {"blocks":[{"text":"They say hello and world."}]}]}`

func TestOneTurnReadsFilesAndAnswers(t *testing.T) {
	for _, dialect := range dialects {
		for _, blocking := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s blocking=%v", dialect, blocking), func(t *testing.T) {
				reg, _ := builtin(t, map[string]string{"a.txt": "hello\n", "b.txt": "world\n"})
				u := newUpstream(t, twoReads)
				s := open(t, u.client(t, dialect), pipeline.Config{Tools: reg, NoStream: blocking})
				events := run(t, s, "what do they say?")
				want := []string{
					"session_started", "turn_started", "step_started", "text_delta", "message_completed",
					"tool_started", "tool_finished", "tool_started", "tool_finished",
					"step_started", "text_delta", "message_completed", "turn_ended",
				}
				if d := cmp.Diff(want, kinds(events)); d != "" {
					t.Fatalf("events (-want +got):\n%s%s", d, lines(t, events))
				}
				end := last(t, events)
				if end.Outcome != pipeline.Completed || end.Text != "They say hello and world." || end.Steps != 2 {
					t.Errorf("the turn ended as %+v", end)
				}
				if got := lines(t, events); strings.Contains(got, canary) {
					t.Errorf("the key is in the events")
				}
				checkRules(t, events)
			})
		}
	}
}

// checkRules checks the rules of the event contract that hold for every stream.
func checkRules(t testing.TB, events []pipeline.Event) {
	t.Helper()
	var seq uint64
	open := map[string]bool{} // calls without a result
	var order []string
	over := map[string]bool{}
	for _, e := range events {
		h := e.Head()
		if h.Seq != 0 {
			if seq != 0 && h.Seq != seq+1 {
				t.Errorf("seq %d follows %d", h.Seq, seq)
			}
			seq = h.Seq
		}
		if over[h.Turn] {
			t.Errorf("%s of turn %s after its end", e.Type(), h.Turn)
		}
		switch e := e.(type) {
		case pipeline.TextDelta:
			if e.Text == "" {
				t.Error("an empty text_delta")
			}
		case pipeline.MessageCompleted:
			for _, c := range (provider.Message{Blocks: e.Blocks}).Calls() {
				open[c.ID] = true
				order = append(order, c.ID)
			}
		case pipeline.ToolStarted:
			if len(order) == 0 || order[0] != e.Call {
				t.Errorf("rule 1: call %s started, %v is due", e.Call, order)
			}
		case pipeline.ToolFinished:
			if len(order) == 0 || order[0] != e.Call {
				t.Errorf("rule 1: call %s finished, %v is due", e.Call, order)
			} else {
				order = order[1:]
			}
			if !open[e.Call] {
				t.Errorf("rule 2: a result for %s, which is not open", e.Call)
			}
			delete(open, e.Call)
		case pipeline.TurnEnded:
			over[h.Turn] = true
			if len(open) > 0 {
				t.Errorf("rule 2: calls without a result: %v", open)
			}
		}
	}
}

// waits is a read-only tool that ends when it is told to, or when ctx ends.
type waits struct {
	name  string
	class tools.Class
	gate  func(call tools.Call) <-chan struct{}
}

func (w waits) Spec() tools.Spec {
	return tools.Spec{Name: w.name, Description: "waits", Schema: []byte(`{"type":"object"}`), Class: w.class}
}

func (w waits) Run(ctx context.Context, call tools.Call) tools.Result {
	select {
	case <-w.gate(call):
		return tools.Result{Text: "waited"}
	case <-ctx.Done():
		return tools.Result{Kind: tools.Canceled, Text: "stopped"}
	}
}

// B040: results of parallel calls come out in call order, whatever ends first.
func TestB040ParallelReadsOverlapAndComeOutInCallOrder(t *testing.T) {
	gates := map[string]chan struct{}{}
	var mu sync.Mutex
	running, all := 0, make(chan struct{})
	tool := waits{name: "look", class: tools.ReadOnly, gate: func(c tools.Call) <-chan struct{} {
		mu.Lock()
		defer mu.Unlock()
		g := make(chan struct{})
		gates[c.ID] = g
		if running++; running == 4 {
			close(all)
		}
		return g
	}}
	calls := make([]string, 4)
	for i := range calls {
		calls[i] = fmt.Sprintf(`{"call":"look","id":"c%d"}`, i)
	}
	p := script.New(parse(t, `{"steps":[{"blocks":[`+strings.Join(calls, ",")+`]},"done"]}`))
	s := open(t, p, pipeline.Config{Tools: registry(t, tool)})
	go func() { // ends when all four run: they really overlap
		<-all
		mu.Lock()
		defer mu.Unlock()
		for _, id := range []string{"c3", "c2", "c1", "c0"} { // the slowest is the first
			close(gates[id])
		}
	}()
	events := run(t, s, "go")
	checkRules(t, events)
	var ids []string
	for _, e := range events {
		if f, ok := e.(pipeline.ToolFinished); ok {
			ids = append(ids, f.Call)
			if f.StartedAt == nil || f.DurationMS < 0 {
				t.Errorf("call %s does not say when it ran", f.Call)
			}
		}
	}
	if d := cmp.Diff([]string{"c0", "c1", "c2", "c3"}, ids); d != "" {
		t.Errorf("order (-want +got):\n%s", d)
	}
	req := p.Requests()[1].Messages
	var results []string
	for _, b := range req[len(req)-1].Blocks {
		results = append(results, b.(provider.ToolResult).Call)
	}
	if d := cmp.Diff(ids, results); d != "" {
		t.Errorf("the next request has the results in another order:\n%s", d)
	}
}

// An exec or mutating call never overlaps anything.
func TestExclusiveCallsRunAlone(t *testing.T) {
	var mu sync.Mutex
	var running []string
	var worst []string
	enter := func(name string) func(tools.Call) <-chan struct{} {
		return func(tools.Call) <-chan struct{} {
			mu.Lock()
			running = append(running, name)
			if strings.Contains(strings.Join(running, " "), "write") && len(running) > 1 {
				worst = append([]string(nil), running...)
			}
			mu.Unlock()
			done := make(chan struct{})
			close(done)
			return done
		}
	}
	leave := func(_ context.Context, c tools.Call, r tools.Result) tools.Result {
		mu.Lock()
		defer mu.Unlock()
		for i, name := range running {
			if name == c.Name {
				running = append(running[:i], running[i+1:]...)
				break
			}
		}
		return r
	}
	reg := registry(t, waits{"read", tools.ReadOnly, enter("read")}, waits{"write", tools.Mutating, enter("write")})
	p := script.New(parse(t, `{"steps":[{"blocks":[{"call":"read"},{"call":"write"},{"call":"read"},{"call":"read"},{"call":"write"},{"call":"write"},{"call":"read"}]},"done"]}`))
	s := open(t, p, pipeline.Config{Tools: reg, Policy: bypass{}, Hooks: pipeline.Hooks{AfterCall: leave}})
	events := run(t, s, "go")
	checkRules(t, events)
	if worst != nil {
		t.Errorf("ran side by side: %v", worst)
	}
}

// B041: a failing call does not take its siblings with it.
func TestB041AFailingReadLeavesItsSiblingsAlone(t *testing.T) {
	reg, _ := builtin(t, map[string]string{"a.txt": "A\n", "b.txt": "B\n", "c.txt": "C\n"})
	p := script.New(parse(t, `{"steps":[{"blocks":[
	 {"call":"read_file","arguments":{"path":"a.txt"}},{"call":"read_file","arguments":{"path":"missing"}},
	 {"call":"read_file","arguments":{"path":"b.txt"}},{"call":"read_file","arguments":{"path":"c.txt"}}]},"done"]}`))
	events := run(t, open(t, p, pipeline.Config{Tools: reg}), "go")
	checkRules(t, events)
	var got []bool
	for _, e := range events {
		if f, ok := e.(pipeline.ToolFinished); ok {
			got = append(got, f.OK)
		}
	}
	if d := cmp.Diff([]bool{true, false, true, true}, got); d != "" {
		t.Errorf("results (-want +got):\n%s", d)
	}
}

// What is not read-only is denied without a policy, and the model is told.
func TestWithoutAPolicyOnlyReadingIsAllowed(t *testing.T) {
	reg, dir := builtin(t, nil)
	p := script.New(parse(t, `{"steps":[{"blocks":[{"call":"bash","arguments":{"command":"touch made"}}]},"done"]}`))
	events := run(t, open(t, p, pipeline.Config{Tools: reg}), "go")
	for _, e := range events {
		if f, ok := e.(pipeline.ToolFinished); ok {
			if f.ErrorKind != string(tools.Denied) || f.StartedAt != nil || !strings.Contains(f.Text, "only reading") {
				t.Errorf("the call ended as %+v", f)
			}
		}
		if _, ok := e.(pipeline.ToolStarted); ok {
			t.Error("a denied call has a tool_started")
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "made")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the denied command ran: %v", err)
	}
}
