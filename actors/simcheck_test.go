package actors

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/weir-agents/weir/provider"
)

// check holds what the reader got against the contract, when all has been served.
func (w *world) check() {
	if w.session.turn != "" || w.turns.turn != nil && w.turns.turn.state != Ended {
		w.failf("nothing is left to do and turn %s is %v; outlet %d, held %d, aside %d", w.session.turn, w.turns.turn.state, len(w.turns.out.queue), len(w.asm.held), len(w.aside.queue))
	}
	if len(w.out.queue) > 0 || w.reader.taken != len(w.reader.events) {
		w.failf("%d events wait for a reader that waits too", len(w.out.queue))
	}
	if w.user.open != 0 {
		w.failf("%d cancels have no answer", w.user.open)
	}
	lost := w.checkSeq()
	w.checkTurns(lost)
	w.checkText(lost)
	w.checkCalls(lost)
	w.checkHistory()
	for id, n := range w.user.fate {
		if n > 1 || n == 0 && len(lost) == 0 {
			w.failf("prompt %s was told of %d times", id, n)
		}
	}
	for s := range w.gauges {
		if w.gauges[s].depth.Load() != 0 || int(w.gauges[s].peak.Load()) > w.l.capacity(Stage(s)) {
			w.failf("mailbox of %v: depth %d, peak %d", Stage(s), w.gauges[s].depth.Load(), w.gauges[s].peak.Load())
		}
	}
}

// checkSeq checks that seq rises by 1, and returns the turns whose events were
// lost to a reader that did not read after a cancel.
func (w *world) checkSeq() map[string]bool {
	lost := map[string]bool{}
	missing := map[uint64]bool{}
	last := uint64(0)
	for i, e := range w.reader.events {
		if n, ok := e.(Notice); ok && n.Code == "gap" {
			for s := n.From; s <= n.To; s++ {
				missing[s] = true
			}
			for _, later := range w.reader.events[i:] {
				if end, ok := later.(TurnEnded); ok && end.Outcome == Canceled {
					lost[end.Turn] = true
					break
				}
			}
			continue
		}
		seq := e.Head().Seq
		for last++; last < seq && missing[last]; last++ {
		}
		if seq != last {
			w.failf("seq %d follows %d", seq, last-1)
		}
		if missing[seq] && e.Head().Turn != "" && lost[e.Head().Turn] {
			w.failf("event %d was said to be lost", seq)
		}
	}
	return lost
}

// checkTurns checks one start and one end of each turn, and nothing outside.
func (w *world) checkTurns(lost map[string]bool) {
	began, ended := map[string]bool{}, map[string]bool{}
	for _, e := range w.reader.events {
		turn := e.Head().Turn
		if turn == "" {
			continue
		}
		if ended[turn] {
			w.failf("%s comes after the end of %s", e.Type(), turn)
		}
		switch e.(type) {
		case TurnStarted:
			if began[turn] {
				w.failf("%s started twice", turn)
			}
			began[turn] = true
		case TurnEnded:
			ended[turn] = true
		}
		if !began[turn] && !lost[turn] {
			w.failf("%s comes before the start of %s", e.Type(), turn)
		}
	}
	if len(ended) != w.session.turns {
		w.failf("%d turns, %d ended", w.session.turns, len(ended))
	}
}

// checkText checks that what each try sent is what the reader got, to the byte.
func (w *world) checkText(lost map[string]bool) {
	type place struct {
		ref   Ref
		block int
	}
	got, want := map[place]string{}, map[place]string{}
	for _, e := range w.reader.events {
		switch e := e.(type) {
		case TextDelta:
			got[place{e.Ref(), e.Block}] += e.Text
		case ThinkingDelta:
			got[place{e.Ref(), e.Block}] += e.Text
		case MessageCompleted:
			for i, b := range e.Blocks {
				switch b := b.(type) {
				case provider.Text:
					w.same(got[place{e.Ref(), i}], b.Text, lost[e.Turn])
				case provider.Thinking:
					w.same(got[place{e.Ref(), i}], b.Text, lost[e.Turn])
				}
			}
		}
	}
	for _, r := range w.refs {
		for _, s := range w.sent[r] {
			p := place{r, s.block}
			want[p] += s.text
		}
	}
	for p, text := range want {
		if strings.HasPrefix(text, got[p]) && w.cutOff[p.ref] {
			continue
		}
		w.same(got[p], text, lost[p.ref.Turn])
	}
	for p := range got {
		if want[p] == "" {
			w.failf("text of block %d of %v was never sent", p.block, p.ref)
		}
	}
}

