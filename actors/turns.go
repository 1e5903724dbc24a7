package actors

// PURE: no clock, no goroutine, no lock, no I/O in this file.

import "time"

// turns is the machine of the turn's actor: one Turn after the other, behind
// the outlet that holds back what must wait for credit and for the journal.
type turns struct {
	rules turnRules
	turn  *Turn // nil before the first
	out   *outlet
	early CancelTurn // a cancel that overtook the StartTurn it is meant for (I7)
}

func newTurns(r turnRules, durable bool) *turns {
	return &turns{rules: r, out: newOutlet(r.limits, durable)}
}

// Handle takes one input at time now and returns its effects. The slice is
// good until the next call.
func (t *turns) Handle(in any, now time.Time) []Send {
	switch in := in.(type) {
	case Grant:
		return t.out.Grant(in)
	case Committed:
		return t.out.Committed()
	case StartTurn:
		t.turn = newTurn(in.Turn, t.rules)
		sends := t.turn.Handle(in, now)
		if t.early.Turn == in.Turn {
			sends = append(append([]Send(nil), sends...), t.turn.Handle(t.early, now)...)
		}
		return t.out.Put(sends)
	case CancelTurn:
		if t.turn == nil || t.turn.ref.Turn != in.Turn {
			t.early = in // an id is never given twice, so a late cancel does no harm
			return nil
		}
	}
	if t.turn == nil {
		return nil // of a turn that a replaced actor had
	}
	sends := t.turn.Handle(in, now)
	if t.turn.ending != nil && t.stops(in) {
		t.out.Free()
	}
	return t.out.Put(sends)
}

// stops reports whether in ends the turn that runs, or finds it ended in all
// but what waits for the reader: then it waits no longer (I7).
func (t *turns) stops(in any) bool {
	switch in := in.(type) {
	case CancelTurn:
		return in.Turn == t.turn.ref.Turn
	case ReaderGone:
		return in.Turn == t.turn.ref.Turn
	default:
		return false
	}
}
