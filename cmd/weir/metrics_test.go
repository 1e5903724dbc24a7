package main

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider"
)

// moment is an event, and when it comes after the start.
type moment struct {
	at    time.Duration
	event pipeline.Event
}

func twoTurns() (first, second []moment) {
	at, ttft := time.Unix(0, 0), int64(40)
	usage := provider.Usage{Input: 1500, Output: 20, CacheRead: 1000}
	first = []moment{
		{0, pipeline.TurnStarted{}},
		{1, pipeline.StepStarted{Envelope: pipeline.Envelope{Step: 1}}},
		{40, pipeline.ThinkingDelta{Text: "a"}},
		{50, pipeline.TextDelta{Text: "b"}},
		{60, pipeline.RetryScheduled{NextAttempt: 2}},
		{200, pipeline.TextDelta{Text: "c"}},
		{210, pipeline.MessageCompleted{Usage: &usage}},
		{211, pipeline.ToolFinished{OK: true, StartedAt: &at, DurationMS: 7}},
		{212, pipeline.ToolFinished{}},
	}
	second = []moment{
		{220, pipeline.TurnEnded{
			Outcome: pipeline.Completed, Steps: 1, Usage: usage, DurationMS: 220, TTFTMS: &ttft,
			Stalls: map[string]int64{"reporter": 5, "streamer": 0},
		}},
		{300, pipeline.TurnStarted{}},
		{301, pipeline.StepStarted{Envelope: pipeline.Envelope{Step: 1}}},
		{310, pipeline.TextDelta{Text: "b"}},
	}
	return first, second
}

func TestMetricsOfTheTurnAndTheSession(t *testing.T) {
	var m metrics
	start := time.Unix(1000, 0)
	see := func(moments []moment) {
		for _, e := range moments {
			m.see(e.event, start.Add(e.at*time.Millisecond))
		}
	}
	check := func(now time.Duration, want string) {
		t.Helper()
		if diff := cmp.Diff(want, m.text(start.Add(now*time.Millisecond))); diff != "" {
			t.Error(diff)
		}
	}
	check(0, "no turn has ended yet")
	first, second := twoTurns()
	see(first)
	const of = ", 1 step, 1 retry\n  tokens: 1.5k in (1.0k cached), 20 out\n  first token: 40.0ms on average, 40.0ms at most\n" +
		"  between deltas: 10.0ms on average, 10.0ms at most\n  tools: 2 calls, 1 failed, 7ms in all, 7ms at most\n  waits for credit: "
	const nothing = "\n  tokens: 0 in (0 cached), 0 out\n  first token: none\n  between deltas: none\n  tools: 0 calls\n  waits for credit: none"
	check(212, "session: 0 turns, 0 steps, 0 retries"+nothing+"\nthis turn: running for 212ms"+of+"none")
	see(second[:1])
	check(250, "session: 1 turn"+of+"reporter 5ms\nlast turn: completed in 220ms"+of+"reporter 5ms")
	see(second[1:])
	check(320, "session: 1 turn"+of+"reporter 5ms\nthis turn: running for 20ms, 1 step, 0 retries\n  tokens: 0 in (0 cached), 0 out\n"+
		"  first token: 10.0ms on average, 10.0ms at most\n  between deltas: none\n  tools: 0 calls\n  waits for credit: none")
}

func TestTheStatusLineSaysHowFullTheWindowIs(t *testing.T) {
	p := progress{window: 10_000}
	start := time.Unix(1000, 0)
	for _, step := range []struct {
		event pipeline.Event
		want  string
	}{
		{pipeline.TurnStarted{}, "  2s · starting"},
		{pipeline.StepStarted{Envelope: pipeline.Envelope{Step: 1}}, "  2s · step 1 · waiting for the model"},
		{pipeline.MessageCompleted{Usage: &provider.Usage{Input: 900, Output: 100}}, "  2s · step 1 · 900 in · 100 out · window 10 % · waiting for the model"},
		{pipeline.ToolStarted{Name: "bash"}, "  2s · step 1 · 900 in · 100 out · window 10 % · running bash"},
		{pipeline.StepStarted{Envelope: pipeline.Envelope{Step: 2}}, "  2s · step 2 · 900 in · 100 out · window 10 % · waiting for the model"},
		{pipeline.MessageCompleted{Usage: &provider.Usage{Input: 1100, Output: 900}}, "  2s · step 2 · 2.0k in · 1.0k out · window 20 % · waiting for the model"},
		{pipeline.TurnStarted{}, "  2s · window 20 % · starting"},
		{pipeline.Notice{Code: "compacted"}, "  2s · starting"},
	} {
		p.see(step.event, start)
		if diff := cmp.Diff(step.want, p.text(start.Add(2*time.Second))); diff != "" {
			t.Errorf("%T:\n%s", step.event, diff)
		}
	}
}
