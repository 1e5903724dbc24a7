package bench

import (
	"context"
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider"
)

// mailboxes is the adapter and two of weir's stages as actors with one of
// protoactor's own mailboxes: unbounded, where a slow reader fills the memory,
// or bounded, where the sender spins.
type mailboxes struct {
	*adapter
	system  *actor.ActorSystem
	bounded bool
}

func openUnbounded(src Source) (Client, error) { return openMailboxes(src, false) }
func openBounded(src Source) (Client, error)   { return openMailboxes(src, true) }

func openMailboxes(src Source, bounded bool) (Client, error) {
	c, err := openAdapter(src)
	if err != nil {
		return nil, err
	}
	return &mailboxes{c.(*adapter), pipeline.NewActorSystem(), bounded}, nil
}

func (m *mailboxes) Session() (Session, error) { return stateless(m.read), nil }

func (m *mailboxes) spawn(f actor.ReceiveFunc) *actor.PID {
	box := actor.Unbounded()
	if m.bounded {
		box = actor.Bounded(depth)
	}
	return m.system.Root.Spawn(actor.PropsFromFunc(f, actor.WithMailbox(box)))
}

func (m *mailboxes) read(ctx context.Context, question string, take func(string) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	root := m.system.Root
	out := &heap{limit: depth, signal: make(chan struct{}, 1), room: make(chan struct{}, 1), done: ctx.Done()}
	if !m.bounded {
		out.limit = 1 << 62
	}
	var seq uint64
	reporter := m.spawn(func(c actor.Context) {
		if d, ok := c.Message().(provider.Delta); ok {
			seq++
			out.put(told{seq, time.Now(), d.Text}, d.Kind == provider.FinishDelta)
		}
	})
	var message provider.Assembly
	assembler := m.spawn(func(c actor.Context) {
		if d, ok := c.Message().(provider.Delta); ok {
			message.Add(d)
			c.Send(reporter, d)
		}
	})
	failed := make(chan error, 1)
	go func() { // ends with the stream or ctx; out ends with its last delta
		err := m.stream(ctx, question, assembler)
		failed <- err
		if err != nil {
			out.put(told{}, true)
		}
	}()
	left := out.each(take)
	cancel()
	err := <-failed
	root.Stop(assembler)
	root.Stop(reporter)
	if left {
		return nil
	}
	return err
}

func (m *mailboxes) stream(ctx context.Context, question string, to *actor.PID) error {
	for d, err := range m.model.Stream(ctx, asked(m.source.modelName(), question)) {
		if err != nil {
			return err
		}
		m.system.Root.Send(to, d)
	}
	return nil
}

// heap is what the reader has not taken.
type heap struct {
	mu     sync.Mutex
	list   []told
	over   bool
	limit  int
	signal chan struct{}
	room   chan struct{}
	done   <-chan struct{}
}

// put blocks while limit is reached.
func (h *heap) put(t told, last bool) {
	for {
		h.mu.Lock()
		if len(h.list) < h.limit {
			h.list, h.over = append(h.list, t), h.over || last
			h.mu.Unlock()
			notify(h.signal)
			return
		}
		h.mu.Unlock()
		select {
		case <-h.room:
		case <-h.done:
			return
		}
	}
}

// each gives what comes to take, and reports whether take left.
func (h *heap) each(take func(string) bool) (left bool) {
	for {
		h.mu.Lock()
		list, over := h.list, h.over
		h.list = nil
		h.mu.Unlock()
		notify(h.room)
		for _, t := range list {
			if t.text != "" && !take(t.text) {
				return true
			}
		}
		if over {
			return false
		}
		select {
		case <-h.signal:
		case <-h.done:
			return false
		}
	}
}

func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
