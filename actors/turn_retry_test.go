package actors

import (
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weir-agents/weir/provider"
)

func reset() *provider.Error {
	return &provider.Error{Kind: provider.TruncatedStream, Message: "cut", Retryable: true}
}

func (k *turnTest) breaks(err *provider.Error) {
	k.t.Helper()
	k.in(StreamBroke{Ref: k.m.ref, Err: err})
}

// timer is the turn's request for a tick.
func timer(at time.Time, epoch int) Send { return Send{Turning, SetTimer{At: at, Epoch: epoch}} }

func TestABrokenStreamIsAskedAgainAfterAWait(t *testing.T) {
	k := newTurnTest(t).streaming()
	k.in(StreamBroke{Ref: ref(1, 1), Err: reset(), Shown: true})
	k.want(
		told(ref(1, 1), StreamFailed{Kind: provider.TruncatedStream, Message: "cut", Retryable: true}),
		told(ref(1, 1), RetryScheduled{NextAttempt: 2, DelayMS: 500, Reason: "cut", Discard: true}),
		timer(noon.Add(500*time.Millisecond), 1),
	)
	k.now = noon.Add(499 * time.Millisecond) // a timer that fires early
	k.in(Tick{Epoch: 1})
	k.want(timer(noon.Add(500*time.Millisecond), 2))
	k.now = noon.Add(500 * time.Millisecond)
	k.in(Tick{Epoch: 1}) // of the timer before
	k.want()
	k.in(Tick{Epoch: 2})
	k.want(opened(ref(1, 2), "t1_s1a2_"), timer(time.Time{}, 3))
}

func TestAttemptsAreLimitedAndThenTheTurnFails(t *testing.T) {
	k := newTurnTest(t, limits(func(l *Limits) { l.Attempts = 2 })).streaming()
	k.breaks(reset())
	k.now = noon.Add(time.Second)
	k.in(Tick{Epoch: 1})
	k.pass()
	k.in(StreamBroke{Ref: ref(1, 2), Err: reset()})
	k.want(
		told(ref(1, 2), StreamFailed{Kind: provider.TruncatedStream, Message: "cut", Retryable: true}),
		ends(ref(1, 2), TurnEnded{Outcome: Failed, Steps: 1, DurationMS: 1000, Error: &TurnError{"truncated_stream", "cut; given up after 2 tries"}}),
	)
}

func TestEveryStepHasItsOwnAttempts(t *testing.T) {
	k := newTurnTest(t, limits(func(l *Limits) { l.Attempts = 2 })).streaming()
	for step := 1; step < 4; step++ {
		k.breaks(reset())
		k.now = k.now.Add(time.Second)
		k.in(Tick{Epoch: k.m.clock.epoch})
		k.answer(provider.StopToolCalls, reads(0))
		k.results(1)
		k.streaming()
	}
	k.wantState(Streaming)
}

func TestAnErrorThatCannotPassIsSentOnce(t *testing.T) {
	k := newTurnTest(t).streaming()
	k.breaks(&provider.Error{Kind: provider.HTTPError, Message: "no such model", Status: 404})
	k.want(
		told(ref(1, 1), StreamFailed{Kind: provider.HTTPError, Message: "no such model", Status: 404}),
		ends(ref(1, 1), TurnEnded{Outcome: Failed, Steps: 1, Error: &TurnError{"http_error", "no such model"}}),
	)
}

func TestBadArgumentsNameToolAndText(t *testing.T) {
	k := newTurnTest(t).streaming()
	k.breaks(&provider.Error{Kind: provider.BadArguments, Message: "no", Tool: "read", Raw: "{"})
	k.want(
		told(ref(1, 1), StreamFailed{Kind: provider.BadArguments, Message: "no", Tool: "read", Raw: "{"}),
		ends(ref(1, 1), TurnEnded{Outcome: Failed, Steps: 1, Error: &TurnError{"bad_arguments", "no"}}),
	)
}

