package actors

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/tools"
)

func resolve(call, decision string) Resolve { return Resolve{Call: call, Decision: decision} }

func TestACallThatIsAllowedRuns(t *testing.T) {
	k := newCallsTest(t, nil, "ask")
	k.looked(0)
	k.want("turn: waits for consent", "show a asks")
	k.now = noon.Add(time.Minute)
	k.in(resolve("a", "allow"))
	k.want("turn: waits no more", "fact: a approved", "show a allow by user", "show a started", "fact: a starts", "start a")
	k.in(resolve("a", "deny")) // too late
	k.want()
	k.done(0)
}

func TestTheEventsOfARequestForConsentSayAll(t *testing.T) {
	k := newCallsTest(t, nil, "ask")
	k.looked(0)
	want := Post{From: Executor, Ref: k.ref, Bytes: 2, Events: []Event{ApprovalRequested{
		Call: "a", Name: "ask", Arguments: []byte(`{}`), Reason: "it writes", RuleSuggestion: "ask(*)",
	}}}
	if diff := cmp.Diff(want, k.raw[len(k.raw)-1].In); diff != "" {
		t.Error(diff)
	}
	k.pass()
	k.in(Resolve{Turn: "t1", Call: "a", Decision: "deny", Note: "not now"})
	r := provider.ToolResult{Call: "a", Name: "ask", Text: "the user denied this call: not now", IsError: true}
	e := ToolFinished{Call: "a", Name: "ask", Text: r.Text, ErrorKind: "denied"}
	events := []Event{ApprovalResolved{Call: "a", Decision: "deny", By: "user", Note: "not now"}, e}
	wantAll := []Send{
		{Turning, ApprovalWaiting{Ref: k.ref}},
		{Supervising, Commit{Facts: []any{CallEnded{Ref: k.ref, Result: r, Event: e}}}},
		{Reporter, Post{From: Executor, Ref: k.ref, Events: events, Bytes: len(r.Text)}},
		{Turning, CallFinished{Ref: k.ref, Result: r, Event: e}},
	}
	if diff := cmp.Diff(wantAll, k.raw); diff != "" {
		t.Error(diff)
	}
}

func TestAnAnswerForAnotherTurnOrCallIsDropped(t *testing.T) {
	k := newCallsTest(t, nil, "ask")
	k.looked(0)
	k.pass()
	k.in(Resolve{Turn: "t0", Call: "a", Decision: "allow"}, resolve("b", "allow"))
	k.want()
}

// What is no decision allows nothing, and the event says what was taken for it.
func TestAWordThatIsNoDecisionDenies(t *testing.T) {
	k := newCallsTest(t, nil, "ask")
	k.looked(0)
	k.pass()
	k.in(resolve("a", "yes please"))
	k.want("turn: waits no more", "fact: a ended", "show a deny by user", "show a finished denied", "turn: a finished")
}

func TestAlwaysLooksAgainAtWhatStillWaits(t *testing.T) {
	k := newCallsTest(t, nil, "ask", "ask", "ask")
	k.looked(0, 1, 2)
	k.pass()
	k.in(resolve("a", "allow_always"))
	k.want("remember ask(*)", "check b c", "fact: a approved ask(*)", "show a allow_always by user", "show a started", "fact: a starts", "start a")
	k.in(CallChecked{Ref: k.ref, Index: 1, Spec: tools.Spec{Class: tools.Mutating}, Verdict: tools.Verdict{Decision: tools.Allow, By: "rule", Reason: "ask(*)"}})
	k.want("show b allow by rule")
	k.looked(2) // the rule does not cover it: it waits on, and is not asked twice
	k.want()
	k.done(0)
	k.want("fact: a ended", "show a finished", "show b started", "fact: b starts", "start b", "turn: a finished")
}

// I2: each "always" looks at all that wait; only one look is on its way at a
// time, so that a host that answers everything at once fills no mailbox.
func TestManyAnswersAtOnceLookOnceMore(t *testing.T) {
	k := newCallsTest(t, nil, "ask", "ask", "ask", "ask")
	k.looked(0, 1, 2, 3)
	k.pass()
	k.in(resolve("a", "allow_always"), resolve("b", "allow_always"), resolve("c", "allow_always"))
	looks := 0
	for _, s := range k.raw {
		if c, ok := s.In.(checkCalls); ok {
			looks += len(c.Calls)
		}
	}
	if looks != 3 {
		t.Errorf("%d looks are on their way, want one at each of b, c, d", looks)
	}
	k.pass()
	k.looked(1, 2, 3)
	k.want("check d")
	k.looked(3)
	k.want()
}

func TestAnAnswerThatComesTooLateDenies(t *testing.T) {
	k := newCallsTest(t, func(l *Limits) { l.ApprovalWait = time.Minute }, "ask", "ask")
	k.looked(0)
	k.want("turn: waits for consent", "timer 1m0s", "show a asks")
	k.now = noon.Add(30 * time.Second)
	k.looked(1)
	k.want("timer 1m0s", "show b asks")
	k.now = noon.Add(time.Minute)
	k.in(Tick{Epoch: 1}) // of the timer before
	k.want()
	k.in(Tick{Epoch: 2})
	k.want("timer 1m30s", "fact: a ended", "show a deny by timeout", "show a finished denied", "turn: a finished")
	k.in(resolve("b", "allow"))
	k.want("turn: waits no more", "timer off", "fact: b approved", "show b allow by user", "show b started", "fact: b starts", "start b")
}

