package actors

// PURE: no clock, no goroutine, no lock, no I/O in this file.

import "github.com/weir-agents/weir/provider"

// squeezed is a step that the model has refused as longer than it takes. It is
// asked anew once, if the history can be made shorter.
type squeezed struct {
	step    int // of the turn; 0: none yet
	pending bool
	why     TurnError
	shown   bool
}

// squeeze asks for the step anew with a shorter history, once a step; after that
// the turn ends, and takes out of the history what makes it too long, or no later
// turn would be heard either.
func (t *Turn) squeeze(err *provider.Error, shown bool) bool {
	if t.afterOne || !err.Overflow() {
		return false
	}
	spent := !t.rules.compacts || t.tally.squeezed.step == t.ref.Step
	why := TurnError{string(err.Kind), err.Message}
	if spent {
		why.Message += t.givenUp(err)
	}
	t.tally.squeezed = squeezed{t.ref.Step, true, why, shown}
	t.await(PrepareStep{Ref: Ref{t.ref.Turn, t.ref.Step, t.ref.Attempt + 1}, Overflow: true, GiveUp: spent})
	return true
}

// await asks for a request; the StepPrepared of that try answers.
func (t *Turn) await(in PrepareStep) {
	t.open.preparing, t.awaited = true, in.Ref
	t.send(Supervising, in)
}

// announce says that the step is asked anew: only now is that sure.
func (t *Turn) announce() {
	q := &t.tally.squeezed
	if q.pending {
		q.pending = false
		t.tell(RetryScheduled{NextAttempt: t.ref.Attempt + 1, Reason: "the request was longer than the model takes; the history has been made shorter", Discard: q.shown})
	}
}

// unprepared is how a turn ends whose step could not be prepared: by what the
// model had said, if it was to be asked anew.
func (t *Turn) unprepared(err error) *TurnError {
	if q := &t.tally.squeezed; q.pending {
		return &q.why
	}
	return stepError(err)
}
