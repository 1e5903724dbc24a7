package pipeline

import (
	"context"
	"crypto/rand"
	"iter"
	"strings"

	"github.com/weir-agents/weir/actors"
	"github.com/weir-agents/weir/provider"
)

// Run posts a prompt and ranges over the events up to the end of the turn that
// answers it. Nothing starts until it is ranged over. The error half is only
// the caller's own mistake: a closed session, a full queue, a loop that reads
// already, ctx's end; a failed turn is an event. Breaking out of the loop,
// also by a panic or runtime.Goexit, cancels that turn and waits for its end. When
// ctx ends the turn is canceled at once, also while the loop body is busy; its
// remaining events still come, then ctx's error. A prompt that still waits behind
// another turn is dropped instead, and that turn goes on.
func (s *Session) Run(ctx context.Context, text string, attach ...provider.Block) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if !s.reading.CompareAndSwap(false, true) {
			yield(nil, ErrReading)
			return
		}
		defer s.reading.Store(false)
		id, accepted, err := s.post(ctx, text, attach)
		if !accepted {
			yield(nil, err)
			return
		}
		r := run{session: s, prompt: id}
		r.loop(ctx, yield)
	}
}

// run follows one prompt to the end of its turn.
type run struct {
	session *Session
	prompt  string
	turn    string // known once the prompt started or joined it
	over    bool   // the turn's end, or the prompt's, has come by
}

func (r *run) loop(ctx context.Context, yield func(Event, error) bool) {
	left := true // also by a panic or runtime.Goexit in the loop body
	defer func() {
		if left {
			r.leave()
		}
	}()
	// At once, also while the loop body is busy. It ends as soon as it has sent.
	defer context.AfterFunc(ctx, func() {
		r.cancel()
		r.session.inbox.wake()
	})()
	var stopped error
	for !r.over {
		e, err := r.session.next(ctx)
		switch {
		case err == nil:
			r.see(e)
			if !yield(e, nil) {
				return
			}
		case err == ErrClosed:
			left = false
			yield(nil, err)
			return
		default: // ctx has ended, and with it the turn: read on without it
			stopped, ctx = err, context.Background()
		}
	}
	left = false
	if stopped != nil {
		yield(nil, stopped)
	}
}

// see notes what e says about the prompt.
func (r *run) see(e Event) {
	switch e := e.(type) {
	case TurnStarted:
		if e.PromptID == r.prompt {
			r.turn = e.Turn
		}
	case PromptJoined:
		if e.PromptID == r.prompt {
			r.turn = e.Turn
		}
	case PromptDropped:
		r.over = r.over || e.PromptID == r.prompt
	case TurnEnded:
		r.over = r.over || r.turn != "" && e.Turn == r.turn
	}
}

// cancel ends the turn that answers the prompt, or takes the prompt back.
func (r *run) cancel() <-chan Outcome {
	return r.session.cancel(actors.Cancel{Prompt: r.prompt})
}

// leave cancels the turn, waits for its end, and reads what is left of it, so
// that the next loop does not get it. Behind a prompt that was taken back goes
// another's turn, which the next loop gets.
func (r *run) leave() {
	if !r.over && <-r.cancel() == actors.Withdrawn {
		return
	}
	for !r.over {
		e, err := r.session.next(context.Background())
		if err != nil { // the session was closed meanwhile
			return
		}
		r.see(e)
	}
}

func randomID() string { return strings.ToLower(rand.Text()[:10]) }