// A call that waits for consent holds up what must come after it, but no read.
func TestAWaitForConsentHoldsNoGateSlot(t *testing.T) {
	k := newCallsTest(t, nil, "read", "ask", "read")
	k.looked(0, 1, 2)
	k.want("show a started", "fact: a starts", "start a", "turn: waits for consent", "show b asks")
	k.done(0)
	k.want("fact: a ended", "show a finished", "turn: a finished")
	k.in(resolve("b", "allow"))
	k.want("turn: waits no more", "fact: b approved", "show b allow by user", "show b started", "fact: b starts", "start b")
}

// ---- close

func closing() CloseCalls { return CloseCalls{Ref: ref(1, 1), Kind: tools.Canceled, Text: "canceled"} }

func TestACloseEndsEveryCallWhateverItDoes(t *testing.T) {
	k := newCallsTest(t, nil, "read", "read", "ask", "read", "write")
	k.looked(0, 1, 2, 4) // d is still being checked
	k.done(0)
	k.pass()
	k.in(closing())
	k.want("end scope", "stop b", "turn: waits no more", "fact: c ended", "fact: d ended", "fact: e ended", "show c deny by cancel")
	k.looked(3)
	k.in(resolve("c", "allow"), ScopeEnded{k.ref}, closing())
	k.want()
	k.in(CallDone{Ref: k.ref, Index: 1, Result: tools.Result{Text: "killed", Kind: tools.Failed}, StartedAt: noon, Stopped: true})
	k.want("fact: b ended", "show b finished canceled", "show c finished canceled", "show d finished canceled", "show e finished canceled",
		"turn: b finished", "turn: c finished", "turn: d finished", "turn: e finished", "turn: closed")
}

// A tool that finished is reported as it finished, even if a cancel overtook the news.
func TestACallThatFinishedIsNotReportedCanceled(t *testing.T) {
	for name, r := range map[string]tools.Result{"well": {Text: "ok"}, "badly": {Text: "no such file", Kind: tools.Failed}} {
		t.Run(name, func(t *testing.T) {
			k := newCallsTest(t, nil, "read")
			k.looked(0)
			k.in(closing())
			k.in(CallDone{Ref: k.ref, Index: 0, Result: r, StartedAt: noon})
			if got := k.m.list[0].finished.Event.ErrorKind; got != string(r.Kind) {
				t.Errorf("error kind %q, want %q", got, r.Kind)
			}
		})
	}
}

func TestACloseWaitsForTheBackgroundProcesses(t *testing.T) {
	k := newCallsTest(t, nil)
	k.in(closing())
	k.want("end scope")
	k.in(ScopeEnded{ref(9, 9)}) // another's
	k.want()
	k.in(ScopeEnded{k.ref})
	k.want("turn: closed")
}

// I7: the close needs no credit and passes the RunCalls it is about.
func TestACloseThatOvertakesItsCalls(t *testing.T) {
	for _, scopeFirst := range []bool{true, false} {
		k := newCallsTest(t, func(l *Limits) { l.HopBatches = 1 })
		k.m.out.Spend(1) // nothing is left to show with
		k.in(closing())
		k.pass()
		run := RunCalls{Ref: ref(1, 1), Calls: named("write")}
		results := []string{"fact: a ended", "free show a finished canceled", "turn: a finished", "turn: closed"}
		if scopeFirst {
			k.in(ScopeEnded{k.ref})
			k.want("turn: closed")
			k.in(run)
			k.want(results...)
			continue
		}
		k.in(run)
		k.want("fact: a ended")
		k.in(ScopeEnded{k.ref})
		k.want(results[1:]...)
	}
}

// I11: what waits for credit is handed over in one post, and only then told.
func TestACloseHandsOverWhatWaitsForCredit(t *testing.T) {
	k := newCallsTest(t, func(l *Limits) { l.ReaderWindow = 1 }, "read", "read")
	k.looked(0, 1)
	k.in(CallOutput{Ref: k.ref, Index: 0, Text: "half"})
	k.pass()
	k.in(closing())
	k.want("end scope", "stop a", "fact: b ended")
	k.in(ScopeEnded{k.ref})
	k.in(CallDone{Ref: k.ref, Index: 0, Result: tools.Result{Kind: tools.Failed}, Stopped: true})
	k.want("fact: a ended", "free show a says half", "free show a finished canceled", "free show b finished canceled",
		"turn: a finished", "turn: b finished", "turn: closed")
}

func TestTheNextTurnRunsAfterAClosedOne(t *testing.T) {
	k := newCallsTest(t, nil, "read")
	k.in(closing(), ScopeEnded{k.ref})
	k.ref = Ref{"t2", 1, 1}
	k.pass()
	k.in(RunCalls{Ref: k.ref, Calls: named("read")})
	k.want("check a")
	k.looked(0)
	k.want("show a started", "fact: a starts", "start a")
}
