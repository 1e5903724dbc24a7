package pipeline_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider/script"
)

// The end of a context is seen by a loop that is behind the model too, where the
// next event is always there already.
func TestCancelByContextReachesALoopThatIsBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, script.New(parse(t, `{"split":1000,"steps":[{"blocks":[{"text":{"repeat":"word ","bytes":10000000}}]}]}`)), pipeline.Config{})
		defer s.Close()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		outcome := pipeline.Outcome("")
		var last error
		for e, err := range s.Run(ctx, "go") {
			if end, ok := e.(pipeline.TurnEnded); ok {
				outcome = end.Outcome
			}
			if last = err; err == nil {
				time.Sleep(500 * time.Millisecond)
			}
		}
		if outcome != pipeline.Canceled || !errors.Is(last, context.DeadlineExceeded) {
			t.Errorf("the turn ended as %q, the loop with %v", outcome, last)
		}

		events, stop := context.WithTimeout(t.Context(), 5*time.Second)
		defer stop()
		if _, err := s.Post(events, "again"); err != nil {
			t.Fatal(err)
		}
		last = nil
		for _, err := range s.Events(events) {
			if last = err; err == nil {
				time.Sleep(500 * time.Millisecond)
			}
		}
		if !errors.Is(last, context.DeadlineExceeded) {
			t.Errorf("the loop over the session's events ended with %v", last)
		}
	})
}

// It ends the turn while the loop body is still busy with an event.
func TestCancelByContextDoesNotWaitForTheLoopBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan struct{})
		s := open(t, script.New(parse(t, `{"steps":[{"blocks":[{"text":["half ",{"gate":"never"},"rest"]}]}]}`)), pipeline.Config{
			Hooks: pipeline.Hooks{AfterTurn: func(context.Context, pipeline.TurnEnded) { close(ended) }},
		})
		defer s.Close()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		outcome := pipeline.Outcome("")
		var last error
		for e, err := range s.Run(ctx, "go") {
			switch e := e.(type) {
			case pipeline.TextDelta:
				cancel()
				<-ended
			case pipeline.TurnEnded:
				outcome = e.Outcome
			}
			last = err
		}
		if outcome != pipeline.Canceled || !errors.Is(last, context.Canceled) {
			t.Errorf("the turn ended as %q, the loop with %v", outcome, last)
		}
	})
}
