package pipeline

import (
	"context"
	"errors"
	"iter"
	"sync"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/weir-agents/weir/actors"
	"github.com/weir-agents/weir/provider"
)

// ErrReading says that another goroutine ranges over the session's events.
var ErrReading = errors.New("the session's events are being read by another loop")

// Session is one conversation. Its methods may be called from any goroutine,
// but one loop at a time reads its events.
type Session struct {
	id       string
	pipeline *Pipeline
	root     *actor.RootContext
	pid      *actor.PID
	meter    *Meter
	inbox    inbox
	reading  atomic.Bool
	read     atomic.Value  // the id of the last turn whose end a loop got
	done     chan struct{} // closed when the last actor has stopped

	mu      sync.Mutex
	waiting map[chan Outcome]struct{} // cancels that are not answered
	over    bool
}

func newSession(p *Pipeline, id string) *Session {
	return &Session{
		id: id, pipeline: p, root: p.system.Root,
		inbox:   inbox{signal: make(chan struct{}, 1), limits: p.config.Limits},
		done:    make(chan struct{}),
		waiting: map[chan Outcome]struct{}{},
	}
}

func (s *Session) attach() { s.root.Send(s.pid, actors.Attach{To: &s.inbox}) }

// ID returns the session's id.
func (s *Session) ID() string { return s.id }

// PID returns the session's actor, for host actors in the same ActorSystem. It
// takes actors.Prompt, Cancel, Grant, Resolve and Attach; a host that attaches
// a reader of its own gets the events instead of Events and Run.
func (s *Session) PID() *actor.PID { return s.pid }

// Meter shows how the stages are doing.
func (s *Session) Meter() *Meter { return s.meter }

// Post accepts a prompt and returns its id once it is durable (at once without
// a durable journal). While a turn runs the prompt joins before its next step,
// or starts the next turn. Errors: ErrBusy, ErrClosed, ctx's, an empty or too
// large prompt; after any of them nothing of the prompt runs or will: one that
// ctx's end found accepted is taken back, with the turn that it has begun.
func (s *Session) Post(ctx context.Context, text string, attach ...provider.Block) (string, error) {
	id, accepted, err := s.post(ctx, text, attach)
	if err == nil {
		return id, nil
	}
	if accepted {
		s.root.Send(s.pid, actors.Cancel{Prompt: id})
	}
	return "", err
}

// post is Post, but leaves a prompt alone that was accepted when ctx ended.
func (s *Session) post(ctx context.Context, text string, attach []provider.Block) (id string, accepted bool, err error) {
	if err := ctx.Err(); err != nil {
		return "", false, err
	}
	answer := make(chan error, 1)
	var taken atomic.Bool // by the session, or by the end of ctx: whichever is first
	claim := func() bool { return taken.CompareAndSwap(false, true) }
	id = "p-" + randomID()
	s.root.Send(s.pid, actors.Prompt{ID: id, Text: text, Attach: attach, Wanted: claim, Reply: func(err error) { answer <- err }})
	select {
	case err := <-answer:
		return id, err == nil, err
	case <-s.done:
		return "", false, ErrClosed
	case <-ctx.Done():
		return id, !claim(), ctx.Err()
	}
}

// Cancel asks for the end of the running turn and returns at once. The channel
// gets how the turn ended, "" if none ran, and is closed then: when the turn
// has ended inside, whether or not its events were read. Prompts accepted
// before the cancel are dropped. It may be called in the body of a Run loop.
func (s *Session) Cancel(mode CancelMode) <-chan Outcome {
	return s.cancel(actors.Cancel{Mode: mode})
}

func (s *Session) cancel(c actors.Cancel) <-chan Outcome {
	ch := make(chan Outcome, 1)
	s.mu.Lock()
	over := s.over
	if !over {
		s.waiting[ch] = struct{}{}
	}
	s.mu.Unlock()
	if over {
		close(ch)
		return ch
	}
	c.Ended = func(o Outcome) { s.answer(ch, o) }
	s.root.Send(s.pid, c)
	return ch
}

// answer closes a waiting cancel's channel, once.
func (s *Session) answer(ch chan Outcome, o Outcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.waiting[ch]; !ok {
		return
	}
	delete(s.waiting, ch)
	if o != "" {
		ch <- o
	}
	close(ch)
}

// Resolve answers an ApprovalRequested: decision is allow, allow_always or
// deny, note a word for the model. It never blocks; an answer to a call that no
// longer waits does nothing.
func (s *Session) Resolve(call, decision, note string) {
	s.root.Send(s.pid, actors.Resolve{Call: call, Decision: decision, Note: note})
}

