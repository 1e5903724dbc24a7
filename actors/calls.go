package actors

// PURE: no clock, no goroutine, no lock, no I/O in this file.

import (
	"fmt"
	"strings"
	"time"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/tools"
)

// calls is the machine of the executor: the calls of one message, from their
// check to their one result each, behind a shared/exclusive gate.
type calls struct {
	limits  Limits
	out     Window // toward the reporter; the session's
	ref     Ref
	list    []*call
	early   early
	reseq   *resequencer
	asks    []Event // approval events that wait for credit; at most two a call
	after   []Send  // CallFinished that wait for the reader, in lockstep
	closing *CloseCalls
	scope   bool // the end of the turn's background processes is awaited
	closed  CloseCalls
	asking  int  // calls that wait for consent
	looks   int  // answers of a recheck that are still to come
	relook  bool // a rule was added meanwhile: look once more
	timers  int  // epoch of the approval timer
	sends   []Send
	now     time.Time
}

// call is one call on its way.
type call struct {
	provider.ToolCall
	phase    phase
	run      int // what its goroutines call it: its place, or less than 0 if it began early
	tool     tools.Tool
	spec     tools.Spec
	summary  string
	suggest  string // the rule that "always" adds
	readyAt  time.Time
	askedAt  time.Time
	looked   bool // a recheck looks at it
	finished *CallFinished
}

// phase is where a call is.
type phase uint8

const (
	checking phase = iota // the registry, the policy and the hooks look at it
	asking                // a person is asked; it holds no gate slot
	ready                 // it waits for the gate
	running
	done
)

// indexed is a call with its place in the message.
type indexed struct {
	index int
	call  provider.ToolCall
}

// Effects for the executor's own host.
type (
	// checkCalls asks for a CallChecked of each call named.
	checkCalls struct {
		Ref   Ref
		Calls []indexed
	}
	// startCall asks for a CallDone.
	startCall struct {
		Ref   Ref
		Index int
		Call  provider.ToolCall
		Tool  tools.Tool
		Spec  tools.Spec
	}
	// stopCall cancels the context of a call that runs.
	stopCall struct{ Index int }
	// settleEarly says which calls that began early count; no other does.
	settleEarly struct{ Kept []int }
	// endScope asks for a ScopeEnded when the turn's background processes are gone.
	endScope struct{ Ref Ref }
	// rememberRule adds a rule to the policy.
	rememberRule struct{ Rule string }
)

func newCalls(l Limits) *calls {
	return &calls{limits: l, out: newWindow(l.hopBatches(), l.HopBytes), reseq: newResequencer(nil, 0)}
}

// Handle takes one input at time now and returns its effects.
func (c *calls) Handle(in any, now time.Time) []Send {
	c.sends, c.now = c.sends[:0], now
	switch in := in.(type) {
	case RunCalls:
		c.run(in)
	case CallReady:
		c.begin(in)
	case VoidCalls:
		c.voidAll()
		c.early.voiding = &in.Ref
	case CallChecked:
		c.report(in.Ref, in.Index, in)
	case CallOutput:
		c.report(in.Ref, in.Index, in)
	case CallDone:
		c.report(in.Ref, in.Index, in)
	case Resolve:
		c.resolve(in)
	case Grant:
		c.out.Grant(in.Batches, in.Bytes)
	case CloseCalls:
		c.close(in)
	case ScopeEnded:
		if c.closing != nil && in.Ref == c.closing.Ref {
			c.scope = false
		}
	case Tick:
		c.tick(in)
	default:
		panic(fmt.Sprintf("actors: executor: no such input %T", in))
	}
	c.startEarly()
	c.gate()
	c.show()
	c.settle()
	return c.sends
}

// report takes what a goroutine of a call says. A negative index is that of a
// call which began before its message was complete.
func (c *calls) report(r Ref, index int, in any) {
	switch {
	case index < 0 && r == c.early.ref:
		c.heard(index, in)
	case index < 0 || r != c.ref: // I12: stale
	default:
		switch in := in.(type) {
		case CallChecked:
			c.checked(in)
		case CallOutput:
			if c.list[index].phase == running {
				c.reseq.Output(index, in.Text)
			}
		case CallDone:
			c.done(in)
		}
	}
}

// Stalled reports whether something to show waits for credit.
func (c *calls) Stalled() bool { return !c.out.Open() && (len(c.asks) > 0 || c.reseq.Ready()) }

func (c *calls) send(to Stage, in any) { c.sends = append(c.sends, Send{to, in}) }

// run takes the calls of a message.
func (c *calls) run(in RunCalls) {
	if in.Ref.Turn == c.closed.Ref.Turn { // the close overtook us (I7): nothing runs, nothing waits for credit
		c.closing = &c.closed
	}
	if c.closing != nil {
		in.Refuse = &Refusal{c.closing.Kind, c.closing.Text}
	}
	ids := make([]string, len(in.Calls))
	c.ref, c.list = in.Ref, make([]*call, len(in.Calls))
	c.looks, c.relook = 0, false
	for i, tc := range in.Calls {
		ids[i] = tc.ID
		c.list[i] = &call{ToolCall: tc, run: i}
	}
	c.reseq = newResequencer(ids, c.limits.LiveBytes)
	check := c.adopt(in.Refuse != nil)
	if in.Refuse != nil {
		for i := range c.list {
			c.finish(i, tools.Result{Kind: in.Refuse.Kind, Text: in.Refuse.Text}, time.Time{}, 0, "")
		}
		return
	}
	if len(check) > 0 {
		c.send(Executor, checkCalls{in.Ref, check})
	}
}

