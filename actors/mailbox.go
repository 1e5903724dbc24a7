package actors

import (
	"sync"

	"github.com/asynkron/protoactor-go/actor"
)

// controlMax bounds the control lane. Inside a session it is bounded by
// counting: grants are summed in place, and each of the other commands is sent
// at most once a try or call. Only a host actor that floods a session by PID
// can reach it; what is beyond is refused.
const controlMax = 1024

// controlGuests is how much of the control lane each kind of command may fill
// that comes from outside of the session: cancels, answers, and what else there
// is. So none of them crowds out another, least of all a cancel (I7). The
// session's own commands always have the rest, however they flood, and the one
// Grant of the reader: lost credit would never come back.
const controlGuests = controlMax / 6

// grantMost is the most that one Grant of a reader gives: a window is smaller,
// and no number of them that waits sums to more than an int holds.
const grantMost = 1 << 20

// controlRun is how many commands in a row pass data that waits; then one piece
// of data has its turn. A flood of commands slows a turn down by this factor and
// starves nothing, and a command waits for one message more at most now and then.
const controlRun = 8

// mailbox is an actor's queue behind protoactor's Mailbox interface: a bounded
// data lane, a control lane that passes it (I7), and the system lane that
// passes both. A post to a full data lane is refused, never parked (I2).
type mailbox struct {
	capacity int
	guests   int // of the data lane: prompts and notices, which come from outside at any rate
	gauge    *gauge
	// refused is told of every post that was not taken, on the poster's
	// goroutine and outside the lock.
	refused func(msg any, why refusal)

	invoker    actor.MessageInvoker
	dispatcher actor.Dispatcher
	run        func() // process, as a value made once

	mu        sync.Mutex
	closed    bool // Stop was posted: nothing is taken any more
	stopping  bool // the actor has it: what still waits is refused
	suspended bool
	running   bool
	data      ring
	control   []any
	system    []any
	passed    int // commands in a row that data has waited for

	inside  int          // guests that stand in data
	origins [origins]int // of what stands in control
}

// refusal is why a post was not taken.
type refusal uint8

const (
	laneFull refusal = iota
	laneClosed
)

// newMailbox returns a mailbox whose data lane holds capacity messages, of which
// at most guests are prompts: callers who flood a session with them must not
// take the room of its own actors (I2).
func newMailbox(capacity, guests int, g *gauge, refused func(any, refusal)) *mailbox {
	return &mailbox{capacity: capacity, guests: guests, gauge: g, refused: refused}
}

// isControl reports whether msg goes on the control lane. It looks at the
// message, never at an envelope around it.
func isControl(msg any) bool {
	switch msg.(type) {
	case Cancel, CancelTurn, Grant, refill, CloseStream, CloseCalls, Resolve, Stop, Attach, Tick, Crashed, StopCompaction:
		return true
	default:
		return false
	}
}

// origin says where a command comes from, as far as the room for it is concerned.
type origin uint8

const (
	ours origin = iota // the session's own actors, or the one Grant of the reader
	canceling
	answering
	quitting
	attaching
	giving // up a compaction
	origins
)

func originOf(msg any) origin {
	switch msg.(type) {
	case Cancel:
		return canceling
	case Resolve:
		return answering
	case Stop:
		return quitting
	case Attach:
		return attaching
	case StopCompaction:
		return giving
	default:
		return ours
	}
}

func isGuest(msg any) bool {
	switch msg.(type) {
	case Prompt, ReadHistory, ReplaceHistory, CompactHistory, UseModel, Notice:
		return true
	default:
		return false
	}
}

// PostUserMessage implements actor.Mailbox. It never blocks.
func (m *mailbox) PostUserMessage(message any) {
	inner := actor.UnwrapEnvelopeMessage(message)
	m.mu.Lock()
	taken, why := m.push(message, inner)
	start := taken && m.wake()
	m.mu.Unlock()
	if !taken {
		m.gauge.refused.Add(1)
		m.refused(inner, why)
		return
	}
	if start {
		m.dispatcher.Schedule(m.run)
	}
}

// push puts message on its lane. The lock is held.
func (m *mailbox) push(message, inner any) (taken bool, why refusal) {
	switch {
	case m.closed:
		return false, laneClosed
	case isControl(inner):
		return m.command(message, inner), laneFull
	case m.data.n >= m.capacity, isGuest(inner) && m.inside >= m.guests:
		return false, laneFull
	default:
		if isGuest(inner) {
			m.inside++
		}
		m.data.push(message)
		m.gauge.push()
	}
	return true, 0
}

// command puts message on the control lane. False says that there is no room for
// it. The lock is held.
func (m *mailbox) command(message, inner any) bool {
	if g, ok := inner.(Grant); ok {
		if g.From >= stages {
			return false // of no hop there is
		}
		if g.From == Reporter {
			g.Batches = min(max(g.Batches, 0), grantMost) // it must not undo another's
		}
		if g.From != Streamer {
			g.Ref = Ref{} // only that window ends with a try
		}
		if m.sum(g) {
			return true
		}
		message = g // without its envelope, so that the next can be summed
	}
	if r, ok := inner.(refill); ok && m.refill(r) {
		return true
	}
	from := originOf(inner)
	if len(m.control) >= controlMax || from != ours && m.origins[from] >= controlGuests {
		return false
	}
	m.origins[from]++
	m.control = append(m.control, message)
	return true
}

