package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/weir-agents/weir/cmd/weir/internal/render"
	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider"
)

// metrics counts what the turns of a session took, from their events. It is
// pure: the time is an argument.
type metrics struct {
	turns   int // that have ended
	session took
	turn    took // the one that runs, or the last
	began   time.Time
	ended   pipeline.TurnEnded // of the last; its Outcome is empty while one runs
}

// took is what one turn took, or all of a session.
type took struct {
	steps, retries, tools, failed int
	usage                         provider.Usage
	first, gaps, calls            spans // to the first token, between deltas, of tools
	before                        time.Time
	stalls                        map[string]int64 // milliseconds by stage
}

// spans are lengths of time.
type spans struct {
	count    int
	sum, max time.Duration
}

func (m *metrics) see(e pipeline.Event, now time.Time) {
	t := &m.turn
	switch e := e.(type) {
	case pipeline.TurnStarted:
		m.turn, m.began, m.ended = took{}, now, pipeline.TurnEnded{}
	case pipeline.StepStarted:
		t.steps, t.before = e.Step, time.Time{}
	case pipeline.TextDelta, pipeline.ThinkingDelta:
		t.delta(now.Sub(m.began), now)
	case pipeline.MessageCompleted:
		if e.Usage != nil {
			t.usage = t.usage.Add(*e.Usage)
		}
	case pipeline.RetryScheduled:
		t.retries++
		t.before = time.Time{} // the wait is no gap of an answer
	case pipeline.ToolFinished:
		t.tools++
		if e.StartedAt != nil {
			t.calls.see(time.Duration(e.DurationMS) * time.Millisecond)
		}
		if !e.OK {
			t.failed++
		}
	case pipeline.TurnEnded:
		t.steps, t.usage, t.stalls, t.first = e.Steps, e.Usage, e.Stalls, spans{}
		if e.TTFTMS != nil {
			t.first.see(time.Duration(*e.TTFTMS) * time.Millisecond)
		}
		m.turns++
		m.session.add(*t)
		m.ended = e
	default:
	}
}

// delta counts a piece of an answer that came so long after the turn began.
func (t *took) delta(after time.Duration, now time.Time) {
	if t.first.count == 0 {
		t.first.see(after)
	}
	if !t.before.IsZero() {
		t.gaps.see(now.Sub(t.before))
	}
	t.before = now
}

// add adds what a turn took.
func (t *took) add(o took) {
	t.steps, t.retries, t.tools, t.failed = t.steps+o.steps, t.retries+o.retries, t.tools+o.tools, t.failed+o.failed
	t.usage = t.usage.Add(o.usage)
	t.first.add(o.first)
	t.gaps.add(o.gaps)
	t.calls.add(o.calls)
	if t.stalls == nil {
		t.stalls = map[string]int64{}
	}
	for stage, n := range o.stalls {
		t.stalls[stage] += n
	}
}

func (s *spans) see(d time.Duration) { s.add(spans{1, d, d}) }

func (s *spans) add(o spans) {
	s.count, s.sum, s.max = s.count+o.count, s.sum+o.sum, max(s.max, o.max)
}

func (s spans) text() string {
	if s.count == 0 {
		return "none"
	}
	return fmt.Sprintf("%.1fms on average, %.1fms at most", ms(s.sum/time.Duration(s.count)), ms(s.max))
}

// text says it of the turn that runs, or the last, and of the session.
func (m *metrics) text(now time.Time) string {
	running := !m.began.IsZero() && m.ended.Outcome == ""
	if m.turns == 0 && !running {
		return "no turn has ended yet"
	}
	text := "session: " + count(m.turns, "turn") + ", " + m.session.text()
	if running {
		return text + "\nthis turn: running for " + render.Duration(now.Sub(m.began).Milliseconds()) + ", " + m.turn.text()
	}
	return text + fmt.Sprintf("\nlast turn: %s in %s, %s", m.ended.Outcome, render.Duration(m.ended.DurationMS), m.turn.text())
}

func (t *took) text() string {
	tools := count(t.tools, "call")
	if t.tools > 0 {
		tools += fmt.Sprintf(", %d failed", t.failed)
	}
	if t.calls.count > 0 {
		tools += fmt.Sprintf(", %s in all, %s at most", render.Duration(t.calls.sum.Milliseconds()), render.Duration(t.calls.max.Milliseconds()))
	}
	var stalls []string
	for _, stage := range slices.Sorted(maps.Keys(t.stalls)) {
		if t.stalls[stage] > 0 {
			stalls = append(stalls, fmt.Sprintf("%s %s", stage, render.Duration(t.stalls[stage])))
		}
	}
	if len(stalls) == 0 {
		stalls = []string{"none"}
	}
	return fmt.Sprintf("%s, %s\n  tokens: %s\n  first token: %s\n  between deltas: %s\n  tools: %s\n  waits for credit: %s",
		count(t.steps, "step"), count(t.retries, "retry"), usageText(t.usage), t.first.text(), t.gaps.text(), tools, strings.Join(stalls, ", "))
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// count writes a number of things.
func count(n int, thing string) string {
	switch {
	case n == 1:
		return "1 " + thing
	case strings.HasSuffix(thing, "y"):
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(thing, "y"))
	default:
		return fmt.Sprintf("%d %ss", n, thing)
	}
}

func usageText(u provider.Usage) string {
	return fmt.Sprintf("%s in (%s cached), %s out", countText(u.Input), countText(u.CacheRead), countText(u.Output))
}

func (t *turner) slashMetrics(string) slashAnswer {
	return slashAnswer{text: t.metrics.text(time.Now())}
}