// checked acts on what the registry and the policy say of a call.
func (c *calls) checked(in CallChecked) {
	k := c.list[in.Index]
	if k.looked { // an answer of a recheck
		k.looked = false
		if c.looks--; c.looks == 0 && c.relook {
			c.relook = false
			c.recheck()
		}
	}
	again := k.phase == asking // looked at again after an "always"
	if k.phase != checking && !again || again && in.Verdict.Decision != tools.Allow {
		return
	}
	k.tool, k.spec, k.summary = in.Tool, in.Spec, in.Summary
	switch {
	case in.Refused != nil:
		c.finish(in.Index, *in.Refused, time.Time{}, 0, "")
	case in.Verdict.Decision == tools.Deny:
		c.asks = append(c.asks, ApprovalResolved{Call: k.ID, Decision: "deny", By: in.Verdict.By, Note: in.Verdict.Reason})
		c.finish(in.Index, tools.Result{Kind: tools.Denied, Text: in.Verdict.Reason}, time.Time{}, 0, "")
	case in.Verdict.Decision == tools.Ask:
		c.ask(k, in.Verdict)
	case again:
		c.asked(k, ApprovalResolved{Call: k.ID, Decision: "allow", By: "rule", Note: in.Verdict.Reason})
		c.ready(k)
	default:
		c.ready(k)
	}
}

func (c *calls) ready(k *call) { k.phase, k.readyAt = ready, c.now }

// gate starts what may run now: read-only calls side by side, any other alone
// and in call order.
func (c *calls) gate() {
	if c.closing != nil || c.busyEarly() {
		return
	}
	runs, open := 0, 0
	for _, k := range c.list {
		if k.phase == running {
			runs++
		}
	}
	for i, k := range c.list {
		shared := k.spec.Class == tools.ReadOnly
		switch {
		case k.phase == done:
			continue
		case k.phase == checking, k.phase == running && !shared, k.phase == asking && !shared:
			return
		case k.phase == ready && !shared:
			if open == 0 && c.taken() {
				c.start(i)
			}
			return
		case k.phase == ready && runs < c.limits.ParallelCalls && c.taken():
			c.start(i)
			runs++
		}
		open++
	}
}

// taken reports whether a call may start as far as the reader is concerned: in
// lockstep only when it has taken the event before.
func (c *calls) taken() bool {
	return c.limits.ReaderWindow != 1 || c.out.Full() && len(c.asks) == 0
}

// start runs call i once the fact is recorded (I9).
func (c *calls) start(i int) {
	k := c.list[i]
	k.phase = running
	c.reseq.Start(i, ToolStarted{Call: k.ID, Name: k.Name, Arguments: k.Arguments, Summary: k.summary, Class: k.spec.Class.String()})
	c.show()
	c.send(Supervising, Commit{
		Facts: []any{CallStarted{Ref: c.ref, Call: k.ID, Class: k.spec.Class}},
		Then:  []Send{{Executor, startCall{c.ref, i, k.ToolCall, k.tool, k.spec}}},
	})
}

// done takes what a tool returned.
func (c *calls) done(in CallDone) {
	if k := c.list[in.Index]; k.phase != running {
		return
	}
	r := in.Result
	if c.closing != nil && in.Stopped && !r.OK() {
		r.Kind = c.closing.Kind // what finished by itself is reported as it finished
	}
	c.finish(in.Index, r, in.StartedAt, in.Duration, in.Stack)
}

// finish gives call i its one result.
func (c *calls) finish(i int, r tools.Result, startedAt time.Time, took time.Duration, stack string) {
	k := c.list[i]
	if k.phase == done {
		panic("actors: executor: a second result for call " + k.ID)
	}
	var wait time.Duration
	text, cutShort := capText(strings.ToValidUTF8(r.Text, "\uFFFD"), c.limits.OutputBytes)
	e := ToolFinished{
		Call: k.ID, Name: k.Name, OK: r.OK(), Text: text, Truncated: r.Truncated || cutShort,
		DurationMS: took.Milliseconds(), ErrorKind: string(r.Kind), Background: r.Background,
	}
	if !startedAt.IsZero() {
		wait = max(0, startedAt.Sub(k.readyAt))
		at := startedAt.UTC()
		e.StartedAt, e.WaitMS = &at, wait.Milliseconds()
	}
	result := provider.ToolResult{Call: k.ID, Name: k.Name, Text: text, IsError: !r.OK()}
	for _, img := range r.Images {
		result.Images = append(result.Images, provider.Image(img))
	}
	k.phase = done
	k.finished = &CallFinished{Ref: c.ref, Result: result, Event: e}
	c.reseq.Finish(i, e)
	c.send(Supervising, Commit{Facts: []any{CallEnded{Ref: c.ref, Result: result, Event: e, Stack: stack}}})
}

// capText cuts the middle out of text beyond limit bytes and says so.
func capText(text string, limit int) (string, bool) {
	if len(text) <= limit {
		return text, false
	}
	const note = 40 // bytes for what stands in the place of the middle
	half := (limit - note) / 2
	head, _ := cut(text, half)
	from := len(text) - half
	for from < len(text) && text[from]&0xC0 == 0x80 {
		from++
	}
	return fmt.Sprintf("%s\n… %d bytes cut …\n%s", head, from-len(head), text[from:]), true
}
