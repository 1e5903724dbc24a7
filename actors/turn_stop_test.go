package actors

import (
	"testing"

	"github.com/weir-agents/weir/provider"
)

// The stop table of the design, row by row: what the turn does with a whole
// message, with calls and without, and at its step limit.

func TestTurnBeginsWithItsPromptAndAsksForAStep(t *testing.T) {
	k := newTurnTest(t)
	k.want(told(Ref{Turn: "t1"}, TurnStarted{Prompt: "fix it", PromptID: "p1"}), prepare(1))
	k.in(StepPrepared{Ref: ref(1, 1), Request: request})
	k.want(opened(ref(1, 1), "t1_s1a1_"))
	k.wantState(Streaming)
}

func TestStopEnd(t *testing.T) {
	text := provider.Text{Text: "done"}
	k := newTurnTest(t).streaming()
	k.answer(provider.StopEnd, text)
	k.want(kept(ref(1, 1), provider.StopEnd, text), ends(ref(1, 1), TurnEnded{
		Outcome: Completed, Stop: provider.StopEnd, Text: "done", Steps: 1, Usage: *usage,
	}))
	k.wantState(Ended)
}

func TestStopEndWithCallsRunsNone(t *testing.T) {
	k := newTurnTest(t).streaming()
	k.answer(provider.StopEnd, reads(0))
	k.want(kept(ref(1, 1), provider.StopEnd, reads(0)), notRun(ref(1, 1), "the model said it was done", reads(0)))
	k.results(1)
	k.want(ends(ref(1, 1), TurnEnded{Outcome: Completed, Stop: provider.StopEnd, Steps: 1, Usage: *usage}))
}

func TestStopToolCallsRunsThemAndAsksForTheNextStep(t *testing.T) {
	k := newTurnTest(t).streaming()
	k.answer(provider.StopToolCalls, reads(0), reads(1))
	k.want(kept(ref(1, 1), provider.StopToolCalls, reads(0), reads(1)), ran(ref(1, 1), reads(0), reads(1)))
	k.wantState(Executing)
	k.results(1)
	k.want()
	k.in(finished(ref(1, 1), reads(1), "done"))
	k.want(prepare(2))
	k.in(StepPrepared{Ref: ref(2, 1), Request: request})
	k.want(opened(ref(2, 1), "t1_s2a1_"))
	k.wantState(Streaming)
}

// A provider of someone else may say tool_calls and ask for none.
func TestStopToolCallsWithoutCallsCompletes(t *testing.T) {
	text := provider.Text{Text: "hm"}
	k := newTurnTest(t).streaming()
	k.answer(provider.StopToolCalls, text)
	k.want(kept(ref(1, 1), provider.StopToolCalls, text), ends(ref(1, 1), TurnEnded{
		Outcome: Completed, Stop: provider.StopToolCalls, Text: "hm", Steps: 1, Usage: *usage,
	}))
}

func TestStopToolCallsAtTheStepLimitRunsNone(t *testing.T) {
	k := newTurnTest(t, limits(func(l *Limits) { l.Steps = 1 })).streaming()
	k.answer(provider.StopToolCalls, reads(0))
	k.want(kept(ref(1, 1), provider.StopToolCalls, reads(0)), notRun(ref(1, 1), "the turn's limit (steps) was reached", reads(0)))
	k.results(1)
	k.want(ends(ref(1, 1), TurnEnded{Outcome: Limited, Limit: "steps", Stop: provider.StopToolCalls, Steps: 1, Usage: *usage}))
}

func TestStopPauseIsAskedAgainFiveTimes(t *testing.T) {
	text := provider.Text{Text: "wait"}
	k := newTurnTest(t)
	for step := 1; step <= 5; step++ {
		k.streaming()
		k.answer(provider.StopPause, text)
		k.want(kept(ref(step, 1), provider.StopPause, text), prepare(step+1))
	}
	k.streaming()
	k.answer(provider.StopPause, text)
	used := provider.Usage{Input: 60, Output: 30}
	k.want(kept(ref(6, 1), provider.StopPause, text), ends(ref(6, 1), TurnEnded{
		Outcome: Limited, Limit: "steps", Stop: provider.StopPause, Text: "wait", Steps: 6, Usage: used,
	}))
}

func TestStopPauseWithCallsRunsNone(t *testing.T) {
	k := newTurnTest(t).streaming()
	k.answer(provider.StopPause, reads(0))
	k.want(kept(ref(1, 1), provider.StopPause, reads(0)), notRun(ref(1, 1), "the model paused", reads(0)))
	k.results(1)
	k.want(prepare(2))
}

func TestStopPauseAtTheStepLimitEnds(t *testing.T) {
	text := provider.Text{Text: "wait"}
	k := newTurnTest(t, limits(func(l *Limits) { l.Steps = 1 })).streaming()
	k.answer(provider.StopPause, text)
	k.want(kept(ref(1, 1), provider.StopPause, text), ends(ref(1, 1), TurnEnded{
		Outcome: Limited, Limit: "steps", Stop: provider.StopPause, Text: "wait", Steps: 1, Usage: *usage,
	}))
}

