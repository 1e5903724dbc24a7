package actors

import (
	"fmt"
	"testing"

	"github.com/weir-agents/weir/provider"
)

// freezes reports whether the reader takes nothing more, from a chosen event on.
func (r *simReader) freezes() bool {
	if n := r.w.plan.frozen; n > 0 && r.taken >= n && r.w.user.open == 0 {
		r.frozen, r.w.plan.frozen = true, 0
	}
	return r.frozen
}

// unfreeze goes on where nothing is left to do before a frozen reader: what
// still runs is canceled, and that needs neither the reader nor time (I7). When
// nothing runs, the reader reads again. It reports whether it did anything.
func (w *world) unfreeze() bool {
	switch {
	case !w.reader.frozen:
		return false
	case w.user.open > 0:
		w.failf("a cancel waits for a reader that does not read; the turn is %v", w.turns.turn.state)
	case w.session.turn != "":
		w.user.stop(CancelNow)
	default:
		w.reader.frozen = false
	}
	return true
}

// I7: a cancel finds the turn waiting for the credit of a reader that does not
// read, and ends it there.
func TestACancelBeforeAFrozenReaderEndsTheTurn(t *testing.T) {
	held := map[State]bool{}
	for i := range 120 {
		s := settings.Example(i)
		s.p.frozen, s.p.cancels = 1+i%6, 4
		if i%2 == 0 {
			s.l.HopBatches, s.l.ReaderWindow = 1, 2
		}
		for n := range 20 {
			w := s.world(t, n)
			w.run()
			w.check()
			for state := range w.held {
				held[state] = true
			}
		}
	}
	for _, state := range []State{Idle, Streaming, Ended} {
		if !held[state] {
			t.Errorf("no cancel found the turn %v and without credit", state)
		}
	}
}

// The same state by state, with every way to ask for the end: all that the turn
// has to tell and to ask for goes out without a grant.
func TestNoStateWaitsForCreditOnceItsTurnEnds(t *testing.T) {
	answer := func(stop provider.StopReason, blocks ...provider.Block) MessageAssembled {
		return MessageAssembled{Ref: ref(1, 1), Message: message(blocks...), Stop: stop}
	}
	for state, inputs := range map[State][]any{
		Idle:      {},
		Streaming: {StepPrepared{Ref: ref(1, 1), Request: request}},
		Executing: {StepPrepared{Ref: ref(1, 1), Request: request}, answer(provider.StopRefusal, reads(0))},
		Ended:     {StepPrepared{Ref: ref(1, 1), Request: request}, answer(provider.StopEnd, provider.Text{Text: "done"})},
	} {
		for _, stop := range []any{cancelNow, ReaderGone{"t1"}} {
			t.Run(fmt.Sprintf("%v %s", state, name(stop)), func(t *testing.T) {
				m := newTurns(turnRules{limits: Limits{HopBatches: 1}.Default()}, false)
				m.Handle(StartTurn{Turn: "t0"}, noon)
				m.Handle(StepPrepared{Ref: Ref{"t0", 1, 1}, Err: fmt.Errorf("no")}, noon) // its start has spent the credit
				m.Handle(StartTurn{Turn: "t1", Prompt: Prompt{ID: "p1"}}, noon)
				for _, in := range inputs {
					m.Handle(in, noon)
				}
				if m.turn.State() != state || !m.out.Stalled() {
					t.Fatalf("the turn is %v and stalled: %v", m.turn.State(), m.out.Stalled())
				}
				m.Handle(stop, noon)
				if n := len(m.out.queue); n > 0 {
					t.Errorf("%d effects wait for credit", n)
				}
			})
		}
	}
}
