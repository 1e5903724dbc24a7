package actors

// PURE: no clock, no goroutine, no lock, no I/O in this file.

import "slices"

// outlet orders the effects of the turn and of the supervisor: a post waits for
// credit, a commit for the journal, and what comes after either waits behind
// it, so that no step starts before its event is with the reporter (I9, I11).
// What stops work never waits (I7).
type outlet struct {
	out     Window
	gated   bool // posts spend this outlet's window
	aside   bool // only posts and the start of a turn wait for credit
	durable bool // commits are acknowledged; otherwise they pass at once
	acks    int  // commits that are not acknowledged
	queue   []Send
	free    bool // the turn ends: posts need no credit
	sends   []Send
}

func newOutlet(l Limits, durable bool) *outlet {
	return &outlet{gated: true, out: newWindow(l.hopBatches(), l.HopBytes), durable: durable}
}

// newCommits returns an outlet in which only commits wait, for a machine that
// spends its credit itself.
func newCommits(l Limits, durable bool) *outlet {
	o := newOutlet(l, durable)
	o.gated = false
	return o
}

// newAside returns the outlet of the supervisor. A caller that waits for the
// answer to its prompt or for the end of a cancel may be the very reader whose
// credit a post waits for, so posts there hold nothing up but a new turn (I7).
func newAside(l Limits, durable bool) *outlet {
	o := newOutlet(l, durable)
	o.aside = true
	return o
}

// Renew starts over with a full window, after the receiver of the posts has
// been replaced. A turn that had not begun is ended by the session.
func (o *outlet) Renew() {
	o.out = newWindow(o.out.batchesMax, o.out.bytesMax)
	o.queue = slices.DeleteFunc(o.queue, func(s Send) bool { _, start := s.In.(StartTurn); return start })
	o.free = false
}

// Put takes effects and returns those that may be done now, in order. The slice
// is good until the next call.
func (o *outlet) Put(sends []Send) []Send {
	o.sends = o.sends[:0]
	for _, s := range sends {
		if o.waits(s.In) {
			o.queue = append(o.queue, s)
		} else {
			o.sends = append(o.sends, s)
		}
	}
	o.drain()
	return o.sends
}

// Free lets all that waits for credit go without it; the next Put does it.
func (o *outlet) Free() { o.free = true }

// waits reports whether in keeps its place behind credit and journal, and notes
// what stops a turn: what waits then goes without credit.
func (o *outlet) waits(in any) bool {
	switch in := in.(type) {
	case CloseCalls, CancelTurn, DropStep:
		o.free = true
		return false
	case CloseStream, SetTimer, Grant, Resolve:
		return false
	case Post:
		o.free = o.free || in.Free
		return true
	case reply:
		return in.err == nil // a refusal has nothing to wait for
	case Commit, StartTurn:
		return true
	default:
		return !o.aside
	}
}

// Grant takes credit back and returns what may be done now.
func (o *outlet) Grant(g Grant) []Send {
	o.out.Grant(g.Batches, g.Bytes)
	o.sends = o.sends[:0]
	o.drain()
	return o.sends
}

// Committed takes the journal's acknowledgement of the oldest commit.
func (o *outlet) Committed() []Send {
	o.acks = max(0, o.acks-1) // 0: of a set that has been replaced
	o.sends = o.sends[:0]
	o.drain()
	return o.sends
}

// Waiting returns how many effects have not gone yet.
func (o *outlet) Waiting() int { return len(o.queue) }

// Stalled reports whether a post waits for credit.
func (o *outlet) Stalled() bool {
	if len(o.queue) == 0 || o.acks > 0 {
		return false
	}
	_, post := o.queue[0].In.(Post)
	return post && !o.out.Open()
}

// drain passes what may go, in order. A post without credit holds up what is
// behind it; in an outlet with aside only further posts and a new turn.
func (o *outlet) drain() {
	stuck := 0 // how many of the queue stay
	for len(o.queue) > stuck && o.acks == 0 {
		s := o.queue[stuck]
		if stuck > 0 && o.inLine(s.In) || !o.pass(&s) {
			if stuck++; !o.aside {
				return
			}
			continue
		}
		then := []Send(nil)
		if c, ok := s.In.(Commit); ok {
			then, c.Then = c.Then, nil
			s.In = c
			if o.durable {
				o.acks++
			}
		}
		o.queue = slices.Replace(o.queue, stuck, stuck+1, then...)
		o.sends = append(o.sends, s)
	}
	if len(o.queue) == 0 {
		o.queue, o.free = nil, false
	}
}

// inLine reports whether in must not pass a post that waits for credit.
func (o *outlet) inLine(in any) bool {
	switch in.(type) {
	case Post, StartTurn:
		return true
	default:
		return false
	}
}

// pass reports whether s may go, and takes the credit it needs.
func (o *outlet) pass(s *Send) bool {
	p, ok := s.In.(Post)
	if !ok || !o.gated || p.Free || o.out.Spend(p.Bytes) {
		return true
	}
	if !o.free {
		return false
	}
	p.Free = true
	s.In = p
	return true
}