// A try that failed has used tokens too (EVENTS turn_ended.usage).
func TestTokensOfFailedTriesCount(t *testing.T) {
	k := newTurnTest(t).streaming()
	k.breaks(&provider.Error{Kind: provider.ProviderError, Message: "x", Usage: &provider.Usage{Input: 7, Output: 1}})
	k.want(
		told(ref(1, 1), StreamFailed{Kind: provider.ProviderError, Message: "x"}),
		ends(ref(1, 1), TurnEnded{Outcome: Failed, Steps: 1, Usage: provider.Usage{Input: 7, Output: 1}, Error: &TurnError{"provider_error", "x"}}),
	)
}

func TestRetryAfterWinsOverTheBackOff(t *testing.T) {
	k := newTurnTest(t).streaming()
	k.breaks(&provider.Error{Kind: provider.HTTPError, Status: 429, Retryable: true, RetryAfter: 7 * time.Second})
	k.want(
		told(ref(1, 1), StreamFailed{Kind: provider.HTTPError, Status: 429, Retryable: true}),
		told(ref(1, 1), RetryScheduled{NextAttempt: 2, DelayMS: 7000, Reason: "http_error"}),
		timer(noon.Add(7*time.Second), 1),
	)
}

func TestARetryAfterBeyondTheMostFailsNowAndSaysWhen(t *testing.T) {
	k := newTurnTest(t, func(r *turnRules) { r.fallback = []string{"m2"} }).streaming()
	k.breaks(&provider.Error{Kind: provider.HTTPError, Message: "slow down", Status: 429, Retryable: true, RetryAfter: 61 * time.Second})
	said := "slow down; the server asks to come back in 1m1s, at 2026-03-01T12:01:01Z"
	k.want(
		told(ref(1, 1), StreamFailed{Kind: provider.HTTPError, Message: said, Status: 429, Retryable: true}),
		ends(ref(1, 1), TurnEnded{Outcome: Failed, Steps: 1, Error: &TurnError{"http_error", said}}),
	)
}

func TestAnEmptyResponseIsTriedAgainOnce(t *testing.T) {
	empty := &provider.Error{Kind: provider.EmptyResponse, Message: "nothing came", Retryable: true}
	k := newTurnTest(t).streaming()
	k.breaks(empty)
	k.now = noon.Add(time.Second)
	k.in(Tick{Epoch: 1})
	k.pass()
	k.breaks(empty)
	k.want(
		told(ref(1, 2), StreamFailed{Kind: provider.EmptyResponse, Message: "nothing came", Retryable: true}),
		ends(ref(1, 2), TurnEnded{Outcome: Failed, Steps: 1, DurationMS: 1000, Error: &TurnError{"empty_response", "nothing came; given up after 2 tries"}}),
	)
}

func TestAConnectionThatBrokeBeforeAnythingCameIsTriedAsOftenAsAny(t *testing.T) {
	broke := &provider.Error{Kind: provider.EmptyResponse, Message: "reset", Retryable: true, Err: io.ErrUnexpectedEOF}
	k := newTurnTest(t).streaming()
	for tries := 1; tries < k.m.rules.limits.Attempts; tries++ {
		k.breaks(broke)
		k.wantState(Streaming)
		if k.m.tally.tries != tries {
			t.Errorf("%d tries, want %d", k.m.tally.tries, tries)
		}
		k.now = k.now.Add(time.Minute)
		for _, sent := range k.got {
			if set, ok := sent.In.(SetTimer); ok {
				k.in(Tick{Epoch: set.Epoch})
			}
		}
		k.pass()
	}
	k.breaks(broke)
	k.wantState(Ended)
}

