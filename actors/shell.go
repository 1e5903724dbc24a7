package actors

import (
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/actor"
)

// shell is what every actor of a session has in common: where the others are,
// one timer, and the fence that a panic in its machine stops at.
type shell struct {
	stage   Stage
	gen     int // which set of five this one belongs to
	root    *actor.RootContext
	routes  *routes
	meter   *Meter
	running *sync.WaitGroup // goroutines of this set
	clock   *time.Timer
	inert   bool
	strict  bool // tests: a refused post panics
}

// routes are the PIDs and mailboxes of a set of actors. Written once, before the
// first message.
type routes struct {
	pid [stages]*actor.PID
	box [stages]*mailbox
}

// send posts in to a stage: at its mailbox, since the way there by its PID leads
// through memory that has left the caches when a token comes alone. Safe for
// every goroutine; never blocks.
func (h *shell) send(to Stage, in any) { h.routes.box[to].PostUserMessage(in) }

// timer arms the one timer: a Tick with epoch comes at at; a zero at disarms it.
func (h *shell) timer(at time.Time, epoch int) {
	if h.clock != nil {
		h.clock.Stop()
		h.clock = nil
	}
	if at.IsZero() {
		return
	}
	h.clock = time.AfterFunc(time.Until(at), func() { h.send(h.stage, Tick{Epoch: epoch}) })
}

// refill is the Grant of the reporter for the window of the supervisor: of a type
// that no host can make up.
type refill struct{ Batches, Bytes int }

// do carries out the effects of a machine that need nothing but sending.
func (h *shell) do(sends []Send) {
	for _, s := range sends {
		switch in := s.In.(type) {
		case SetTimer:
			h.timer(in.At, in.Epoch)
			continue
		case Commit:
			in.From, in.Gen = h.stage, h.gen
			s.In = in
		case Grant:
			if s.To == Supervising {
				s.In = refill{in.Batches, in.Bytes}
			}
		}
		h.send(s.To, s.In)
	}
}

// handler is the half of a host that knows its machine.
type handler interface {
	handle(in any)
	base() *shell
}

func (h *shell) base() *shell { return h }

// host is the actor around a handler.
type host struct{ handler }

// Receive implements actor.Actor. It never blocks (I1). A panic in the machine
// makes the actor inert and is told to the supervisor, which fails the turn
// and replaces the set (I8).
func (h host) Receive(c actor.Context) {
	sh := h.base()
	switch c.Message().(type) {
	case *actor.Started, *actor.Stopping, *actor.Restarting, *actor.Terminated:
		return
	case *actor.Stopped:
		sh.timer(time.Time{}, 0)
		return
	}
	if sh.inert {
		return
	}
	returned := false
	defer func() {
		if r := recover(); !returned {
			sh.inert = true
			sh.send(Supervising, Crashed{Stage: sh.stage, Gen: sh.gen, Reason: reasonOf(r), Stack: string(debug.Stack())})
		}
	}()
	h.handle(c.Message())
	returned = true
}

// reasonOf says why a Receive did not return: what was recovered, or nothing.
func reasonOf(recovered any) string {
	if recovered == nil {
		return "runtime.Goexit was called in a Receive"
	}
	return fmt.Sprint(recovered)
}

// assemblerHost, turnHost, executorHost and reporterHost carry out what their
// machines return.
type assemblerHost struct {
	shell
	machine *assembler
}

func (h *assemblerHost) handle(in any) {
	h.do(h.machine.Handle(in))
	if h.machine.shown && len(h.machine.held) == 0 && !h.meter.marked(markPassed) {
		h.meter.mark(markPassed, time.Now())
	}
	h.meter.stalled(Assembler, h.machine.Stalled())
}

type reporterHost struct {
	shell
	machine *reporter
	before  [stages]time.Duration // stall times when the turn began
}

func (h *reporterHost) handle(in any) {
	now := time.Now()
	switch p := in.(type) {
	case Post:
		if p.From == Turning || p.From == Supervising {
			in = h.attribute(p, now)
		}
	}
	h.do(h.machine.Handle(in, now))
	if h.machine.box.ttft != nil {
		h.meter.mark(markStamped, now)
	}
	h.meter.stalled(Reporter, h.machine.Stalled())
}

// attribute fills in how long each stage waited in the turn that ends.
func (h *reporterHost) attribute(p Post, now time.Time) Post {
	for i, e := range p.Events {
		switch e := e.(type) {
		case TurnStarted:
			_, h.before = h.meter.stalls(h.before, now)
		case TurnEnded:
			e.Stalls, h.before = h.meter.stalls(h.before, now)
			p.Events = append([]Event(nil), p.Events...) // what was sent is frozen
			p.Events[i] = e
		}
	}
	return p
}

type turnHost struct {
	shell
	machine *turns
}

func (h *turnHost) handle(in any) {
	h.do(h.machine.Handle(in, time.Now()))
	h.meter.stalled(Turning, h.machine.out.Stalled())
}
