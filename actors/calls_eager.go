package actors

// PURE: no clock, no goroutine, no lock, no I/O in this file.

import (
	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/tools"
)

// early are the calls that began while the model still streamed (Limits.Eager):
// permitted read-only calls, in the order of their blocks, up to the first call
// that is not. What they show waits until their message is complete.
type early struct {
	ref     Ref // the try they belong to
	list    []*earlyCall
	runs    int         // how many were made; their run is minus that number
	adopted map[int]int // run to place in the message, of this message
	voiding *Ref        // a VoidCalls that waits for the ends
}

// earlyCall is a call before its message is complete.
type earlyCall struct {
	call
	run    int
	block  int
	live   liveText
	result *CallDone
	void   bool // the final call differs, or there is none: it is stopped and awaited
}

// heard takes what the goroutines of a call report under a negative index: the
// call is early, or was and has been adopted since.
func (c *calls) heard(run int, in any) {
	if at, ok := c.early.adopted[run]; ok {
		switch in := in.(type) {
		case CallOutput:
			c.reseq.Output(at, in.Text)
		case CallDone:
			in.Index = at
			c.done(in)
		}
		return
	}
	for _, e := range c.early.list {
		if e.run != run {
			continue
		}
		switch in := in.(type) {
		case CallChecked:
			if e.phase == checking && in.Refused == nil && in.Verdict.Decision == tools.Allow && in.Spec.Class == tools.ReadOnly {
				e.tool, e.spec, e.summary = in.Tool, in.Spec, in.Summary
				e.phase, e.readyAt = ready, c.now
			}
		case CallOutput:
			e.live.add(in.Text, c.limits.LiveBytes)
		case CallDone:
			e.phase, e.result = done, &in
		}
		return
	}
}

// begin takes a call whose arguments are final. In lockstep nothing is early,
// since no tool may run before the reader has its message.
func (c *calls) begin(in CallReady) {
	if c.limits.ReaderWindow == 1 || c.closing != nil || in.Ref.Turn == c.closed.Ref.Turn {
		return
	}
	if in.Ref != c.early.ref {
		if c.busyEarly() {
			return // I12: of another try, while the one before still ends
		}
		c.early.ref, c.early.list = in.Ref, nil
	}
	for _, e := range c.early.list {
		if e.block == in.Block && !e.void {
			if sameCall(e.ToolCall, in.Call) {
				return
			}
			c.void(e)
		}
	}
	c.early.runs++
	e := &earlyCall{call: call{ToolCall: in.Call}, run: -c.early.runs, block: in.Block}
	c.early.list = append(c.early.list, e)
	c.send(Executor, checkCalls{in.Ref, []indexed{{e.run, in.Call}}})
}

func sameCall(a, b provider.ToolCall) bool {
	return a.ID == b.ID && a.Name == b.Name && a.Raw == b.Raw
}

// startEarly starts what may run, up to the first call that may not.
func (c *calls) startEarly() {
	runs := 0
	for _, e := range c.early.list {
		if e.phase == running {
			runs++
		}
	}
	for _, e := range c.early.list {
		switch {
		case e.void:
			continue
		case e.phase == checking:
			return
		case e.phase == ready && runs < c.limits.ParallelCalls:
			e.phase = running
			runs++
			c.send(Supervising, Commit{
				Facts: []any{CallStarted{Ref: c.early.ref, Call: e.ID, Class: e.spec.Class}},
				Then:  []Send{{Executor, startCall{c.early.ref, e.run, e.ToolCall, e.tool, e.spec}}},
			})
		}
	}
}

// adopt takes over what runs or has run of the calls of the message; the rest
// is void. It returns the places that still are to be checked.
func (c *calls) adopt(refused bool) []indexed {
	var check []indexed
	c.early.adopted = map[int]int{}
	for i, k := range c.list {
		e := c.earlyOf(k.ToolCall)
		if refused || e == nil || e.phase != running && e.phase != done {
			check = append(check, indexed{i, k.ToolCall})
			continue
		}
		c.early.adopted[e.run] = i
		k.tool, k.spec, k.summary, k.readyAt, k.phase, k.run = e.tool, e.spec, e.summary, e.readyAt, running, e.run
		c.reseq.Start(i, ToolStarted{Call: k.ID, Name: k.Name, Arguments: k.Arguments, Summary: k.summary, Class: k.spec.Class.String()})
		if e.live.any() {
			c.reseq.Output(i, e.live.take())
		}
		if e.result != nil {
			d := *e.result
			d.Index = i
			c.done(d)
		}
	}
	c.settleEarly()
	var left []*earlyCall
	for _, e := range c.early.list {
		if _, ok := c.early.adopted[e.run]; ok {
			continue
		}
		c.void(e)
		if e.phase == running {
			left = append(left, e)
		}
	}
	c.early.list = left
	return check
}

func (c *calls) earlyOf(tc provider.ToolCall) *earlyCall {
	for _, e := range c.early.list {
		if !e.void && sameCall(e.ToolCall, tc) {
			return e
		}
	}
	return nil
}

func (c *calls) void(e *earlyCall) {
	if e.void {
		return
	}
	e.void = true
	if e.phase == running {
		c.send(Executor, stopCall{e.run})
	}
}

// settleEarly has what the adopted calls change in the session done, before any
// other call can build on it, and that of all others forgotten.
func (c *calls) settleEarly() {
	if len(c.early.list) == 0 {
		return
	}
	var kept []int
	for _, e := range c.early.list {
		if _, ok := c.early.adopted[e.run]; ok {
			kept = append(kept, e.run)
		}
	}
	c.send(Executor, settleEarly{kept})
}

// voidAll gives up what is early: the try failed, or the turn is being stopped.
func (c *calls) voidAll() {
	for _, e := range c.early.list {
		c.void(e)
	}
	c.settleEarly()
}

// busyEarly reports whether an early call that is not adopted still runs.
func (c *calls) busyEarly() bool {
	for _, e := range c.early.list {
		if e.phase == running {
			return true
		}
	}
	return false
}