func TestFallbackModelsAreTriedWhenTheAttemptsAreSpent(t *testing.T) {
	k := newTurnTest(t, func(r *turnRules) { r.fallback, r.limits.Attempts = []string{"m2"}, 1 }).streaming()
	k.breaks(reset())
	open := OpenStream{Ref: ref(1, 2), Request: provider.Request{Model: "m2", IDPrefix: "t1_s1a2_"}}
	k.want(
		told(ref(1, 1), StreamFailed{Kind: provider.TruncatedStream, Message: "cut", Retryable: true}),
		told(ref(1, 1), Notice{Level: "warn", Code: "fallback", Model: "m2", Text: "the attempts are spent; going on with model m2"}),
		told(ref(1, 1), RetryScheduled{NextAttempt: 2, Reason: "cut"}),
		told(ref(1, 2), StepStarted{}), Send{Assembler, open}, Send{Streamer, open},
	)
	k.answer(provider.StopToolCalls, reads(0))
	k.results(1)
	k.pass()
	k.in(StepPrepared{Ref: ref(2, 1), Request: request})
	open = OpenStream{Ref: ref(2, 1), Request: provider.Request{Model: "m2", IDPrefix: "t1_s2a1_"}} // it stays
	k.want(told(ref(2, 1), StepStarted{}), Send{Assembler, open}, Send{Streamer, open})
	k.breaks(reset())
	k.want(
		told(ref(2, 1), StreamFailed{Kind: provider.TruncatedStream, Message: "cut", Retryable: true}),
		ends(ref(2, 1), TurnEnded{Outcome: Failed, Stop: provider.StopToolCalls, Steps: 2, Usage: *usage, Error: &TurnError{"truncated_stream", "cut"}}),
	)
}

func TestTheBackOffDoublesUpToItsCap(t *testing.T) {
	l := Limits{}.Default()
	var got []time.Duration
	for n := range 7 {
		got = append(got, backOff(l, n, 1))
	}
	want := []time.Duration{1, 2, 4, 8, 16, 30, 30}
	for i := range want {
		want[i] *= time.Second
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	rapid.Check(t, func(t *rapid.T) {
		n, jitter := rapid.IntRange(0, 100).Draw(t, "n"), rapid.Float64Range(0, 0.999).Draw(t, "jitter")
		if d := backOff(l, n, jitter); d < 0 || d > l.RetryCap {
			t.Fatalf("a wait of %v", d)
		}
	})
}

func TestAHookErrorEndsTheTurn(t *testing.T) {
	k := newTurnTest(t)
	k.pass()
	k.in(StepPrepared{Ref: ref(1, 1), Err: errClosed})
	k.want(ends(Ref{Turn: "t1"}, TurnEnded{Outcome: Failed, Error: &TurnError{"hook", "closed"}}))
}

func TestAHookErrorAfterCallsEndsTheTurn(t *testing.T) {
	k := newTurnTest(t).streaming()
	k.answer(provider.StopToolCalls, reads(0))
	k.results(1)
	k.pass()
	k.in(StepPrepared{Ref: ref(2, 1), Err: errClosed})
	k.want(ends(ref(1, 1), TurnEnded{
		Outcome: Failed, Stop: provider.StopToolCalls, Steps: 1, Usage: *usage, Error: &TurnError{"hook", "closed"},
	}))
}

// What joined is told and recorded before the step is sent.
func TestPromptsJoinBeforeTheStep(t *testing.T) {
	k := newTurnTest(t).streaming()
	k.answer(provider.StopToolCalls, reads(0))
	k.results(1)
	k.pass()
	joined := []Prompt{{ID: "p2", Text: "and this"}, {ID: "p3", Text: "and that"}}
	k.in(StepPrepared{Ref: ref(2, 1), Request: request, Joined: joined})
	k.want(
		told(ref(2, 1), PromptJoined{PromptID: "p2", Text: "and this"}), told(ref(2, 1), PromptJoined{PromptID: "p3", Text: "and that"}),
		Send{Supervising, Commit{Facts: []any{PromptsJoined{joined}}}}, opened(ref(2, 1), "t1_s2a1_"),
	)
}
