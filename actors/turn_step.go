package actors

// PURE: no clock, no goroutine, no lock, no I/O in this file.

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/tools"
)

// assembled acts on a whole message by the stop table of DESIGN §4.
func (t *Turn) assembled(in MessageAssembled) {
	t.open.stream = false
	if in.Usage != nil {
		t.last.Usage = t.last.Usage.Add(*in.Usage)
	}
	m := in.Message
	if t.state == Draining {
		t.keepCanceled(in)
		return
	}
	t.last.Stop = in.Stop
	if m.Empty() {
		t.empty(in)
		return
	}
	t.tally.empty = 0
	t.last.Text = m.Text()
	t.keep(in)
	calls := m.Calls()
	switch in.Stop {
	case provider.StopToolCalls:
		if limit := t.spent(); limit != "" && len(calls) > 0 {
			t.refuse(calls, "the turn's limit ("+limit+") was reached", func() { t.end(ending{outcome: Limited, limit: limit}) })
			return
		}
		t.run(calls)
	case provider.StopPause:
		t.pause(calls)
	case provider.StopLength:
		t.cutShort(calls)
	case provider.StopContentFilter, provider.StopRefusal:
		t.refused(in.Stop, calls)
	default: // StopEnd
		t.refuse(calls, "the model said it was done", func() { t.end(ending{outcome: Completed}) })
	}
}

// keep commits the message to the history.
func (t *Turn) keep(in MessageAssembled) {
	t.send(Supervising, Commit{Facts: []any{MessageKept(in)}})
}

// keepCanceled takes a message that was whole before the cancel found it: it is
// in the history, and its calls get results that say why they did not run.
func (t *Turn) keepCanceled(in MessageAssembled) {
	if !in.Message.Empty() {
		t.last.Text, t.last.Stop = in.Message.Text(), in.Stop
		t.keep(in)
		if calls := in.Message.Calls(); len(calls) > 0 {
			t.calls = len(calls)
			t.send(Executor, RunCalls{Ref: t.ref, Calls: calls, Refuse: &Refusal{tools.Canceled, "the turn was canceled before this call ran"}})
		}
	}
	t.settle()
}

// run asks for the results of calls, then for the next step.
func (t *Turn) run(calls []provider.ToolCall) {
	if len(calls) == 0 { // a reader never says so; a provider of someone else may
		t.end(ending{outcome: Completed})
		return
	}
	t.become(Executing)
	t.calls, t.tally.round = len(calls), round{calls: calls}
	t.then = t.nextStep
	t.send(Executor, RunCalls{Ref: t.ref, Calls: calls})
}

// refuse answers calls without running them, then goes on with then.
func (t *Turn) refuse(calls []provider.ToolCall, why string, then func()) {
	if len(calls) == 0 {
		then()
		return
	}
	t.become(Executing)
	t.calls, t.then, t.tally.round = len(calls), then, round{}
	t.send(Executor, RunCalls{Ref: t.ref, Calls: calls, Refuse: &Refusal{tools.NotRun, why + "; this call was not run"}})
}

// nextStep goes on, unless a limit says otherwise.
func (t *Turn) nextStep() {
	if limit := t.spent(); limit != "" {
		t.end(ending{outcome: Limited, limit: limit})
		return
	}
	if limit := t.tally.stuck(t.rules.limits); limit != "" {
		t.end(ending{outcome: Limited, limit: limit})
		return
	}
	t.prepare()
}

// pause asks again: the model wants to go on with the same turn.
func (t *Turn) pause(calls []provider.ToolCall) {
	t.tally.pauses++
	t.refuse(calls, "the model paused", func() {
		limit := t.spent()
		if t.tally.pauses > t.rules.limits.Pauses {
			limit = "steps"
		}
		if limit != "" {
			t.end(ending{outcome: Limited, limit: limit})
			return
		}
		t.prepare()
	})
}

// cutShort acts on an answer that hit the model's length limit.
func (t *Turn) cutShort(calls []provider.ToolCall) {
	if len(calls) == 0 {
		t.end(ending{outcome: Limited, limit: "length"})
		return
	}
	t.refuse(calls, "the answer was cut off by the length limit, so this call may be incomplete", t.nextStep)
}

// refused ends a turn whose answer a filter or the model itself stopped.
func (t *Turn) refused(stop provider.StopReason, calls []provider.ToolCall) {
	text := "the model refused to answer"
	if stop == provider.StopContentFilter {
		text = "the provider's content filter stopped the answer"
	}
	t.tell(Notice{Level: "warn", Code: string(stop), Text: text})
	t.refuse(calls, text, func() { t.end(ending{outcome: Completed}) })
}

// empty acts on a message with neither text, call nor opaque block.
func (t *Turn) empty(in MessageAssembled) {
	switch in.Stop {
	case provider.StopLength:
		t.cutShort(nil)
	case provider.StopContentFilter, provider.StopRefusal:
		t.refused(in.Stop, nil)
	case provider.StopPause:
		t.pause(nil)
	default:
		t.tally.empty++
		if t.tally.empty > 1 || t.tally.tries >= t.rules.limits.Attempts {
			t.end(ending{outcome: Limited, limit: "empty"})
			return
		}
		shown := false
		for _, b := range in.Message.Blocks {
			think, ok := b.(provider.Thinking)
			shown = shown || ok && think.Text != ""
		}
		t.retry(0, "the model answered nothing", shown)
	}
}

