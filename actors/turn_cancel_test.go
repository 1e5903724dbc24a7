package actors

import (
	"testing"
	"time"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/tools"
)

var cancelNow, cancelAfterStep = CancelTurn{Turn: "t1"}, CancelTurn{Turn: "t1", Mode: CancelAfterStep}

// closeCalls is how a canceled turn stops its calls.
func closeCalls(r Ref) Send {
	return Send{Executor, CloseCalls{Ref: r, Kind: tools.Canceled, Text: "the turn was canceled before this call had finished"}}
}

func dropStep(step int) Send { return Send{Supervising, DropStep{Ref: ref(step, 1)}} }

func TestCancelBeforeTheFirstRequestWaitsForTheHook(t *testing.T) {
	for _, c := range []CancelTurn{cancelNow, cancelAfterStep} {
		k := newTurnTest(t)
		k.pass()
		k.in(c)
		k.want(dropStep(1))
		k.in(StepPrepared{Ref: ref(1, 1), Request: request})
		k.want(ends(Ref{Turn: "t1"}, TurnEnded{Outcome: Canceled}))
	}
}

func TestCancelMidStreamClosesItAndWaitsForBothEnds(t *testing.T) {
	k := newTurnTest(t).streaming()
	k.in(cancelNow)
	k.want(Send{Streamer, CloseStream{ref(1, 1)}}, closeCalls(ref(1, 1)))
	k.wantState(Draining)
	k.in(cancelNow, ReaderGone{"t1"}, CallsClosed{ref(1, 1)}) // the first reason stands
	k.want()
	k.in(StreamClosed{ref(1, 1)})
	k.want(ends(ref(1, 1), TurnEnded{Outcome: Canceled, Steps: 1}))
}

// The answer was whole before the close found it: it stays, its calls get results.
func TestCancelThatAWholeMessageOvertookKeepsIt(t *testing.T) {
	k := newTurnTest(t).streaming()
	k.in(cancelNow)
	k.pass()
	k.answer(provider.StopToolCalls, provider.Text{Text: "I look"}, reads(0))
	k.want(kept(ref(1, 1), provider.StopToolCalls, provider.Text{Text: "I look"}, reads(0)),
		Send{Executor, RunCalls{Ref: ref(1, 1), Calls: []provider.ToolCall{reads(0)}, Refuse: &Refusal{tools.Canceled, "the turn was canceled before this call ran"}}})
	k.in(StreamClosed{ref(1, 1)}, CallsClosed{ref(1, 1)})
	k.want()
	k.results(1)
	k.want(ends(ref(1, 1), TurnEnded{Outcome: Canceled, Stop: provider.StopToolCalls, Text: "I look", Steps: 1, Usage: *usage}))
}

func TestCancelThatAnEmptyMessageOrAFailureOvertook(t *testing.T) {
	for name, in := range map[string]any{
		"empty":  MessageAssembled{Ref: ref(1, 1), Message: message(), Stop: provider.StopEnd},
		"failed": StreamBroke{Ref: ref(1, 1), Err: reset()},
	} {
		t.Run(name, func(t *testing.T) {
			k := newTurnTest(t).streaming()
			k.in(cancelNow)
			k.pass()
			k.in(in, CallsClosed{ref(1, 1)})
			k.want()
			k.in(StreamClosed{ref(1, 1)})
			k.want(ends(ref(1, 1), TurnEnded{Outcome: Canceled, Steps: 1}))
		})
	}
}

func TestCancelWhileCallsRunWaitsForTheirResults(t *testing.T) {
	k := newTurnTest(t).streaming()
	k.answer(provider.StopToolCalls, reads(0), reads(1))
	k.results(1)
	k.pass()
	k.in(cancelNow)
	k.want(closeCalls(ref(1, 1)))
	k.in(finished(ref(1, 1), reads(1), "done"))
	k.want()
	k.in(CallsClosed{ref(1, 1)})
	k.want(ends(ref(1, 1), TurnEnded{Outcome: Canceled, Stop: provider.StopToolCalls, Steps: 1, Usage: *usage}))
}

func TestCancelWhileTheNextStepIsPreparedWaitsForIt(t *testing.T) {
	k := newTurnTest(t).streaming()
	k.answer(provider.StopToolCalls, reads(0))
	k.results(1)
	k.pass()
	k.in(cancelNow)
	k.want(dropStep(2), closeCalls(ref(1, 1)))
	k.in(CallsClosed{ref(1, 1)})
	k.want()
	// What was to join does not: the session has it and decides.
	k.in(StepPrepared{Ref: ref(2, 1), Request: request, Joined: []Prompt{{ID: "p2"}}})
	k.want(ends(ref(1, 1), TurnEnded{Outcome: Canceled, Stop: provider.StopToolCalls, Steps: 1, Usage: *usage}))
}

func TestCancelWhileWaitingToRetryEndsTheWait(t *testing.T) {
	for _, c := range []CancelTurn{cancelNow, cancelAfterStep} {
		k := newTurnTest(t).streaming()
		k.breaks(reset())
		k.pass()
		k.in(c)
		k.want(closeCalls(ref(1, 1)))
		k.now = noon.Add(time.Minute)
		k.in(Tick{Epoch: 1}) // the retry's: too late
		k.want(timer(time.Time{}, 2))
		k.in(CallsClosed{ref(1, 1)})
		k.want(ends(ref(1, 1), TurnEnded{Outcome: Canceled, Steps: 1, DurationMS: 60_000}))
	}
}

