package actors

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/weir-agents/weir/provider"
)

// streamer is the host of the model's stream. Its goroutine decodes and sends
// under credit; its actor hands it grants and the order to close.
type streamer struct {
	shell
	line     *dispatcher
	provider provider.Provider
	limits   Limits
	ctx      context.Context // the session's
	open     *stream         // the latest try, nil before the first
	closed   overtaken
	tries    int
}

// stream is one try. One lock holds its batcher, so that a batch and the grant
// that releases it cannot pass each other.
type stream struct {
	s      *streamer
	req    provider.Request
	cancel context.CancelFunc
	begun  bool       // text or thinking has come; the goroutine's own
	holds  bool       // the session's actors are the goroutine's to run; its own
	rules  deltaRules // the goroutine's own

	mu     sync.Mutex
	credit sync.Cond // signaled by a grant and by a close
	b      *batcher
	epoch  int  // of its timer
	closed bool // CloseStream came: hand over and end
	ended  bool // StreamEnded was sent
}

// handle runs in the actor. It never blocks (I1): the lock is held for moments only.
func (s *streamer) handle(in any) {
	switch in := in.(type) {
	case OpenStream:
		s.start(in)
	case Grant:
		s.grant(in)
	case CloseStream:
		s.close(in.Ref)
	case Tick: // a provider that does not end when told: it is given up
		s.abandon(in.Epoch)
	default:
		panic(fmt.Sprintf("actors: streamer: no such input %T", in))
	}
}

func (s *streamer) start(in OpenStream) {
	if s.closed.take(in.Ref) {
		return
	}
	ctx, cancel := context.WithCancel(s.ctx)
	s.tries++
	t := &stream{s: s, req: in.Request, cancel: cancel, b: newBatcher(in.Ref, s.limits), epoch: s.tries}
	t.credit.L = &t.mu
	s.open = t
	s.meter.mark(markOpen, time.Now())
	s.running.Add(1)
	// Ends when the stream ends or ctx is canceled; CloseStream waits for its
	// StreamEnded, Close for running.
	go t.read(ctx)
}

func (s *streamer) grant(g Grant) {
	t := s.open
	if t == nil || t.b.ref != g.Ref { // I12: credit of another try
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b.out.Grant(g.Batches, g.Bytes)
	t.flush()
	t.credit.Broadcast()
}

func (s *streamer) close(r Ref) {
	t := s.open
	if t == nil || t.b.ref != r {
		s.closed.add(r)
		s.send(Assembler, StreamEnded{Ref: r, Err: errClosed})
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		s.send(Assembler, StreamEnded{Ref: r, Err: errClosed})
		return
	}
	t.closed = true
	t.cancel()
	t.credit.Broadcast()
	s.timer(time.Now().Add(s.limits.StopGrace), t.epoch)
}

func (s *streamer) abandon(epoch int) {
	if t := s.open; t != nil && t.epoch == epoch {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.closed {
			t.end(nil)
		}
	}
}

// read is the goroutine of a try.
func (t *stream) read(ctx context.Context) {
	defer t.s.running.Done()
	defer t.cancel()
	returned := false
	defer func() {
		what := "the provider ended its goroutine (runtime.Goexit) and did not return"
		if r := recover(); r != nil {
			what = fmt.Sprintf("the provider panicked: %v", r)
		} else if returned {
			return
		}
		t.finish(&provider.Error{Kind: provider.Panicked, Message: what, Err: fmt.Errorf("%s\n%s", what, debug.Stack())})
	}()
	err := t.play(ctx)
	returned = true
	t.finish(err)
}

// play takes what the provider says, to its end or its first mistake.
func (t *stream) play(ctx context.Context) error {
	for d, err := range t.s.provider.Stream(ctx, t.req) {
		if err == nil {
			err = t.rules.check(&d)
		}
		switch {
		case err != nil:
			return err
		case !t.deliver(&d):
			return errClosed
		case d.Kind == provider.FinishDelta:
			return nil
		}
	}
	return &provider.Error{Kind: provider.TruncatedStream, Message: "the stream ended without a finish", Retryable: true}
}

// deliver takes one delta to the assembler or into the pending batch. It blocks
// while that batch is full, and so the reading and in the end the server. False
// means the try is closed.
func (t *stream) deliver(d *provider.Delta) bool {
	shows := d.Kind == provider.TextDelta || d.Kind == provider.ThinkingDelta
	if shows && d.Text != "" && !t.begun {
		t.begun = true
		t.s.meter.mark(markDelta, time.Now())
	}
	defer t.lend()
	t.mu.Lock()
	defer t.mu.Unlock()
	if shows && d.Text == "" { // says no more than whether another comes at once
		if !d.More {
			t.flush()
		}
		return !t.closed
	}
	if len(d.Text) <= t.b.most {
		return t.add(d)
	}
	piece := *d
	for rest := d.Text; rest != ""; {
		piece.Text, rest = cut(rest, t.b.most)
		piece.More = d.More || rest != ""
		if !t.add(&piece) {
			return false
		}
	}
	return true
}

// add waits for room and adds d. The lock is held.
func (t *stream) add(d *provider.Delta) bool {
	for t.b.Full() && !t.flush() && !t.closed {
		t.wait()
	}
	if t.closed {
		return false
	}
	t.b.Add(*d)
	if !d.More || t.b.Full() {
		t.flush()
	}
	return true
}

// flush sends the pending batch if there is credit. The lock is held.
func (t *stream) flush() bool {
	batch, ok := t.b.Take()
	if ok {
		if t.s.line.hold() {
			t.holds = true
		}
		t.s.send(Assembler, batch)
	}
	t.s.meter.stalled(Streamer, t.b.Waits())
	return ok
}

// wait waits for credit or a close. The lock is held.
func (t *stream) wait() {
	t.give()
	t.credit.Wait()
}

// give leaves the session's actors to a goroutine of their own. The lock is held.
func (t *stream) give() {
	if t.holds {
		t.holds = false
		t.s.line.give()
	}
}

// lend runs them here. The lock is not held.
func (t *stream) lend() {
	if t.holds {
		t.holds = false
		t.s.line.lend()
	}
}

// finish sends what is pending, waiting for credit unless the try is closed,
// and then the end.
func (t *stream) finish(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	defer t.give() // not lend: this goroutine belongs to the turn, and must end before it (I6)
	for len(t.b.pending) > 0 && !t.flush() && !t.closed {
		t.wait()
	}
	t.end(err)
}

// end sends StreamEnded once. The lock is held.
func (t *stream) end(err error) {
	if t.ended {
		return
	}
	t.ended = true
	if t.closed {
		if batch, ok := t.b.TakeFree(); ok {
			t.s.send(Assembler, batch)
		}
		err = errClosed
	}
	t.s.meter.stalled(Streamer, false)
	t.s.send(Assembler, StreamEnded{Ref: t.b.ref, Err: err})
}
