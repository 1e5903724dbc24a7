package pipeline_test

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"go.uber.org/goleak"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/script"
	"github.com/weir-agents/weir/tools"
)

// echo answers each prompt with its own words, piece by piece.
type echo struct{ pieces int }

func (e echo) Stream(_ context.Context, req provider.Request) iter.Seq2[provider.Delta, error] {
	return func(yield func(provider.Delta, error) bool) {
		prompt := req.Messages[len(req.Messages)-1].Text()
		for i := range e.pieces {
			if !yield(provider.Delta{Kind: provider.TextDelta, Text: fmt.Sprintf("%s:%d ", prompt, i)}, nil) {
				return
			}
		}
		yield(provider.Delta{Kind: provider.FinishDelta, Stop: provider.StopEnd}, nil)
	}
}

func (e echo) want(prompt string) string {
	var b strings.Builder
	for i := range e.pieces {
		fmt.Fprintf(&b, "%s:%d ", prompt, i)
	}
	return b.String()
}

func TestManySessionsAtOnceKeepTheirTexts(t *testing.T) {
	p := echo{pieces: 500}
	line, err := pipeline.New(p, pipeline.Config{PanicOnRefusal: true})
	if err != nil {
		t.Fatal(err)
	}
	defer line.Close()
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			s, err := line.Open("")
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			for turn := range 3 {
				prompt := fmt.Sprintf("s%d.%d", i, turn)
				got := text(run(t, s, prompt))
				if got != p.want(prompt) {
					t.Errorf("session %d got %d bytes, want %d", i, len(got), len(p.want(prompt)))
				}
			}
		})
	}
	wg.Wait()
}

// An open session that is idle has five actors under its own and no goroutine.
func TestAnIdleSessionHasFiveActorsAndNoGoroutine(t *testing.T) {
	system := pipeline.NewActorSystem()
	s := open(t, echo{1}, pipeline.Config{ActorSystem: system})
	run(t, s, "warm up")
	if got := children(system, s); got != 5 {
		t.Errorf("%d actors under the session's own, want 5", got)
	}
	goleak.VerifyNone(t)
}

// children counts the live actors below the session's PID by their ids.
func children(system *actor.ActorSystem, s *pipeline.Session) int {
	n := 0
	for _, shard := range system.ProcessRegistry.LocalPIDs.LocalPIDs {
		for _, id := range shard.Keys() {
			if strings.HasPrefix(id, s.PID().Id+"/") {
				n++
			}
		}
	}
	return n
}

func TestClosingASessionLeavesNothing(t *testing.T) {
	system := pipeline.NewActorSystem()
	before := runtime.NumGoroutine()
	for range 20 {
		s := open(t, echo{3}, pipeline.Config{ActorSystem: system})
		run(t, s, "x")
		s.Close()
		if got := children(system, s); got != 0 {
			t.Fatalf("%d actors live on", got)
		}
	}
	goleak.VerifyNone(t)
	if after := runtime.NumGoroutine(); after > before+2 {
		t.Errorf("%d goroutines, %d before", after, before)
	}
}

// panics is a provider that panics on its first request.
type panics struct {
	once sync.Once
	echo
}

func (p *panics) Stream(ctx context.Context, req provider.Request) iter.Seq2[provider.Delta, error] {
	first := false
	p.once.Do(func() { first = true })
	if !first {
		return p.echo.Stream(ctx, req)
	}
	return func(yield func(provider.Delta, error) bool) {
		yield(provider.Delta{Kind: provider.TextDelta, Text: "half"}, nil)
		panic("no such weights")
	}
}

func TestAPanicInAProviderFailsItsTurnOnly(t *testing.T) {
	s := open(t, &panics{echo: echo{2}}, pipeline.Config{})
	end := last(t, run(t, s, "go"))
	if end.Outcome != pipeline.Failed || end.Error.Kind != "panic" || !strings.Contains(end.Error.Message, "no such weights") {
		t.Errorf("the turn ended as %+v", end)
	}
	if end := last(t, run(t, s, "again")); end.Outcome != pipeline.Completed {
		t.Errorf("the next turn ended as %+v", end)
	}
}

// explodes is a tool that panics.
type explodes struct{ waits }

func (explodes) Run(context.Context, tools.Call) tools.Result { panic("tool fell over") }

func TestAPanicInAToolIsThatCallsResult(t *testing.T) {
	reg := registry(t, explodes{waits{name: "bad"}}, waits{"good", tools.ReadOnly, func(tools.Call) <-chan struct{} { return now() }})
	p := script.New(parse(t, `{"steps":[{"blocks":[{"call":"bad"},{"call":"good"}]},"done"]}`))
	events := run(t, open(t, p, pipeline.Config{Tools: reg}), "go")
	var got []string
	for _, e := range events {
		if f, ok := e.(pipeline.ToolFinished); ok {
			got = append(got, f.Name+" "+f.ErrorKind+" "+f.Text)
		}
	}
	if want := "[bad panic the tool panicked: tool fell over good  waited]"; fmt.Sprint(got) != want {
		t.Errorf("results %v, want %v", got, want)
	}
	if end := last(t, events); end.Outcome != pipeline.Completed {
		t.Errorf("the turn ended as %+v", end)
	}
}

