package actors

// PURE: no clock, no goroutine, no lock, no I/O in this file.

// outlet orders the effects of the turn and of the supervisor: a post waits for
// credit, a commit for the journal, and what comes after either waits behind
// it, so that no step starts before its event is with the reporter (I9, I11).
// What stops work never waits (I7).
type outlet struct {
	out     Window
	gated   bool // posts spend this outlet's window
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

// Put takes effects and returns those that may be done now, in order. The slice
// is good until the next call.
func (o *outlet) Put(sends []Send) []Send {
	o.sends = o.sends[:0]
	for _, s := range sends {
		switch in := s.In.(type) {
		case CloseStream, CloseCalls, CancelTurn, SetTimer, Grant:
			if _, ok := in.(CloseCalls); ok {
				o.free = true // the turn is being stopped: what waits goes without credit
			}
			o.sends = append(o.sends, s)
			continue
		case Post:
			if in.Free {
				o.free = true
			}
		}
		o.queue = append(o.queue, s)
	}
	o.drain()
	return o.sends
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

// Stalled reports whether a post waits for credit.
func (o *outlet) Stalled() bool {
	if len(o.queue) == 0 || o.acks > 0 {
		return false
	}
	_, post := o.queue[0].In.(Post)
	return post && !o.out.Open()
}

func (o *outlet) drain() {
	for len(o.queue) > 0 && o.acks == 0 {
		s := o.queue[0]
		if !o.pass(&s) {
			return
		}
		o.queue[0] = Send{}
		o.queue = o.queue[1:]
		if c, ok := s.In.(Commit); ok {
			o.queue = append(c.Then, o.queue...)
			c.Then = nil
			s.In = c
			if o.durable {
				o.acks++
			}
		}
		o.sends = append(o.sends, s)
	}
	if len(o.queue) == 0 {
		o.queue, o.free = nil, false
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
