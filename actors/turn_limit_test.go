package actors

import (
	"fmt"
	"testing"
	"time"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/tools"
)

// round is one step of calls whose results are text, ok or not.
func (k *turnTest) round(text string, ok bool) {
	k.t.Helper()
	k.streaming()
	k.answer(provider.StopToolCalls, reads(0), reads(1))
	for i := range 2 {
		f := finished(k.m.ref, reads(i), text)
		f.Event.OK = ok || i == 1 && text == "one of two"
		k.in(f)
	}
}

// wantLimit checks how the turn ended, if it did.
func (k *turnTest) wantLimit(limit string) {
	k.t.Helper()
	got := ""
	if k.m.ending != nil {
		got = k.m.ending.limit
	}
	if got != limit {
		k.t.Errorf("in step %d the limit is %q, want %q", k.m.ref.Step, got, limit)
	}
}

func TestTheSameRoundAgainAndAgainEndsTheTurn(t *testing.T) {
	k := newTurnTest(t, limits(func(l *Limits) { l.Repeats = 3 }))
	k.round("a", true)
	k.round("a", true)
	k.round("b", true) // something changed: the count starts over
	k.round("b", true)
	k.wantLimit("")
	k.round("b", true)
	k.wantLimit("repeats")
	k.wantState(Ended)
}

func TestRoundsInWhichEveryCallFailsEndTheTurn(t *testing.T) {
	k := newTurnTest(t, limits(func(l *Limits) { l.Failures = 3 }))
	k.round("1", false)
	k.round("2", false)
	k.round("one of two", false)
	for i := range 2 {
		k.round(fmt.Sprint("x", i), false)
	}
	k.wantLimit("")
	k.round("last", false)
	k.wantLimit("failures")
}

// Refused calls say nothing of the model: they do not count as failing.
func TestCallsThatWereNotRunDoNotCountAsFailures(t *testing.T) {
	k := newTurnTest(t, limits(func(l *Limits) { l.Failures = 1 })).streaming()
	k.answer(provider.StopLength, reads(0))
	f := finished(ref(1, 1), reads(0), "not run")
	f.Event.OK = false
	k.pass()
	k.in(f)
	k.want(prepare(2))
}

func TestTokensAndCostEndTheTurn(t *testing.T) {
	for name, edit := range map[string]func(*Limits){
		"tokens": func(l *Limits) { l.Tokens = 29 },
		"cost": func(l *Limits) {
			l.Pricing, l.Cost = Pricing{Input: 1, Output: 2}, 39 // a step costs 20
		},
	} {
		t.Run(name, func(t *testing.T) {
			k := newTurnTest(t, limits(edit))
			k.round("a", true)
			k.wantLimit("")
			k.streaming()
			k.answer(provider.StopToolCalls, reads(0))
			k.want(kept(ref(2, 1), provider.StopToolCalls, reads(0)), notRun(ref(2, 1), "the turn's limit ("+name+") was reached", reads(0)))
			k.results(1)
			k.wantLimit(name)
		})
	}
}

func TestCachedTokensHaveTheirOwnPrice(t *testing.T) {
	p := Pricing{Input: 10, Output: 20, CacheRead: 1, CacheWrite: 12}
	if got := p.of(provider.Usage{Input: 100, Output: 3, CacheRead: 80, CacheWrite: 5}); got != 15*10+3*20+80+5*12 {
		t.Errorf("cost %v", got)
	}
}

func TestTurnTimeEndsTheTurn(t *testing.T) {
	k := newTurnTest(t, limits(func(l *Limits) { l.TurnTime = time.Minute }))
	k.want(timer(noon.Add(time.Minute), 1), told(Ref{Turn: "t1"}, TurnStarted{Prompt: "fix it", PromptID: "p1"}), prepare(1))
	k.streaming()
	k.now = noon.Add(time.Minute)
	k.in(Tick{Epoch: 1})
	k.want(Send{Streamer, CloseStream{ref(1, 1)}},
		Send{Executor, CloseCalls{Ref: ref(1, 1), Kind: tools.Canceled, Text: "the turn's limit (time) was reached before this call had finished"}})
	k.in(StreamClosed{ref(1, 1)}, CallsClosed{ref(1, 1)})
	k.want(ends(ref(1, 1), TurnEnded{Outcome: Limited, Limit: "time", Steps: 1, DurationMS: 60_000}))
}

// Waiting for approval does not count.
func TestTurnTimeStandsStillWhileAPersonIsAsked(t *testing.T) {
	k := newTurnTest(t, limits(func(l *Limits) { l.TurnTime = time.Minute })).streaming()
	k.answer(provider.StopToolCalls, reads(0))
	k.pass()
	k.now = noon.Add(50 * time.Second)
	k.in(ApprovalWaiting{Ref: ref(1, 1), Waiting: true})
	k.want(timer(time.Time{}, 2))
	k.now = noon.Add(time.Hour)
	k.in(Tick{Epoch: 1}) // of the timer before
	k.want()
	k.in(ApprovalWaiting{Ref: ref(1, 1)})
	k.want(timer(noon.Add(time.Hour+10*time.Second), 3))
}

// The earlier of the two times comes first: a wait to retry and the deadline.
func TestTurnTimeEndsAWaitToRetry(t *testing.T) {
	k := newTurnTest(t, limits(func(l *Limits) { l.TurnTime = time.Second })).streaming()
	k.breaks(&provider.Error{Kind: provider.HTTPError, Retryable: true, RetryAfter: 2 * time.Second})
	if got := k.got[len(k.got)-1]; got != timer(noon.Add(time.Second), 2) {
		t.Errorf("timer %v", got)
	}
	k.now = noon.Add(time.Second)
	k.in(Tick{Epoch: 2})
	k.wantLimit("time")
	k.wantState(Draining)
}
