package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/journal"
	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/script"
	"github.com/weir-agents/weir/provider/sim"
	"github.com/weir-agents/weir/tools"
)

// large is a tool whose result is a few hundred tokens.
func large(t testing.TB) *tools.Registry {
	return registry(t, waitsNot{strings.Repeat("a line of the result\n", 80)})
}

// waitsNot is a read-only tool that answers at once.
type waitsNot struct{ text string }

func (w waitsNot) Spec() tools.Spec {
	return tools.Spec{Name: "look", Description: "looks", Class: tools.ReadOnly, Schema: []byte(`{"type":"object"}`)}
}

func (w waitsNot) Run(context.Context, tools.Call) tools.Result { return tools.Result{Text: w.text} }

func isSummary(req provider.Request) bool { return strings.HasPrefix(req.IDPrefix, "compact_") }

// looking is a model that calls look for so many steps of each turn, and then
// answers; it counts by what it is asked, whatever the history.
func looking(steps int, summary func() script.Step) func(provider.Request) script.Step {
	step := 0
	return func(req provider.Request) script.Step {
		if strings.HasPrefix(req.System, "sum up") {
			return summary()
		}
		if step++; step%(steps+1) == 0 {
			return says("all seen")
		}
		return script.Step{Blocks: []script.Block{script.Call{Name: "look"}}}
	}
}

func summed() script.Step { return says("it was so") }

func codes(events []pipeline.Event) (all []string) {
	for _, e := range events {
		if n, ok := e.(pipeline.Notice); ok {
			all = append(all, n.Code)
		}
	}
	return all
}

