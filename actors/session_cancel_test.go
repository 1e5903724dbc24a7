package actors

import "testing"

// A cancel by prompt finds the turn that answers it, or the prompt alone where
// it still waits; what is over it leaves alone.
func TestACancelByPromptEndsOnlyWhatIsItsOwn(t *testing.T) {
	by := func(k *sessionTest, id string) Cancel {
		return Cancel{Prompt: id, Ended: func(o Outcome) { k.say("cancel: %q", o) }}
	}
	k := newSessionTest(t, nil)
	k.in(k.prompt("p1"), k.prompt("p2"), k.prompt("p3"))
	k.pass()
	k.in(by(k, "p2"))
	k.want("fact PromptWithdrawn", "event dropped p2", `cancel: "withdrawn"`)
	k.in(by(k, "p2"), by(k, "nonsense"))
	k.want(`cancel: ""`, `cancel: ""`)
	k.in(asks(2), by(k, "p3")) // it goes with that step
	k.want("turn: step 2, 2 messages, joined p3", "fact CancelAsked", "turn: cancel t1")
	k.in(turnDone("t1", Canceled))
	k.want("event dropped p3", `cancel: "canceled"`)
	k.in(k.prompt("p4"), k.prompt("p5"), PrepareStep{Ref: Ref{Turn: "t2", Step: 2, Attempt: 1}}, Commit{Facts: []any{PromptsJoined{[]Prompt{{ID: "p5"}}}}})
	k.pass()
	k.in(by(k, "p1"), by(k, "p5")) // a turn that is over, and one that it joined
	k.want(`cancel: ""`, "fact CancelAsked", "turn: cancel t2")
	k.in(turnDone("t2", Canceled))
	k.want(`cancel: "canceled"`)
	k.in(by(k, "p5"))
	k.want(`cancel: ""`)
}

// A cancel of a turn that is over leaves a compaction alone that runs now.
func TestACancelOfAnOldTurnStopsNoCompaction(t *testing.T) {
	k := newSessionTest(t, nil)
	k.m.compacting = &compaction{}
	k.in(Cancel{Turn: "t1"}, Cancel{Prompt: "p1"})
	k.want(nil...)
	if k.m.compacting == nil {
		t.Error("the compaction was stopped")
	}
}

// A prompt whose sender has gone is not accepted.
func TestAPromptThatIsNoLongerWantedDoesNothing(t *testing.T) {
	k := newSessionTest(t, nil)
	p := k.prompt("p1")
	p.Wanted = func() bool { return false }
	k.in(p)
	k.want(nil...)
}
