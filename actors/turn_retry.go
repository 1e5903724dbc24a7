package actors

// PURE: no clock, no goroutine, no lock, no I/O in this file.

import (
	"fmt"
	"time"

	"github.com/weir-agents/weir/provider"
)

// voidFirst takes the news of a failed try. Calls that began while it streamed
// are void: they are stopped and awaited before anything follows (DESIGN §5).
func (t *Turn) voidFirst(in StreamBroke) {
	t.open.stream = false
	if !t.rules.limits.Eager || t.state != Streaming {
		t.broke(in)
		return
	}
	t.broken, t.open.voiding = &in, true
	t.send(Executor, VoidCalls{Ref: t.ref})
}

// voided goes on where voidFirst stopped.
func (t *Turn) voided() {
	t.open.voiding = false
	if in := t.broken; in != nil {
		t.broken = nil
		t.broke(*in)
		return
	}
	t.settle()
}

// broke acts on a failed try: asks again, or ends the turn.
func (t *Turn) broke(in StreamBroke) {
	err := *in.Err
	if err.Usage != nil { // a failed try costs money too
		t.last.Usage = t.last.Usage.Add(*err.Usage)
	}
	if t.state == Draining {
		t.settle()
		return
	}
	wait, again := t.again(&err)
	if err.Kind != provider.HTTPError {
		err.Status = 0 // 200, as it may be here, explains nothing
	}
	falls := err.Retryable && err.RetryAfter <= t.rules.limits.RetryAfterMax && t.tally.model < len(t.rules.fallback)
	t.tell(StreamFailed{
		Kind: err.Kind, Message: err.Message, Retryable: err.Retryable,
		Status: err.Status, Tool: err.Tool, Raw: err.Raw,
	})
	switch {
	case t.squeeze(&err, in.Shown):
	case again:
		t.retry(wait, reason(&err), in.Shown)
	case falls:
		t.fallBack(&err, in.Shown)
	default:
		t.end(ending{outcome: Failed, err: &TurnError{string(err.Kind), err.Message + t.givenUp(&err)}})
	}
}

// givenUp says how often the step was asked, where that is more than once.
func (t *Turn) givenUp(err *provider.Error) string {
	if t.tally.tries < 2 || err.RetryAfter > t.rules.limits.RetryAfterMax {
		return ""
	}
	return fmt.Sprintf("; given up after %d tries", t.tally.tries)
}

// again reports whether the same model is tried again, and after what wait.
func (t *Turn) again(err *provider.Error) (time.Duration, bool) {
	l := t.rules.limits
	if err.RetryAfter > l.RetryAfterMax {
		err.Message += fmt.Sprintf("; the server asks to come back in %v, at %s",
			err.RetryAfter.Round(time.Second), t.now.Add(err.RetryAfter).UTC().Format(time.RFC3339))
		return 0, false
	}
	if !err.Retryable || t.tally.tries >= l.Attempts {
		return 0, false
	}
	if err.Kind == provider.EmptyResponse && err.Err == nil { // with a cause it is a connection that broke
		t.tally.empty++
		if t.tally.empty > 1 {
			return 0, false
		}
	}
	if err.RetryAfter > 0 {
		return err.RetryAfter, true
	}
	return backOff(l, t.tally.tries-1, t.rules.jitter()), true
}

// backOff returns the wait before try n+2: full jitter under an exponential cap.
func backOff(l Limits, n int, jitter float64) time.Duration {
	limit := l.RetryCap
	if n < 32 {
		if d := l.RetryBase << n; d > 0 && d < limit {
			limit = d
		}
	}
	return time.Duration(jitter * float64(limit))
}

// reason is the failure in the few words that a retry shows.
func reason(err *provider.Error) string {
	if err.Message == "" {
		return string(err.Kind)
	}
	return err.Message
}

// retry schedules the next try of the step.
func (t *Turn) retry(wait time.Duration, why string, shown bool) {
	if t.afterOne {
		t.drain(ending{outcome: Canceled})
		return
	}
	t.tell(RetryScheduled{NextAttempt: t.ref.Attempt + 1, DelayMS: wait.Milliseconds(), Reason: why, Discard: shown})
	if wait == 0 {
		t.askAgain()
		return
	}
	t.clock.retry = t.now.Add(wait)
	t.timer()
}

// fallBack goes on with the next model named for it.
func (t *Turn) fallBack(err *provider.Error, shown bool) {
	model := t.rules.fallback[t.tally.model]
	t.tally.model++
	t.tally.tries = 0
	t.request.Model = model
	t.tell(Notice{Level: "warn", Code: "fallback", Model: model, Text: "the attempts are spent; going on with model " + model})
	t.retry(0, reason(err), shown)
}

func (t *Turn) askAgain() {
	t.ref.Attempt++
	t.openStream(nil)
}

// tick acts on whichever of the two times has come.
func (t *Turn) tick(in Tick) {
	if in.Epoch != t.clock.epoch {
		return
	}
	if d := t.clock.deadline; !d.IsZero() && !t.now.Before(d) {
		t.clock.deadline = time.Time{}
		t.drain(ending{outcome: Limited, limit: "time"})
		return
	}
	if r := t.clock.retry; !r.IsZero() && !t.now.Before(r) && t.state == Streaming {
		t.clock.retry = time.Time{}
		t.askAgain()
	}
	t.timer()
}