func history(t testing.TB, s *pipeline.Session) []provider.Message {
	t.Helper()
	messages, err := s.History(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return messages
}

// B037: fifty steps with tools in a window that holds a few of them, against a
// server that refuses what a strict vendor does.
func TestB037ALongTurnInASmallWindow(t *testing.T) {
	for _, dialect := range dialects {
		t.Run(dialect, func(t *testing.T) {
			u := &upstream{Server: sim.New(script.Script{Loop: script.LoopLast, Steps: []script.Step{{Func: narrow(7000, looking(49, summed))}}}, sim.Config{})}
			u.http = httptest.NewServer(u.Server)
			t.Cleanup(u.http.Close)
			s := open(t, u.client(t, dialect), pipeline.Config{
				Tools: large(t), Compaction: pipeline.Compaction{ContextTokens: 5000, Prompt: "sum up"}, Limits: pipeline.Limits{Repeats: 1000},
			})
			events := run(t, s, "look fifty times")
			checkRules(t, events)
			if end := last(t, events); end.Outcome != pipeline.Completed || end.Steps != 50 {
				t.Fatalf("the turn ended as %+v", end)
			}
			if got := codes(events); !slices.Contains(got, "compacted") || slices.Contains(got, "compact_failed") {
				t.Errorf("notices %v", got)
			}
			if err := provider.CheckHistory(history(t, s)); err != nil {
				t.Error(err)
			}
			for _, e := range events {
				if f, ok := e.(pipeline.StreamFailed); ok {
					t.Errorf("a request was refused: %+v", f)
				}
			}
		})
	}
}

// B035: while a call is pending nothing changes the history, and the session
// stays usable. As soon as the end of the turn has been read it is free.
func TestB035TheHistoryIsLeftAloneWhileACallIsPending(t *testing.T) {
	var s *pipeline.Session
	pending := func(ctx context.Context, _ tools.Call) *tools.Result {
		if err := s.Compact(ctx); !errors.Is(err, pipeline.ErrBusy) || !strings.Contains(err.Error(), "a turn is running") {
			t.Errorf("compact within a turn: %v", err)
		}
		if err := s.ReplaceHistory(ctx, nil); !errors.Is(err, pipeline.ErrBusy) {
			t.Errorf("replace within a turn: %v", err)
		}
		return nil
	}
	s = open(t, answering(looking(1, summed)), pipeline.Config{
		Tools: large(t), Hooks: pipeline.Hooks{BeforeCall: pending}, Compaction: pipeline.Compaction{Prompt: "sum up"},
	})
	for turn := range 50 {
		if end := last(t, run(t, s, "look")); end.Outcome != pipeline.Completed {
			t.Fatalf("turn %d ended as %+v", turn, end)
		}
		if err := s.Compact(t.Context()); err != nil {
			t.Fatalf("compact after turn %d: %v", turn, err)
		}
		if got := roles(history(t, s)); got != "S" {
			t.Fatalf("the history is %q", got)
		}
	}
	if err := s.Compact(t.Context()); !errors.Is(err, pipeline.ErrNothing) {
		t.Errorf("compact a summary: %v", err)
	}
}

func TestAFailedCompactionLeavesTheHistory(t *testing.T) {
	refuse := func() script.Step {
		return script.Step{Blocks: []script.Block{script.Fault{Kind: script.HTTP, Status: 401, Message: "no such key"}}}
	}
	s := open(t, answering(looking(3, refuse)), pipeline.Config{Tools: large(t), Compaction: pipeline.Compaction{ContextTokens: 1500, Prompt: "sum up"}})
	events := run(t, s, "look")
	if end := last(t, events); end.Outcome != pipeline.Completed || end.Steps != 4 {
		t.Errorf("the turn ended as %+v", end)
	}
	if got := codes(events); len(got) == 0 || slices.Contains(got, "compacted") || len(got) > 3 {
		t.Errorf("notices %v, want compact_failed, not at every step", got)
	}
	before := history(t, s)
	if err := s.Compact(t.Context()); err == nil || !strings.Contains(err.Error(), "no such key") {
		t.Errorf("compact: %v", err)
	}
	if d := cmp.Diff(before, history(t, s)); d != "" || roles(before) != "uatatata" {
		t.Errorf("the history has changed (-before +after):\n%s", d)
	}
}

// gated is a summary that waits at a gate of its own each time it is asked for.
func gated() func() script.Step {
	n := 0
	return func() script.Step {
		n++
		return script.Step{Blocks: []script.Block{script.Text{Text: "it "}, script.Gate(fmt.Sprint("g", n))}}
	}
}

// A cancel stops a compaction that somebody asked for, at once, and leaves the
// history.
func TestACancelStopsACompaction(t *testing.T) {
	p := answering(looking(1, gated()))
	s := open(t, p, pipeline.Config{Tools: large(t), Compaction: pipeline.Compaction{Prompt: "sum up"}})
	run(t, s, "look")
	before := history(t, s)
	for n, stop := range []func(context.CancelFunc){
		func(context.CancelFunc) { await(t, s.Cancel(pipeline.CancelNow)) },
		func(end context.CancelFunc) { end() },
	} {
		ctx, end := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.Compact(ctx) }()
		await(t, p.Reached(fmt.Sprint("g", n+1)))
		if err := s.Compact(t.Context()); !errors.Is(err, pipeline.ErrBusy) {
			t.Errorf("%d: a second compaction: %v", n, err)
		}
		stop(end)
		if err := await(t, done); !errors.Is(err, pipeline.ErrStopped) && !errors.Is(err, context.Canceled) {
			t.Errorf("%d: %v", n, err)
		}
		end()
		if d := cmp.Diff(before, history(t, s)); d != "" {
			t.Errorf("%d: the history has changed:\n%s", n, d)
		}
	}
	if end := last(t, run(t, s, "look")); end.Outcome != pipeline.Completed {
		t.Errorf("the next turn ended as %+v", end)
	}
}