func TestStopLengthEndsTheTurn(t *testing.T) {
	for name, blocks := range map[string][]provider.Block{"text": {provider.Text{Text: "half"}}, "nothing": nil} {
		t.Run(name, func(t *testing.T) {
			k := newTurnTest(t).streaming()
			k.answer(provider.StopLength, blocks...)
			end := ends(ref(1, 1), TurnEnded{Outcome: Limited, Limit: "length", Stop: provider.StopLength, Text: message(blocks...).Text(), Steps: 1, Usage: *usage})
			if name == "nothing" { // an empty message never enters the history
				k.want(end)
				return
			}
			k.want(kept(ref(1, 1), provider.StopLength, blocks...), end)
		})
	}
}

func TestStopLengthWithCallsTellsTheModelAndGoesOn(t *testing.T) {
	k := newTurnTest(t).streaming()
	k.answer(provider.StopLength, reads(0))
	k.want(kept(ref(1, 1), provider.StopLength, reads(0)),
		notRun(ref(1, 1), "the answer was cut off by the length limit, so this call may be incomplete", reads(0)))
	k.results(1)
	k.want(prepare(2))
}

func TestStopLengthWithCallsAtTheStepLimitEnds(t *testing.T) {
	k := newTurnTest(t, limits(func(l *Limits) { l.Steps = 1 })).streaming()
	k.answer(provider.StopLength, reads(0))
	k.pass()
	k.results(1)
	k.want(ends(ref(1, 1), TurnEnded{Outcome: Limited, Limit: "steps", Stop: provider.StopLength, Steps: 1, Usage: *usage}))
}

func TestStopByAFilterOrRefusalCompletesWithAWarning(t *testing.T) {
	for stop, text := range map[provider.StopReason]string{
		provider.StopContentFilter: "the provider's content filter stopped the answer",
		provider.StopRefusal:       "the model refused to answer",
	} {
		warn := told(ref(1, 1), Notice{Level: "warn", Code: string(stop), Text: text})
		end := ends(ref(1, 1), TurnEnded{Outcome: Completed, Stop: stop, Steps: 1, Usage: *usage})
		t.Run(string(stop), func(t *testing.T) {
			k := newTurnTest(t).streaming()
			k.answer(stop)
			k.want(warn, end)
		})
		t.Run(string(stop)+" with calls", func(t *testing.T) {
			k := newTurnTest(t).streaming()
			k.answer(stop, reads(0))
			k.want(kept(ref(1, 1), stop, reads(0)), warn, notRun(ref(1, 1), text, reads(0)))
			k.results(1)
			k.want(end)
		})
	}
}

func TestAnEmptyAnswerIsAskedAgainOnce(t *testing.T) {
	for name, c := range map[string]struct {
		blocks []provider.Block
		shown  bool
	}{
		"nothing":       {},
		"thinking only": {[]provider.Block{provider.Thinking{Text: "hm"}}, true},
		"a signature":   {[]provider.Block{provider.Thinking{Signature: "s"}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			k := newTurnTest(t).streaming()
			k.answer(provider.StopEnd, c.blocks...)
			again := RetryScheduled{NextAttempt: 2, Reason: "the model answered nothing", Discard: c.shown}
			k.want(told(ref(1, 1), again), opened(ref(1, 2), "t1_s1a2_"))
			k.answer(provider.StopEnd, c.blocks...)
			k.want(ends(ref(1, 2), TurnEnded{
				Outcome: Limited, Limit: "empty", Stop: provider.StopEnd, Steps: 1, Usage: provider.Usage{Input: 20, Output: 10},
			}))
		})
	}
}

func TestAnEmptyAnswerIsNotAskedAgainWithOneAttempt(t *testing.T) {
	k := newTurnTest(t, limits(func(l *Limits) { l.Attempts = 1 })).streaming()
	k.answer(provider.StopEnd)
	k.want(ends(ref(1, 1), TurnEnded{Outcome: Limited, Limit: "empty", Stop: provider.StopEnd, Steps: 1, Usage: *usage}))
}

func TestAnAnswerInBetweenLetsAnEmptyOneBeAskedAgain(t *testing.T) {
	k := newTurnTest(t).streaming()
	k.answer(provider.StopEnd)
	k.answer(provider.StopToolCalls, reads(0))
	k.results(1)
	k.streaming()
	k.answer(provider.StopEnd)
	k.want(told(ref(2, 1), RetryScheduled{NextAttempt: 2, Reason: "the model answered nothing"}), opened(ref(2, 2), "t1_s2a2_"))
}

// An opaque block is an answer: a tool that the provider ran itself.
func TestAnOpaqueBlockIsAnAnswer(t *testing.T) {
	opaque := provider.Opaque{Dialect: "anthropic", Raw: []byte(`{"type":"x"}`)}
	k := newTurnTest(t).streaming()
	k.answer(provider.StopEnd, opaque)
	k.want(kept(ref(1, 1), provider.StopEnd, opaque), ends(ref(1, 1), TurnEnded{Outcome: Completed, Stop: provider.StopEnd, Steps: 1, Usage: *usage}))
}
