package actors

// PURE: no clock, no goroutine, no lock, no I/O in this file.

import (
	"time"

	"github.com/weir-agents/weir/tools"
)

// postEvents bounds the events of one post.
const postEvents = 64

// show posts what may be shown while there is credit, in call order; approval
// events pass what waits.
func (c *calls) show() {
	for c.out.Open() {
		events := c.gather(c.limits.HopBytes / 2)
		if len(events) == 0 {
			return
		}
		size := eventBytes(events)
		c.out.Spend(size)
		c.send(Reporter, Post{From: Executor, Ref: c.ref, Events: events, Bytes: size})
	}
}

// gather takes events of about limit bytes for one post; in lockstep one event.
func (c *calls) gather(limit int) []Event {
	var events []Event
	for size := 0; size < limit && len(events) < postEvents; {
		e, ok := c.nextEvent()
		if !ok {
			break
		}
		events = append(events, e)
		if c.limits.ReaderWindow == 1 {
			break
		}
		size += eventBytes(events[len(events)-1:])
	}
	return events
}

func (c *calls) nextEvent() (Event, bool) {
	if len(c.asks) > 0 {
		e := c.asks[0]
		c.asks = c.asks[1:]
		return e, true
	}
	at := c.reseq.head
	e, ok := c.reseq.Next()
	if c.reseq.head > at {
		c.after = append(c.after, Send{Turning, *c.list[at].finished})
	}
	return e, ok
}

// Closing reports whether calls are being stopped.
func (c *calls) Closing() bool { return c.closing != nil }

// close stops what is open; each call still gets its one result.
func (c *calls) close(in CloseCalls) {
	if c.closing != nil {
		return
	}
	c.closing, c.scope = &in, true
	c.voidAll()
	c.send(Executor, endScope{in.Ref})
	if in.Ref.Turn != c.ref.Turn { // the calls are on their way, or there are none
		return
	}
	for i, k := range c.list {
		switch k.phase {
		case asking:
			c.asked(k, ApprovalResolved{Call: k.ID, Decision: "deny", By: "cancel"})
			c.finish(i, tools.Result{Kind: in.Kind, Text: in.Text}, time.Time{}, 0, "")
		case checking, ready:
			c.finish(i, tools.Result{Kind: in.Kind, Text: in.Text}, time.Time{}, 0, "")
		case running:
			c.send(Executor, stopCall{k.run})
		case done: // it keeps the result it has
		}
	}
}

// settle tells the turn what may be told, and answers a close once everything
// has ended: then all is handed over in one post without credit (I11).
func (c *calls) settle() {
	if c.busyEarly() && (c.early.voiding != nil || c.closing != nil || len(c.list) > 0 && c.ref == c.early.ref) {
		return // what is void is awaited first
	}
	if c.early.voiding != nil {
		c.send(Turning, CallsVoided{Ref: *c.early.voiding})
		c.early.voiding, c.early.list = nil, nil
	}
	closing := c.closing != nil && !c.scope && c.allDone()
	if closing {
		c.handOver()
	}
	if closing || c.limits.ReaderWindow != 1 || c.out.Full() {
		c.sends = append(c.sends, c.after...)
		c.after = nil
	}
	if closing {
		c.send(Turning, CallsClosed{Ref: c.closing.Ref})
		c.closed, c.closing = *c.closing, nil
	}
}

func (c *calls) allDone() bool {
	for _, k := range c.list {
		if k.phase != done {
			return false
		}
	}
	return true
}

func (c *calls) handOver() {
	var events []Event
	for {
		e, ok := c.nextEvent()
		if !ok {
			break
		}
		events = append(events, e)
	}
	if len(events) > 0 {
		c.send(Reporter, Post{From: Executor, Ref: c.ref, Events: events, Free: true})
	}
}

// timer asks for a tick when the first wait for consent runs out.
func (c *calls) timer() {
	if c.limits.ApprovalWait == 0 {
		return
	}
	var first time.Time
	for _, k := range c.list {
		if k.phase == asking && (first.IsZero() || k.askedAt.Before(first)) {
			first = k.askedAt
		}
	}
	c.timers++
	if first.IsZero() {
		c.send(Executor, SetTimer{Epoch: c.timers})
		return
	}
	c.send(Executor, SetTimer{At: first.Add(c.limits.ApprovalWait), Epoch: c.timers})
}

// tick denies the calls whose wait for consent has run out.
func (c *calls) tick(in Tick) {
	if in.Epoch != c.timers {
		return
	}
	for i, k := range c.list {
		if k.phase != asking || c.now.Sub(k.askedAt) < c.limits.ApprovalWait {
			continue
		}
		c.asked(k, ApprovalResolved{Call: k.ID, Decision: "deny", By: "timeout"})
		c.finish(i, tools.Result{Kind: tools.Denied, Text: "nobody answered the request for consent in time"}, time.Time{}, 0, "")
	}
}