func (w *world) same(got, want string, lost bool) {
	if got != want && !lost {
		w.failf("the reader got %q, sent was %q", got, want)
	}
}

// checkCalls checks rules 1 and 2 of the event contract.
func (w *world) checkCalls(lost map[string]bool) {
	var due []string // calls of the last message without their end
	turn := ""
	for _, e := range w.reader.events {
		head := ""
		switch e := e.(type) {
		case MessageCompleted:
			if turn = e.Turn; len(due) > 0 && !lost[turn] {
				w.failf("a message comes while calls %v are open", due)
			}
			due = nil
			for _, c := range (provider.Message{Blocks: e.Blocks}).Calls() {
				due = append(due, c.ID)
			}
		case ToolStarted:
			head = e.Call
		case ToolOutput:
			head = e.Call
		case ToolFinished:
			if head = e.Call; len(due) > 0 && due[0] == head {
				due = due[1:]
				continue
			}
		case TurnEnded:
			if len(due) > 0 && !lost[e.Turn] {
				w.failf("%s ended with calls %v open", e.Turn, due)
			}
			due = nil
		}
		if head != "" && (len(due) == 0 || due[0] != head) && !lost[e.Head().Turn] {
			w.failf("%s of call %s, but %v are due", e.Type(), head, due)
		}
	}
}

// checkHistory checks that a strict provider would take it.
func (w *world) checkHistory() {
	var calls []provider.ToolCall
	for i, m := range w.session.history.messages {
		if (m.Role == provider.Tool) != (len(calls) > 0) {
			w.failf("message %d has role %s after %d calls", i, m.Role, len(calls))
		}
		if m.Role == provider.Tool {
			if len(m.Blocks) != len(calls) {
				w.failf("%d results for %d calls", len(m.Blocks), len(calls))
			}
			for j, b := range m.Blocks {
				if b.(provider.ToolResult).Call != calls[j].ID {
					w.failf("result %d is not of call %s", j, calls[j].ID)
				}
			}
		}
		if calls = m.Calls(); m.Role == provider.Assistant && m.Empty() {
			w.failf("an empty message is in the history")
		}
	}
	if len(calls) > 0 {
		w.failf("%d calls have no results in the history", len(calls))
	}
}

// drawLimits draws small limits, where every window is soon spent.
func drawLimits(t *rapid.T) Limits {
	n := func(name string, least, most int) int { return rapid.IntRange(least, most).Draw(t, name) }
	wait := func(name string, least, most int) time.Duration {
		return time.Duration(n(name, least, most)) * time.Second
	}
	l := Limits{
		HopBatches: n("HopBatches", 1, 5), HopBytes: n("HopBytes", 16, 300), MessageBytes: n("MessageBytes", 200, 5000),
		CallsMax: n("CallsMax", 1, 6), OutputBytes: n("OutputBytes", 64, 200), LiveBytes: n("LiveBytes", 16, 100),
		ReaderWindow: n("ReaderWindow", 1, 4), Prompts: n("Prompts", 1, 3), Steps: n("Steps", 1, 8),
		Attempts: n("Attempts", 1, 3), ParallelCalls: n("ParallelCalls", 1, 3), Pauses: n("Pauses", 1, 3),
		TurnTime: wait("TurnTime", 0, 100), ApprovalWait: wait("ApprovalWait", 0, 3), Repeats: n("Repeats", 1, 4), Failures: n("Failures", 1, 4),
	}
	if rapid.Bool().Draw(t, "patience") {
		l.ReaderPatience = wait("ReaderPatience", 1, 3)
	}
	l.Eager = rapid.Bool().Draw(t, "eager")
	return l.Default()
}

