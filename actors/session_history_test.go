package actors

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/weir-agents/weir/provider"
)

// newHistoryTest is a session whose window is 1,000 tokens; a compaction is due
// at 500.
func newHistoryTest(t *testing.T) *sessionTest {
	k := newSessionTest(t, func(l *Limits) { l.PromptBytes = 1 << 20 })
	k.m.full = newFullness(Compaction{
		Window: 1000, At: 0.5,
		Compact: func(context.Context, provider.Request, int, float64) ([]provider.Message, provider.Usage, error) {
			panic("the machine does not call it")
		},
	}, provider.Request{})
	return k
}

// full makes the history one of about 600 tokens.
func (k *sessionTest) full() {
	k.t.Helper()
	k.in(ReplaceHistory{Messages: talk(strings.Repeat("word ", 480)), Reply: k.told("replace")})
	k.pass()
}

func talk(text string) []provider.Message {
	return []provider.Message{
		{Role: provider.User, Blocks: []provider.Block{provider.Text{Text: text}}},
		{Role: provider.Assistant, Blocks: []provider.Block{provider.Text{Text: "yes"}}},
	}
}

func (k *sessionTest) told(what string) func(error) {
	return func(err error) { k.say("%s: %v", what, err) }
}

// step asks for the first step of turn t1 after prompt a.
func (k *sessionTest) step() {
	k.t.Helper()
	k.in(k.prompt("a"))
	k.pass()
	k.in(PrepareStep{Ref: Ref{"t1", 1, 1}})
}

func TestAStepWaitsForACompaction(t *testing.T) {
	k := newHistoryTest(t)
	k.full()
	k.step()
	k.want("supervisor: askCompact")
	k.in(historyShrunk{epoch: 1, messages: talk("short"), usage: provider.Usage{Input: 7}})
	k.want("fact HistoryReplaced", "turn: step 1, 2 messages, joined", "event notice")
	if step := k.m.history.messages; len(step) != 2 {
		t.Errorf("the history has %d messages", len(step))
	}
	k.in(historyShrunk{epoch: 1, messages: talk("late")})
	k.want()
}

func TestAHistoryThatNoModelTakesIsNotTaken(t *testing.T) {
	k := newHistoryTest(t)
	k.full()
	k.step()
	k.pass()
	k.in(historyShrunk{epoch: 1, messages: talk("short")[1:]})
	k.want("event notice", "turn: step 1, 3 messages, joined")
	// It is not tried again before the history has grown.
	k.in(PrepareStep{Ref: Ref{"t1", 2, 1}})
	k.want("turn: step 2, 3 messages, joined")
}

func TestACancelGivesACompactionUp(t *testing.T) {
	k := newHistoryTest(t)
	k.full()
	k.step()
	k.pass()
	k.in(Cancel{})
	k.want("fact CancelAsked", "turn: cancel t1", "supervisor: stopCompact", "turn: step 1, 3 messages, joined")
	k.in(historyShrunk{epoch: 1, messages: talk("late")})
	k.want()
	if n := len(k.m.history.messages); n != 3 {
		t.Errorf("the history has %d messages", n)
	}
}

func TestATurnThatEndsDropsTheStepItWaitsFor(t *testing.T) {
	k := newHistoryTest(t)
	k.full()
	k.step()
	k.pass()
	k.in(DropStep{Ref: Ref{"t1", 1, 1}})
	k.want("supervisor: stopCompact", "turn: step 1, 3 messages, joined")
	k.in(DropStep{Ref: Ref{"t0", 1, 1}})
	k.want()
}

func TestACrashGivesTheCompactionOfItsTurnUp(t *testing.T) {
	k := newHistoryTest(t)
	k.full()
	k.step()
	k.pass()
	k.in(crash(), rebuilt{why: crash()})
	if k.m.compacting != nil || k.m.turn != "" {
		t.Errorf("turn %q still waits for a compaction", k.m.turn)
	}
	k.pass()
	k.in(historyShrunk{epoch: 1, messages: talk("late")})
	k.want()
}

func TestPromptsWaitForACompactionThatWasAskedFor(t *testing.T) {
	k := newHistoryTest(t)
	k.full()
	k.in(CompactHistory{ID: "c", Reply: k.told("compact")}, k.prompt("a"), CompactHistory{Reply: k.told("again")})
	k.want("supervisor: askCompact", "fact PromptAccepted", "a accepted", "event queued a", "again: "+string(errCompacting))
	k.in(StopCompaction{ID: "another"})
	k.want()
	k.in(historyShrunk{epoch: 1, err: errors.New("no")})
	k.want("event notice", "compact: no", "turn: start t1 with a")
}

func TestACancelVoidsWhatWaitsForACompaction(t *testing.T) {
	k := newHistoryTest(t)
	k.full()
	k.in(CompactHistory{Reply: k.told("compact")}, k.prompt("a"))
	k.pass()
	k.in(k.canceler())
	k.want("supervisor: stopCompact", "compact: "+ErrStopped.Error(), "event dropped a", `cancel: ""`)
}

func TestWhoHasReadTheEndOfATurnMayChangeTheHistory(t *testing.T) {
	k := newHistoryTest(t)
	k.in(k.prompt("a"))
	k.pass()
	k.in(ReplaceHistory{Reply: k.told("early")}, ReplaceHistory{Messages: talk("new"), Ended: "t1", Reply: k.told("replace")})
	k.want("early: " + string(errTurnRuns))
	k.in(turnDone("t1", Completed))
	k.want("fact HistoryReplaced", "replace: <nil>")
}

func TestTheEstimateFollowsWhatTheModelReports(t *testing.T) {
	f := newFullness(Compaction{Window: 1000}, provider.Request{System: strings.Repeat("a", 16_000)})
	f.asked, f.weight = Ref{"t1", 1, 1}, 4000
	for _, c := range []struct {
		ref  Ref
		u    *provider.Usage
		want int
	}{
		{Ref{"t1", 1, 1}, nil, 4000},
		{Ref{"t1", 1, 2}, &provider.Usage{Input: 5000}, 5000},
		{Ref{"t1", 2, 1}, &provider.Usage{Input: 9000}, 5000},                  // of another step
		{Ref{"t1", 1, 1}, &provider.Usage{Input: 9000, Estimated: true}, 5000}, // B124: no report
		{Ref{"t1", 1, 1}, &provider.Usage{Input: 12}, 2000},                    // a server that makes it up
		{Ref{"t1", 1, 1}, &provider.Usage{Input: 90_000}, 16_000},
	} {
		f.measure(c.ref, c.u)
		if got := f.fill().Total; got != c.want {
			t.Errorf("after %+v of %v: %d tokens, want %d", c.u, c.ref, got, c.want)
		}
	}
	f.weight = 100 // too little to learn from
	f.measure(f.asked, &provider.Usage{Input: 100})
	if got := f.fill().Total; got != 16_000 {
		t.Errorf("after a small request: %d tokens", got)
	}
}