func TestCancelAfterStepLetsTheCallsFinish(t *testing.T) {
	k := newTurnTest(t).streaming()
	k.in(cancelAfterStep)
	k.want()
	k.answer(provider.StopToolCalls, reads(0))
	k.want(kept(ref(1, 1), provider.StopToolCalls, reads(0)), ran(ref(1, 1), reads(0)))
	k.results(1)
	k.want(closeCalls(ref(1, 1)))
	k.in(CallsClosed{ref(1, 1)})
	k.want(ends(ref(1, 1), TurnEnded{Outcome: Canceled, Stop: provider.StopToolCalls, Steps: 1, Usage: *usage}))
}

func TestCancelAfterStepOfALastStepCompletes(t *testing.T) {
	k := newTurnTest(t).streaming()
	k.in(cancelAfterStep)
	k.answer(provider.StopEnd, provider.Text{Text: "done"})
	k.want(kept(ref(1, 1), provider.StopEnd, provider.Text{Text: "done"}), ends(ref(1, 1), TurnEnded{
		Outcome: Completed, Stop: provider.StopEnd, Text: "done", Steps: 1, Usage: *usage,
	}))
}

func TestCancelAfterStepEndsAtABreakInsteadOfARetry(t *testing.T) {
	k := newTurnTest(t).streaming()
	k.in(cancelAfterStep)
	k.breaks(reset())
	k.want(told(ref(1, 1), StreamFailed{Kind: provider.TruncatedStream, Message: "cut", Retryable: true}), closeCalls(ref(1, 1)))
}

func TestCancelNowOvertakesCancelAfterStep(t *testing.T) {
	k := newTurnTest(t).streaming()
	k.in(cancelAfterStep, cancelNow)
	k.want(Send{Streamer, CloseStream{ref(1, 1)}}, closeCalls(ref(1, 1)))
}

func TestAReaderThatIsGoneFailsTheTurn(t *testing.T) {
	k := newTurnTest(t).streaming()
	k.in(ReaderGone{"t0"}) // of the turn before
	k.want()
	k.in(ReaderGone{"t1"})
	k.want(Send{Streamer, CloseStream{ref(1, 1)}},
		Send{Executor, CloseCalls{Ref: ref(1, 1), Kind: tools.Canceled, Text: "the turn failed before this call had finished"}})
	k.in(StreamClosed{ref(1, 1)}, CallsClosed{ref(1, 1)})
	k.want(ends(ref(1, 1), TurnEnded{Outcome: Failed, Steps: 1, Error: &TurnError{"reader_stalled", "the reader took no event for too long"}}))
}

// A cancel on the control lane can pass the start of its turn on the data lane.
func TestACancelThatOvertakesTheStartOfItsTurnIsKept(t *testing.T) {
	m := newTurns(turnRules{limits: Limits{}.Default()}, false)
	if got := m.Handle(CancelTurn{Turn: "t1"}, noon); len(got) != 0 {
		t.Fatalf("effects %v", got)
	}
	m.Handle(StartTurn{Turn: "t1", Prompt: Prompt{ID: "p1", Text: "fix it"}}, noon)
	m.Handle(StepPrepared{Ref: ref(1, 1)}, noon)
	if m.turn.State() != Ended || m.turn.ending.outcome != Canceled {
		t.Errorf("the turn is %v", m.turn.State())
	}
	m.Handle(StartTurn{Turn: "t2", Prompt: Prompt{ID: "p2", Text: "next"}}, noon)
	m.Handle(CancelTurn{Turn: "t1"}, noon) // late
	m.Handle(StepPrepared{Ref: Ref{"t2", 1, 1}}, noon)
	if m.turn.State() != Streaming {
		t.Errorf("the next turn is %v", m.turn.State())
	}
}

// I12: in every state, what is of another turn, step or try changes nothing.
func TestStaleInputsChangeNothing(t *testing.T) {
	other := []Ref{{"t0", 1, 1}, ref(9, 1), ref(1, 9)}
	for state, bring := range map[State]func(*turnTest){
		Idle:      func(*turnTest) {},
		Streaming: func(k *turnTest) { k.streaming() },
		Executing: func(k *turnTest) { k.streaming(); k.answer(provider.StopToolCalls, reads(0)) },
		Draining:  func(k *turnTest) { k.streaming(); k.in(cancelNow) },
		Ended:     func(k *turnTest) { k.streaming(); k.answer(provider.StopEnd, provider.Text{Text: "x"}) },
	} {
		t.Run(state.String(), func(t *testing.T) {
			k := newTurnTest(t)
			bring(k)
			k.wantState(state)
			k.pass()
			for _, r := range other {
				k.in(MessageAssembled{Ref: r, Message: message(reads(0)), Stop: provider.StopToolCalls}, StreamBroke{Ref: r, Err: reset()},
					StreamClosed{r}, finished(r, reads(0), "x"), CallsClosed{r})
			}
			k.in(StepPrepared{Ref: Ref{"t0", 1, 1}}, StepPrepared{Ref: ref(9, 1)}, ApprovalWaiting{Ref: Ref{Turn: "t0"}, Waiting: true},
				CancelTurn{Turn: "t0"}, ReaderGone{"t0"}, Tick{Epoch: 99})
			k.want()
			k.wantState(state)
		})
	}
}

func TestAnUnknownInputPanics(t *testing.T) {
	defer func() {
		if got := recover(); got != "actors: turn: no such input string" {
			t.Errorf("panic %v", got)
		}
	}()
	newTurnTest(t).in("nonsense")
}

func TestAnEdgeOffTheTablePanics(t *testing.T) {
	defer func() {
		if got := recover(); got != "actors: turn: no edge idle to executing" {
			t.Errorf("panic %v", got)
		}
	}()
	newTurnTest(t).m.become(Executing)
}