// sum adds g to the grant of the same hop that still waits, or puts it in the
// place of one of an earlier try, which nobody needs any more. So the lane holds
// one grant of each hop, whoever sends them.
func (m *mailbox) sum(g Grant) bool {
	for i, c := range m.control {
		if was, ok := c.(Grant); ok && was.From == g.From {
			if was.Ref == g.Ref {
				g.Batches += was.Batches
				g.Bytes += was.Bytes
			}
			m.control[i] = g
			return true
		}
	}
	return false
}

// refill adds r to the one that still waits, if there is one.
func (m *mailbox) refill(r refill) bool {
	for i, c := range m.control {
		if was, ok := c.(refill); ok {
			m.control[i] = refill{was.Batches + r.Batches, was.Bytes + r.Bytes}
			return true
		}
	}
	return false
}

// PostSystemMessage implements actor.Mailbox. A Stop closes the mailbox at the
// moment it is posted, so that no sender can fill a lane that nobody drains.
func (m *mailbox) PostSystemMessage(message any) {
	m.mu.Lock()
	if _, ok := message.(*actor.Stop); ok {
		m.closed = true
	}
	m.system = append(m.system, message)
	start := m.wake()
	m.mu.Unlock()
	if start {
		m.dispatcher.Schedule(m.run)
	}
}

// RegisterHandlers implements actor.Mailbox.
func (m *mailbox) RegisterHandlers(invoker actor.MessageInvoker, dispatcher actor.Dispatcher) {
	m.invoker, m.dispatcher, m.run = invoker, dispatcher, m.process
}

// Start implements actor.Mailbox.
func (m *mailbox) Start() {}

// UserMessageCount implements actor.Mailbox: the depth of the data lane.
func (m *mailbox) UserMessageCount() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.data.n
}

// wake reports whether the caller must schedule a run. The lock is held.
func (m *mailbox) wake() bool {
	if m.running {
		return false
	}
	m.running = true
	return true
}

// process runs the actor until nothing waits, or until others should have their
// turn.
func (m *mailbox) process() {
	exited := true // by runtime.Goexit in what an actor called: the actor goes on
	defer func() {
		if exited {
			m.dispatcher.Schedule(m.run)
		}
	}()
	for range m.dispatcher.Throughput() {
		msg, lane := m.next()
		if lane == noLane {
			exited = false
			return
		}
		m.invoke(msg, lane)
	}
	exited = false
	m.dispatcher.Schedule(m.run)
}

type lane uint8

const (
	noLane lane = iota
	systemLane
	userLane
	noActor
)

// next takes the next message, or marks the mailbox idle if there is none.
func (m *mailbox) next() (any, lane) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case len(m.system) > 0:
		msg := m.system[0]
		m.system = shift(m.system)
		switch msg.(type) {
		case *actor.SuspendMailbox:
			m.suspended = true
		case *actor.ResumeMailbox:
			m.suspended = false
		case *actor.Stop:
			m.stopping = true
		}
		return msg, systemLane
	case m.suspended:
	case len(m.control) > 0 && (m.passed < controlRun || m.data.n == 0):
		msg := m.control[0]
		m.control = shift(m.control)
		m.passed++
		m.origins[originOf(actor.UnwrapEnvelopeMessage(msg))]--
		return msg, m.lane()
	case m.data.n > 0:
		m.passed = 0
		m.gauge.pop()
		msg := m.data.pop()
		if isGuest(actor.UnwrapEnvelopeMessage(msg)) {
			m.inside--
		}
		return msg, m.lane()
	}
	m.running = false
	return nil, noLane
}

// lane returns where a message that was taken off goes: what a stopped actor no
// longer gets is refused, so that whoever waits for an answer has one.
func (m *mailbox) lane() lane {
	if m.stopping {
		return noActor
	}
	return userLane
}

// shift drops the first of q; an emptied queue starts over in the same array.
func shift(q []any) []any {
	q[0] = nil
	if len(q) == 1 {
		return q[:0]
	}
	return q[1:]
}

// invoke hands msg to the actor. What it panics with goes to its parent, as
// protoactor's own mailboxes do it.
func (m *mailbox) invoke(msg any, l lane) {
	defer func() {
		if r := recover(); r != nil {
			m.invoker.EscalateFailure(r, msg)
		}
	}()
	switch msg.(type) {
	case *actor.SuspendMailbox, *actor.ResumeMailbox:
		return
	}
	switch l {
	case systemLane:
		m.invoker.InvokeSystemMessage(msg)
	case noActor:
		m.refused(actor.UnwrapEnvelopeMessage(msg), laneClosed)
	default:
		m.invoker.InvokeUserMessage(msg)
	}
}

// ring is a queue in an array that grows as needed; the mailbox bounds it.
type ring struct {
	buf     []any
	head, n int
}

func (r *ring) push(v any) {
	if r.n == len(r.buf) {
		grown := make([]any, max(8, 2*len(r.buf)))
		for i := range r.n {
			grown[i] = r.buf[(r.head+i)%len(r.buf)]
		}
		r.buf, r.head = grown, 0
	}
	r.buf[(r.head+r.n)%len(r.buf)] = v
	r.n++
}

func (r *ring) pop() any {
	v := r.buf[r.head]
	r.buf[r.head] = nil
	r.head = (r.head + 1) % len(r.buf)
	if r.n--; r.n == 0 {
		r.head = 0 // an actor that is in step uses the same memory again
	}
	return v
}