// So does one of a turn whose next step waits for a compaction.
func TestACancelStopsACompactionBeforeAStep(t *testing.T) {
	p := answering(looking(9, gated()))
	s := open(t, p, pipeline.Config{Tools: large(t), Compaction: pipeline.Compaction{ContextTokens: 1500, Prompt: "sum up"}})
	go func() { // ends with the gate, which the turn comes to
		<-p.Reached("g1")
		s.Cancel(pipeline.CancelNow)
	}()
	events := run(t, s, "look")
	if end := last(t, events); end.Outcome != pipeline.Canceled || len(codes(events)) > 0 {
		t.Errorf("the turn ended as %+v with notices %v", end, codes(events))
	}
	if err := provider.CheckHistory(history(t, s)); err != nil {
		t.Error(err)
	}
}

// So does the turn's time limit.
func TestATimeLimitStopsACompactionBeforeAStep(t *testing.T) {
	p := answering(looking(9, gated()))
	s := open(t, p, pipeline.Config{
		Tools: large(t), Compaction: pipeline.Compaction{ContextTokens: 1500, Prompt: "sum up"}, Limits: pipeline.Limits{TurnTime: 200 * time.Millisecond},
	})
	if end := last(t, run(t, s, "look")); end.Outcome != pipeline.Limited || end.Limit != "time" {
		t.Errorf("the turn ended as %+v", end)
	}
}

func TestCloseStopsACompaction(t *testing.T) {
	p := answering(looking(1, gated()))
	s := open(t, p, pipeline.Config{Tools: large(t), Compaction: pipeline.Compaction{Prompt: "sum up"}})
	run(t, s, "look")
	done := make(chan error, 1)
	go func() { done <- s.Compact(t.Context()) }()
	await(t, p.Reached("g1"))
	s.Close()
	if err := await(t, done); !errors.Is(err, pipeline.ErrClosed) {
		t.Errorf("compact: %v", err)
	}
}

// Prompts that come while a compaction runs are answered after it.
func TestAPromptWaitsForACompaction(t *testing.T) {
	p := answering(looking(0, func() script.Step {
		return script.Step{Blocks: []script.Block{script.Gate("g"), script.Text{Text: "it was so"}}}
	}))
	s := open(t, p, pipeline.Config{Compaction: pipeline.Compaction{Prompt: "sum up"}})
	run(t, s, "hi")
	done := make(chan error, 1)
	go func() { done <- s.Compact(t.Context()) }()
	await(t, p.Reached("g"))
	if _, err := s.Post(t.Context(), "and now?"); err != nil {
		t.Fatal(err)
	}
	p.Open("g")
	if err := await(t, done); err != nil {
		t.Fatal(err)
	}
	for e, err := range s.Events(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := e.(pipeline.TurnEnded); ok {
			break
		}
	}
	if got := roles(history(t, s)); got != "Sua" {
		t.Errorf("the history is %q", got)
	}
}

// A model that refuses a request as too long, against the estimate, gets it once
// more with a shorter history.
func TestARequestThatTheModelFindsTooLongIsMadeShorter(t *testing.T) {
	for name, c := range map[string]struct {
		window int
		want   pipeline.Outcome
	}{"then it fits": {4000, pipeline.Completed}, "it never fits": {1, pipeline.Failed}} {
		t.Run(name, func(t *testing.T) {
			step := 0
			p := answering(func(req provider.Request) script.Step {
				if isSummary(req) {
					return summed()
				}
				return narrow(c.window, func(provider.Request) script.Step {
					if step++; step > 20 {
						return says("all seen")
					}
					return script.Step{Blocks: []script.Block{script.Call{Name: "look"}}}
				})(req)
			})
			s := open(t, p, pipeline.Config{Tools: large(t), Limits: pipeline.Limits{Repeats: 1000}})
			if c.window == 1 {
				if err := s.ReplaceHistory(t.Context(), []provider.Message{userSays(strings.Repeat("hi ", 3000)), modelSays("hello")}); err != nil {
					t.Fatal(err)
				}
			}
			events := run(t, s, "look")
			checkRules(t, events)
			if end := last(t, events); end.Outcome != c.want || end.Error != nil && end.Error.Kind != "http_error" {
				t.Errorf("the turn ended as %+v %+v", end, end.Error)
			}
			retries, told := 0, 0
			for _, e := range events {
				switch e.(type) {
				case pipeline.RetryScheduled:
					retries++
				case pipeline.StreamFailed:
					told++
				}
			}
			want := slices.Repeat([]string{"compacted"}, retries)
			if c.want == pipeline.Failed {
				want = append(want, "context")
			}
			if d := cmp.Diff(want, codes(events)); retries == 0 || d != "" {
				t.Errorf("%d retries, %d failures, notices (-want +got):\n%s", retries, told, d)
			}
		})
	}
}