// A tool that does not stop when told is given up after a grace.
func TestAToolThatBlocksForEverHarmsOnlyItsCall(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	blocked := make(chan struct{})
	reg := registry(t, deaf{waits{name: "deaf"}, blocked, release})
	p := script.New(parse(t, `{"select":"sequence","steps":[{"blocks":[{"call":"deaf"}]},"fine"]}`))
	s := open(t, p, pipeline.Config{Tools: reg, Limits: pipeline.Limits{StopGrace: 50 * time.Millisecond}})
	for e, err := range s.Run(t.Context(), "go") {
		if err != nil {
			t.Fatal(err)
		}
		switch e := e.(type) {
		case pipeline.ToolStarted:
			await(t, blocked)
			s.Cancel(pipeline.CancelNow)
		case pipeline.ToolFinished:
			if e.ErrorKind != "canceled" || !strings.Contains(e.Text, "given up") {
				t.Errorf("the call ended as %+v", e)
			}
		}
	}
	if end := last(t, run(t, s, "again")); end.Text != "fine" {
		t.Errorf("the next turn ended as %+v", end)
	}
}

type deaf struct {
	waits
	blocked, release chan struct{}
}

func (d deaf) Run(context.Context, tools.Call) tools.Result {
	close(d.blocked)
	<-d.release
	return tools.Result{Text: "too late"}
}

// A nonsense message makes a machine of ours panic: the turn fails once, its
// calls have results, and the session goes on with five new actors.
func TestAPanicOfOursFailsTheTurnAndTheSessionGoesOn(t *testing.T) {
	system := pipeline.NewActorSystem()
	for _, stage := range []string{"streamer", "assembler", "turn", "executor", "reporter"} {
		t.Run(stage, func(t *testing.T) {
			inTool := make(chan struct{})
			stuck := func(tools.Call) <-chan struct{} { close(inTool); return nil }
			p := script.New(parse(t, `{"select":"sequence","steps":[{"blocks":[{"text":"I look"},{"call":"stuck"}]},"fine"]}`))
			s := open(t, p, pipeline.Config{ActorSystem: system, Tools: registry(t, waits{"stuck", tools.ReadOnly, stuck})})
			var events []pipeline.Event
			for e, err := range s.Run(t.Context(), "go") {
				if err != nil {
					t.Fatal(err)
				}
				events = append(events, e)
				if _, ok := e.(pipeline.ToolStarted); ok {
					await(t, inTool)
					system.Root.Send(actor.NewPID(s.PID().Address, childID(t, system, s, stage)), "nonsense")
				}
			}
			checkRules(t, events)
			end := last(t, events)
			if end.Outcome != pipeline.Failed || end.Error.Kind != "panic" || !strings.Contains(end.Error.Message, stage) {
				t.Errorf("the turn ended as %+v", end)
			}
			if end := last(t, run(t, s, "again")); end.Text != "fine" {
				t.Errorf("the next turn ended as %+v", end)
			}
			if got := children(system, s); got != 5 {
				t.Errorf("%d actors after the crash, want 5", got)
			}
		})
	}
}

// childID finds the actor of a stage: the five are spawned in the order of the stages.
func childID(t *testing.T, system *actor.ActorSystem, s *pipeline.Session, stage string) string {
	t.Helper()
	for _, shard := range system.ProcessRegistry.LocalPIDs.LocalPIDs {
		for _, id := range shard.Keys() {
			if strings.HasPrefix(id, s.PID().Id+"/"+stage) {
				return id
			}
		}
	}
	t.Fatalf("no actor of stage %s", stage)
	return ""
}

func TestOneLoopAtATimeReads(t *testing.T) {
	s := open(t, echo{1}, pipeline.Config{})
	for e, err := range s.Run(t.Context(), "go") {
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := e.(pipeline.TurnStarted); ok {
			for _, err := range s.Run(t.Context(), "me too") {
				if err != pipeline.ErrReading {
					t.Errorf("a second loop got %v", err)
				}
			}
		}
	}
}

func TestPostQueuesAndJoinsTheNextStep(t *testing.T) {
	asked := make(chan struct{})
	goOn := make(chan struct{})
	look := waits{"look", tools.ReadOnly, func(tools.Call) <-chan struct{} { close(asked); return goOn }}
	p := script.New(parse(t, `{"steps":[{"blocks":[{"call":"look"}]},"both answered"]}`))
	s := open(t, p, pipeline.Config{Tools: registry(t, look), Limits: pipeline.Limits{Prompts: 1}})
	var events []pipeline.Event
	for e, err := range s.Run(t.Context(), "first") {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
		if _, ok := e.(pipeline.ToolStarted); ok {
			await(t, asked)
			if _, err := s.Post(t.Context(), "second"); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Post(t.Context(), "third"); err != pipeline.ErrBusy {
				t.Errorf("a third prompt got %v, want busy", err)
			}
			close(goOn)
		}
	}
	got := strings.Join(kinds(events), " ")
	if !strings.Contains(got, "prompt_queued") || !strings.Contains(got, "prompt_joined step_started") {
		t.Errorf("events %s", got)
	}
	msgs := p.Requests()[1].Messages
	if m := msgs[len(msgs)-1]; m.Role != provider.User || m.Text() != "second" {
		t.Errorf("the last message of the second request is %+v", m)
	}
}

func TestAClosedSessionSaysSo(t *testing.T) {
	s := open(t, echo{1}, pipeline.Config{})
	s.Close()
	s.Close()
	if _, err := s.Post(t.Context(), "x"); err != pipeline.ErrClosed {
		t.Errorf("Post got %v", err)
	}
	for _, err := range s.Run(t.Context(), "x") {
		if err != pipeline.ErrClosed {
			t.Errorf("Run got %v", err)
		}
	}
	if o, ok := <-s.Cancel(pipeline.CancelNow); ok {
		t.Errorf("Cancel got %q", o)
	}
}