// setting is what chance decides before a world runs.
type setting struct {
	l       Limits
	p       plan
	durable bool
	seed    uint64
}

// settings draws them; each n of world is another interleaving of one.
var settings = rapid.Custom(func(t *rapid.T) setting {
	return setting{
		p: plan{
			prompts: rapid.IntRange(1, 6).Draw(t, "prompts"), cancels: rapid.IntRange(0, 4).Draw(t, "cancels"),
			failing: rapid.IntRange(0, 6).Draw(t, "failing"), lazyReader: rapid.Bool().Draw(t, "lazy"), hooked: rapid.Bool().Draw(t, "hooked"),
			starved: Stage(rapid.IntRange(0, 2*int(stages)).Draw(t, "starved")), frozen: rapid.IntRange(-20, 20).Draw(t, "frozen"),
		},
		l: drawLimits(t), durable: rapid.Bool().Draw(t, "durable"), seed: rapid.Uint64().Draw(t, "seed"),
	}
})

func (s setting) world(t rapid.TB, n int) *world {
	return newWorld(t, s.l, s.p, s.durable, s.seed+uint64(n))
}

// A session over drawn limits and any interleaving keeps the contract: I2 (no
// post refused), I4, I5, I6, I11, and every turn ends once all is served.
func TestSessionKeepsItsContractInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := settings.Draw(t, "setting")
		for n := range 20 {
			w := s.world(t, n)
			w.run()
			w.check()
		}
	})
}

// The worlds above are worth something only if they lead everywhere: an edge of
// the turn, or an input that can come in a state, must not be left out. The
// seeds are fixed, so this does not depend on chance.
func TestTurnTakesEveryEdgeAndInput(t *testing.T) {
	covered, took := map[pair]bool{}, map[edge]bool{}
	for i := range 120 {
		s := settings.Example(i)
		for n := range 20 {
			w := s.world(t, n)
			w.run()
			w.check()
			maps.Copy(covered, w.covered)
			maps.Copy(took, w.edges)
		}
	}
	wantCovered(t, covered, took)
}

// wantCovered fails if an edge of the turn, or an input that can come in a
// state, was never taken.
func wantCovered(t *testing.T, covered map[pair]bool, took map[edge]bool) {
	for from, tos := range edges {
		for _, to := range tos {
			if !took[edge{State(from), to}] {
				t.Errorf("the turn never went from %v to %v", State(from), to)
			}
		}
	}
	for state, inputs := range inputsOf {
		for _, in := range inputs {
			if !covered[pair{state, in}] {
				t.Errorf("no %s came in state %v", in, state)
			}
		}
	}
	var beyond []string
	for p := range covered {
		if !slices.Contains(inputsOf[p.state], p.in) {
			beyond = append(beyond, fmt.Sprintf("%v: %s", p.state, p.in))
		}
	}
	if len(beyond) > 0 {
		t.Errorf("inputs that the table does not know came: %v", beyond)
	}
}

// inputsOf says which fresh inputs can come in each state.
var inputsOf = map[State][]string{
	Idle:      {"StartTurn", "StepPrepared", "CancelTurn", "ReaderGone", "Tick"},
	Streaming: {"StepPrepared", "MessageAssembled", "StreamBroke", "StreamClosed", "CallsVoided", "CancelTurn", "ReaderGone", "Tick"},
	Executing: {"StepPrepared", "CallFinished", "ApprovalWaiting", "CancelTurn", "ReaderGone", "Tick"},
	Draining:  {"StepPrepared", "MessageAssembled", "StreamBroke", "CallsVoided", "StreamClosed", "CallFinished", "CallsClosed", "ApprovalWaiting", "CancelTurn", "ReaderGone", "Tick"},
	Ended:     {"StreamClosed", "CallsClosed", "CancelTurn", "ReaderGone"},
}