// Tell puts a notice of the embedder's own into the events, outside of turns;
// its envelope is filled in. It never blocks. Where a reader leaves more than
// Limits.Prompts of them unread, further ones are dropped.
func (s *Session) Tell(n Notice) { s.root.Send(s.pid, n) }

// Close cancels the running turn, ends everything the session started, and
// returns when it is gone. Further calls return when the first does.
func (s *Session) Close() {
	s.mu.Lock()
	over := s.over
	s.mu.Unlock()
	if !over {
		s.root.Send(s.pid, actors.Stop{})
	}
	<-s.done
}

// ended runs when the last actor has stopped.
func (s *Session) ended() {
	s.mu.Lock()
	s.over = true
	for ch := range s.waiting {
		delete(s.waiting, ch)
		close(ch)
	}
	s.mu.Unlock()
	close(s.done)
	s.inbox.wake()
	s.pipeline.forget(s)
}

// Events ranges over the events of the session across turns, as its
// controlling reader: while the loop body runs nothing more is asked for than
// Limits.ReaderWindow allows. It ends with ctx's error, or when the session is
// closed. Breaking out cancels nothing.
func (s *Session) Events(ctx context.Context) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if !s.reading.CompareAndSwap(false, true) {
			yield(nil, ErrReading)
			return
		}
		defer s.reading.Store(false)
		defer s.watch(ctx)()
		for {
			e, err := s.next(ctx)
			switch {
			case errors.Is(err, ErrClosed):
				return
			case err != nil:
				yield(nil, err)
				return
			case !yield(e, nil):
				return
			}
		}
	}
}

// watch wakes next when ctx ends, until the function it returns is called. So a
// token waits for one channel, which costs half of what waiting for three does.
func (s *Session) watch(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, s.inbox.wake)
}

// next returns the next event and grants what the loop has taken. What may end
// ctx is watched.
func (s *Session) next(ctx context.Context) (Event, error) {
	for {
		// First, or a loop that is always behind the model would never see it.
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e, ok, grant := s.inbox.pop()
		if grant > 0 {
			s.root.Send(s.pid, actors.Grant{From: Reporter, Batches: grant})
		}
		if ok {
			if end, ok := e.(TurnEnded); ok {
				s.read.Store(end.Turn)
			}
			return e, nil
		}
		select {
		case <-s.done:
			if s.inbox.empty() {
				return nil, ErrClosed
			}
		default:
			<-s.inbox.signal
		}
	}
}

// inbox is where the reporter puts events and the loop takes them; the credit
// bounds it.
type inbox struct {
	mu     sync.Mutex
	events []Event
	head   int
	body   Event // what the loop body has; nil between two loops
	taken  int   // events the loop is done with and that are not granted yet
	bytes  int   // their weight
	limits Limits
	signal chan struct{}
}

// Take implements actors.Reader.
func (b *inbox) Take(batch actors.Batch) {
	b.mu.Lock()
	if b.head == len(b.events) {
		b.events, b.head = batch.Events, 0
	} else { // what the loop has is dropped, or a loop that is always behind would keep all
		n := copy(b.events, b.events[b.head:])
		clear(b.events[n:])
		b.events, b.head = append(b.events[:n], batch.Events...), 0
	}
	b.mu.Unlock()
	b.wake()
}

// wake has the loop look again: for events, for the end of its context or of the
// session.
func (b *inbox) wake() {
	select {
	case b.signal <- struct{}{}:
	default:
	}
}

// pop takes the next event, and says how much credit is to be granted: the
// loop body is done with the one before. Credit goes back in halves, so that a
// token does not cost a grant; a reporter with a patience, or in lockstep, is
// told at once.
func (b *inbox) pop() (e Event, ok bool, grant int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.body != nil {
		b.taken++
		b.bytes += actors.EventBytes(b.body)
		b.body = nil
	}
	if b.head < len(b.events) {
		e, ok = b.events[b.head], true
		b.events[b.head] = nil
		b.head++
		b.body = e
	}
	half := b.taken >= max(1, b.limits.ReaderWindow/2) || b.bytes >= b.limits.HopBytes/2
	if b.taken > 0 && (half || !ok && b.limits.ReaderPatience > 0) {
		grant, b.taken, b.bytes = b.taken, 0, 0
	}
	return e, ok, grant
}

func (b *inbox) empty() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.head == len(b.events)
}
