package pipeline_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"testing"

	"github.com/weir-agents/weir/journal"
	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider/script"
)

// until reads the session's events up to the end of a turn.
func until(t *testing.T, s *pipeline.Session, turn string) (events []pipeline.Event, end pipeline.TurnEnded) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for e, err := range s.Events(ctx) {
		if err != nil {
			t.Fatalf("%v, after %s", err, lines(t, events))
		}
		events = append(events, e)
		if end, ok := e.(pipeline.TurnEnded); ok && end.Turn == turn {
			return events, end
		}
	}
	t.Fatalf("the session ended before %s", turn)
	return nil, end
}

// Leaving a loop whose turn has ended inside, or the end of its context then,
// does nothing to the turn that runs meanwhile.
func TestLeavingALoopCancelsNoOtherTurn(t *testing.T) {
	for _, byContext := range []bool{false, true} {
		ended := make(chan struct{}, 2)
		model := script.New(parse(t, `{"select":"sequence","steps":["first",{"blocks":[{"text":["second ",{"gate":"go on"},"answer"]}]}]}`))
		s := open(t, model, pipeline.Config{Hooks: pipeline.Hooks{AfterTurn: func(context.Context, pipeline.TurnEnded) { ended <- struct{}{} }}})
		ctx, cancel := context.WithCancel(t.Context())
		for e, err := range s.Run(ctx, "A") {
			if err != nil {
				if !byContext || !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				break
			}
			if e.Type() != "turn_started" {
				continue
			}
			await(t, ended)
			if _, err := s.Post(t.Context(), "B"); err != nil {
				t.Fatal(err)
			}
			await(t, model.Reached("go on"))
			if byContext {
				cancel()
				continue
			}
			break
		}
		cancel()
		model.Open("go on")
		if _, end := until(t, s, "t2"); end.Outcome != pipeline.Completed || end.Text != "second answer" {
			t.Errorf("by context: %v: the other turn ended as %+v", byContext, end)
		}
		s.Close()
	}
}

// A prompt that waits behind another's turn is taken back alone: that turn goes
// on, what waits besides is kept, and the next loop loses no event of them.
func TestLeavingALoopTakesItsWaitingPromptBack(t *testing.T) {
	for _, byContext := range []bool{false, true} {
		model := script.New(parse(t, `{"select":"sequence","steps":[{"blocks":[{"text":["first ",{"gate":"go on"},"answer"]}]},"second","never"]}`))
		s := open(t, model, pipeline.Config{})
		other, err := s.Post(t.Context(), "A")
		if err != nil {
			t.Fatal(err)
		}
		await(t, model.Reached("go on"))
		ctx, cancel := context.WithCancel(t.Context())
		var events []pipeline.Event
		left := false
		for e, err := range s.Run(ctx, "B") {
			if err != nil {
				if !byContext || !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				break
			}
			events = append(events, e)
			if q, ok := e.(pipeline.PromptQueued); ok && !left && q.Text == "B" {
				left = true
				if _, err := s.Post(t.Context(), "C"); err != nil {
					t.Fatal(err)
				}
				if cancel(); !byContext {
					break
				}
			}
		}
		cancel()
		model.Open("go on")
		rest, end := until(t, s, "t1")
		if events = append(events, rest...); end.Outcome != pipeline.Completed || text(events) != "first answer" {
			t.Errorf("by context: %v: the turn of %s ended as %+v: %s", byContext, other, end, lines(t, events))
		}
		dropped := func(e pipeline.Event) bool { d, ok := e.(pipeline.PromptDropped); return ok && d.Text == "B" }
		if !slices.ContainsFunc(events, dropped) {
			t.Errorf("the prompt is not said to be dropped: %s", lines(t, events))
		}
		if rest, end := until(t, s, "t2"); end.Outcome != pipeline.Completed || rest[0].(pipeline.TurnStarted).Prompt != "C" {
			t.Errorf("the prompt beside it got %s", lines(t, rest))
		}
		s.Close()
	}
}

// gatedJournal is durable and keeps nothing before its gate is open.
type gatedJournal struct {
	journal.Memory
	asked, gate chan struct{}
}

func newGatedJournal() *gatedJournal {
	return &gatedJournal{Memory: journal.Memory{AsDurable: true}, asked: make(chan struct{}, 100), gate: make(chan struct{})}
}

func (j *gatedJournal) Append(ctx context.Context, session string, records ...journal.Record) error {
	j.asked <- struct{}{}
	<-j.gate
	return j.Memory.Append(ctx, session, records...)
}

// A context that ends while the prompt is being accepted leaves nothing of it
// running, whether it was posted or run.
func TestAContextThatEndsInAPostLeavesNothingRunning(t *testing.T) {
	for _, how := range []string{"Post", "Run"} {
		model := script.New(parse(t, `{"steps":[{"blocks":[{"gate":"never"},{"text":"never"}]}]}`))
		j := newGatedJournal()
		s := open(t, model, pipeline.Config{Journal: j})
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error, 1)
		var events []pipeline.Event
		go func() {
			if how == "Post" {
				_, err := s.Post(ctx, "A")
				failed <- err
				return
			}
			for e, err := range s.Run(ctx, "A") {
				if err != nil {
					failed <- err
					return
				}
				events = append(events, e)
			}
		}()
		await(t, j.asked) // it is accepted, and not yet durable
		cancel()
		if how == "Run" {
			close(j.gate)
		}
		if err := await(t, failed); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", how, err)
		}
		if how == "Post" {
			close(j.gate)
			events, _ = until(t, s, "t1")
		}
		if end := last(t, events); end.Outcome != pipeline.Canceled {
			t.Errorf("%s: the turn ended as %+v", how, end)
		}
		s.Close()
	}
}

// A panic in the loop body, and runtime.Goexit as t.FailNow does it, leave the
// loop like break: the turn is canceled, and has ended when they go on.
func TestLeavingALoopByAPanicCancelsItsTurn(t *testing.T) {
	for name, leave := range map[string]func(){"panic": func() { panic("mine") }, "goexit": runtime.Goexit} {
		model := script.New(parse(t, `{"select":"sequence","steps":[{"blocks":[{"text":["half",{"gate":"never"}]}]},"fine"]}`))
		ended := make(chan pipeline.Outcome, 2)
		s := open(t, model, pipeline.Config{Hooks: pipeline.Hooks{AfterTurn: func(_ context.Context, e pipeline.TurnEnded) { ended <- e.Outcome }}})
		left := make(chan any, 1)
		go func() {
			defer func() { left <- recover() }()
			for e := range s.Run(t.Context(), "go") {
				if e.Type() == "text_delta" {
					leave()
				}
			}
		}()
		if v := await(t, left); name == "panic" && v != "mine" {
			t.Errorf("the panic became %v", v)
		}
		if end := last(t, run(t, s, "and now?")); end.Text != "fine" || end.Turn != "t2" {
			t.Errorf("%s: the next turn ended as %+v", name, end)
		}
		s.Close() // waits for the hooks
		if a, b := <-ended, <-ended; a == b {
			t.Errorf("%s: both turns ended %q", name, a)
		}
	}
}