// finished counts a result in; the last one leads on.
func (t *Turn) finished(in CallFinished) {
	t.calls--
	t.tally.round.add(in)
	if t.calls < 0 {
		panic("actors: turn: more results than calls")
	}
	if t.state == Draining {
		t.settle()
		return
	}
	if t.calls == 0 {
		t.tally.close()
		then := t.then
		t.then = nil
		then()
	}
}

// spent names the limit that forbids a further step, "" if none does.
func (t *Turn) spent() string {
	l := t.rules.limits
	switch {
	case t.ref.Step >= l.Steps:
		return "steps"
	case l.Tokens > 0 && t.last.Usage.Input+t.last.Usage.Output > l.Tokens:
		return "tokens"
	case l.Cost > 0 && l.Pricing.of(t.last.Usage) > l.Cost:
		return "cost"
	default:
		return ""
	}
}

// of returns the price of u. Cached tokens are inside Input.
func (p Pricing) of(u provider.Usage) float64 {
	plain := u.Input - u.CacheRead - u.CacheWrite
	return float64(plain)*p.Input + float64(u.Output)*p.Output + float64(u.CacheRead)*p.CacheRead + float64(u.CacheWrite)*p.CacheWrite
}

// turnTally counts what the limits of a turn look at.
type turnTally struct {
	tries    int // of this step with this model
	model    int // how many fallback models were taken
	pauses   int
	squeezed squeezed // the step that was asked anew with a shorter history
	empty    int      // empty answers in a row
	round    round
	before   []byte // sum of the round before, calls and results
	same     int    // rounds in a row that were the same
	bad      int    // rounds in a row in which every call failed
}

// round is the calls of one message and what came of them.
type round struct {
	calls   []provider.ToolCall
	results []CallFinished
}

func (r *round) add(in CallFinished) { r.results = append(r.results, in) }

// close counts a finished round.
func (t *turnTally) close() {
	if len(t.round.calls) == 0 { // refused calls tell nothing about the model
		return
	}
	all := sha256.New() // calls and results may be large, and are not kept for this
	failed := 0
	for i, r := range t.round.results {
		for _, text := range []string{t.round.calls[i].Name, t.round.calls[i].Raw, r.Result.Text} {
			_, _ = fmt.Fprintf(all, "%d ", len(text)) // a hash takes everything
			for text != "" {                          // not all of it copied at once
				n := min(len(text), 4<<10)
				_, _ = all.Write([]byte(text[:n]))
				text = text[n:]
			}
		}
		if !r.Event.OK {
			failed++
		}
	}
	if now := all.Sum(nil); bytes.Equal(now, t.before) {
		t.same++
	} else {
		t.before, t.same = now, 1
	}
	if failed == len(t.round.calls) {
		t.bad++
	} else {
		t.bad = 0
	}
	t.round = round{}
}

// stuck names the limit of a model that goes round in circles, "" if it does not.
func (t *turnTally) stuck(l Limits) string {
	switch {
	case t.bad >= l.Failures:
		return "failures"
	case t.same >= l.Repeats:
		return "repeats"
	default:
		return ""
	}
}

// eventBytes is what events weigh against a window.
func eventBytes(events []Event) int {
	n := 0
	for _, e := range events {
		n += EventBytes(e)
	}
	return n
}

// EventBytes is what an event weighs against a window: its texts, but of a
// message, which stands in the history anyway.
func EventBytes(e Event) int {
	switch e := e.(type) {
	case TextDelta:
		return len(e.Text)
	case ThinkingDelta:
		return len(e.Text)
	case ToolCallDelta:
		return len(e.Arguments)
	case TurnStarted:
		return len(e.Prompt)
	case PromptQueued:
		return len(e.Text)
	case PromptJoined:
		return len(e.Text)
	case PromptDropped:
		return len(e.Text)
	case ToolStarted:
		return len(e.Arguments) + len(e.Summary)
	case ToolOutput:
		return len(e.Text)
	case ToolFinished:
		return len(e.Text)
	case ApprovalRequested:
		return len(e.Arguments)
	default: // small, or counted elsewhere (messages)
		return 0
	}
}

// turnClock holds the two times a turn waits for.
type turnClock struct {
	retry    time.Time     // when the step is asked again; zero: not
	deadline time.Time     // of the turn; zero: none, or paused
	left     time.Duration // until the deadline while paused
	paused   bool
	epoch    int
}

// pause stops the deadline while a person is asked, and lets it run again.
func (c *turnClock) pause(yes bool, now time.Time) {
	switch {
	case yes && !c.paused && !c.deadline.IsZero():
		c.left, c.deadline, c.paused = c.deadline.Sub(now), time.Time{}, true
	case !yes && c.paused:
		c.deadline, c.paused = now.Add(c.left), false
	}
}

// next returns the earlier of the two times and an epoch that tells a late
// tick of an earlier timer apart.
func (c *turnClock) next() (time.Time, int) {
	c.epoch++
	at := c.retry
	if at.IsZero() || !c.deadline.IsZero() && c.deadline.Before(at) {
		at = c.deadline
	}
	return at, c.epoch
}
