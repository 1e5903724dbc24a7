package actors

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/weir-agents/weir/provider"
)

// What no reader takes and no journal records is bounded: beyond it neither a
// prompt nor a compaction is taken.
func TestTooMuchThatWaitsMakesASessionBusy(t *testing.T) {
	for name, b := range map[string]backlog{
		"events":    {told: 8},
		"texts":     {told: 1, toldBytes: 21},
		"turns":     {ends: 8},
		"turn text": {ends: 1, ofTurns: 21 + 4*(128<<10)},
		"records":   {commits: 40},
	} {
		k := newSessionTest(t, nil) // two prompts of 20 bytes
		k.m.full.trigger = 1
		k.m.backlog = b
		var got []error
		told := func(err error) { got = append(got, err) }
		k.in(Prompt{Text: "x", Reply: told}, CompactHistory{Reply: told})
		if len(got) == 0 || !errors.Is(got[0], ErrBusy) || name != "records" && (len(got) < 2 || !errors.Is(got[1], ErrBusy)) {
			t.Errorf("%s: %v", name, got)
		}
	}
	k := newSessionTest(t, nil)
	k.m.backlog = backlog{told: 7, toldBytes: 10, ends: 7, ofTurns: 10, commits: 10}
	k.in(k.prompt("p1"))
	k.want("fact PromptAccepted", "p1 accepted", "turn: start t1 with p1")
}

// However many prompts may wait, their text is bounded too: twice the largest.
func TestPromptsThatWaitAreBoundedByTheirText(t *testing.T) {
	limits := Limits{Prompts: 16, PromptBytes: 20}.Default()
	m := newSession(limits, provider.Request{}, false)
	var busy []int
	for _, n := range []int{20, 20, 15, 6, 5, 1} { // the first one's turn begins
		for _, s := range m.Handle(Prompt{Text: strings.Repeat("x", n)}) {
			if in, ok := s.In.(reply); ok && errors.Is(in.err, ErrBusy) {
				busy = append(busy, n)
			}
		}
	}
	same(t, []int{6, 1}, busy)
}

func TestTheBacklogIsWhatNoCreditWasSpentOn(t *testing.T) {
	box := &outbox{queue: []queued{
		{event: TextDelta{Envelope: Envelope{Turn: "t1"}}, size: 7},
		{event: TextDelta{Envelope: Envelope{Turn: "t1"}}, size: 5, free: true},
		{event: TurnStarted{Envelope: Envelope{Turn: "t1"}}, size: 3},
		{event: TurnEnded{Envelope: Envelope{Turn: "t1"}, Text: "end"}, free: true},
		{event: PromptQueued{}, size: 9},
		{event: PromptDropped{}, size: 4, free: true},
	}}
	o := newAside(Limits{HopBatches: 1}.Default(), true)
	o.queue = []Send{
		{Supervising, Commit{Facts: []any{PromptAccepted{Prompt{Text: "four"}}, HistoryReplaced{}}}},
		{Reporter, Post{Events: []Event{PromptQueued{}, PromptQueued{}}, Bytes: 6}},
	}
	want := backlog{told: 3, toldBytes: 10, ends: 1, ofTurns: 11, commits: 4, replaced: 1}
	if got := o.backlog(box); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Turns canceled in a row do not put off the loss of the first: each has its
// own time.
func TestEachCanceledTurnIsLostInItsOwnTime(t *testing.T) {
	l := Limits{}.Default()
	box := newOutbox("s", l)
	r := newReporter(l, DeltasText, box)
	at := time.Unix(1_000_000, 0)
	for _, turn := range []string{"t1", "t2"} {
		r.Handle(Post{From: Turning, Ref: Ref{Turn: turn}, Events: []Event{TurnStarted{}, StepStarted{}, TurnEnded{Outcome: Canceled}}}, at)
		at = at.Add(l.CancelRead / 2)
	}
	kinds := func() string {
		all := ""
		for _, q := range box.queue {
			all += q.event.Type() + " "
		}
		return all
	}
	r.Handle(Tick{Epoch: r.epoch}, at)
	same(t, "notice turn_ended turn_started step_started turn_ended ", kinds())
	r.Handle(Tick{Epoch: r.epoch}, at.Add(l.CancelRead/2))
	same(t, "notice turn_ended notice turn_ended ", kinds())
}

// I10: what waits for a journal that nobody waits for is bounded; beyond it the
// record ends, whole up to there, and one notice says so.
func TestAJournalThatIsTooSlowIsGivenUp(t *testing.T) {
	j := newSlowJournal(false, "prompt_accepted")
	big := func(_ context.Context, _ provider.Request, say func(provider.Delta) bool) error {
		say(text(0, strings.Repeat("x", 3000)))
		say(provider.Delta{Kind: provider.FinishDelta, Stop: provider.StopEnd})
		return nil
	}
	k := newLiveTest(t, Config{Provider: model(big), Journal: j, Limits: Limits{MessageBytes: 8000}.Default()})
	k.send(Prompt{Text: "fine"})
	k.wait(j.holding, "the record of the prompt")
	k.until("turn_ended")
	notices := 0
	for range 2 {
		k.send(Prompt{Text: "again"})
		for _, e := range k.until("turn_ended") {
			if n, ok := e.(Notice); ok && n.Code == "unsaved" {
				notices++
			}
		}
	}
	same(t, 1, notices)
	close(j.release)
	k.close()
	same(t, []string{"prompt_accepted", "message_kept", "turn_closed", "prompt_accepted"}, recordKinds(t, j))
}