func TestReplaceHistory(t *testing.T) {
	record := &journal.Memory{AsDurable: true}
	s := open(t, answering(looking(0, summed)), pipeline.Config{Journal: record})
	if err := s.ReplaceHistory(t.Context(), []provider.Message{modelSays("hello")}); err == nil || !strings.Contains(err.Error(), "begins with a user's message") {
		t.Errorf("a history that no model takes: %v", err)
	}
	given := []provider.Message{userSays("my name is Ada"), modelSays("hello Ada")}
	if err := s.ReplaceHistory(t.Context(), given); err != nil {
		t.Fatal(err)
	}
	run(t, s, "what is my name?")
	if d := cmp.Diff(append(given, userSays("what is my name?"), modelSays("all seen")), history(t, s)); d != "" {
		t.Errorf("the history (-want +got):\n%s", d)
	}
	var kinds []string
	for r, err := range record.Read(t.Context(), s.ID(), 1) {
		if err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, r.Kind)
	}
	if !slices.Contains(kinds, "history_replaced") || slices.Index(kinds, "history_replaced") > slices.Index(kinds, "message_kept") {
		t.Errorf("the journal has %v", kinds)
	}
	s.Close()
	if _, err := s.History(t.Context()); !errors.Is(err, pipeline.ErrClosed) {
		t.Errorf("the history of a closed session: %v", err)
	}
}

// What fills the window is told by role, and the estimate follows what the model
// reports.
func TestUsageSaysWhatFillsTheWindow(t *testing.T) {
	input := 9000
	p := answering(func(provider.Request) script.Step {
		step := says("hello")
		step.Usage = &provider.Usage{Input: input, Output: 3}
		return step
	})
	s := open(t, p, pipeline.Config{Model: "openai/gpt-4o-mini", System: strings.Repeat("be good ", 3000), Tools: large(t)})
	before, err := s.Usage(t.Context())
	if err != nil || before.System != 6000 || before.Window != 128_000 || before.Tools == 0 || before.User != 0 || before.Reported != nil {
		t.Fatalf("before: %+v, %v", before, err)
	}
	run(t, s, "hi")
	after, err := s.Usage(t.Context())
	if err != nil || after.Messages != 2 || after.Reported.Input != input || after.System <= 8000 || after.System >= 9000 {
		t.Errorf("after: %+v, %v", after, err)
	}
	if after.Total != after.System+after.Tools+after.User+after.Assistant+after.Results || after.User == 0 || after.Assistant == 0 {
		t.Errorf("after: %+v", after)
	}
	if _, err := pipeline.New(p, pipeline.Config{Compaction: pipeline.Compaction{At: 2}}); err == nil || !strings.Contains(err.Error(), "At is 2") {
		t.Errorf("a share of 2: %v", err)
	}
}

func TestContextTokensByTheNameOfTheModel(t *testing.T) {
	for model, want := range map[string]int{
		"gpt-4o-mini": 128_000, "gpt-4-0613": 8_192, "gpt-4.1-nano": 1_047_576, "openai/gpt-5-mini": 400_000, "GPT-5-chat-latest": 128_000,
		"claude-sonnet-4-5": 200_000, "models/gemini-2.5-pro": 1_048_576, "o3-mini": 200_000, "my-own": 128_000, "": 128_000,
	} {
		if got := pipeline.ContextTokens(model); got != want {
			t.Errorf("%q: %d, want %d", model, got, want)
		}
	}
}
