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
	turns, steps, retries, tools, failed int
	usage                                provider.Usage
	toolMS                               int64
	last                                 pipeline.TurnEnded
	gaps                                 gaps // of the last turn
}

// gaps are the times between consecutive deltas of an answer.
type gaps struct {
	count    int
	sum, max time.Duration
	before   time.Time // when the delta before came; zero at a step's start
}

func (m *metrics) see(e pipeline.Event, now time.Time) {
	switch e := e.(type) {
	case pipeline.TurnStarted:
		m.gaps = gaps{}
	case pipeline.StepStarted:
		m.gaps.before = time.Time{}
	case pipeline.TextDelta, pipeline.ThinkingDelta:
		m.gaps.see(now)
	case pipeline.RetryScheduled:
		m.retries++
	case pipeline.ToolFinished:
		m.tools++
		m.toolMS += e.DurationMS
		if !e.OK {
			m.failed++
		}
	case pipeline.TurnEnded:
		m.turns++
		m.steps += e.Steps
		m.usage = m.usage.Add(e.Usage)
		m.last = e
	default:
	}
}

func (g *gaps) see(now time.Time) {
	if !g.before.IsZero() {
		gap := now.Sub(g.before)
		g.count++
		g.sum += gap
		g.max = max(g.max, gap)
	}
	g.before = now
}

func (m *metrics) text() string {
	if m.turns == 0 {
		return "no turn has ended yet"
	}
	text := fmt.Sprintf("session: %s, %s, %s; %s\ntools: %s, %d failed, %s in all",
		count(m.turns, "turn"), count(m.steps, "step"), count(m.retries, "retry"), usageText(m.usage),
		count(m.tools, "call"), m.failed, render.Duration(m.toolMS))
	e := m.last
	text += fmt.Sprintf("\nlast turn: %s in %s, %s; %s", e.Outcome, render.Duration(e.DurationMS), count(e.Steps, "step"), usageText(e.Usage))
	if e.TTFTMS != nil {
		text += "\nfirst token after " + render.Duration(*e.TTFTMS)
	}
	if g := m.gaps; g.count > 0 {
		mean := g.sum / time.Duration(g.count)
		text += fmt.Sprintf("\nbetween deltas %.1fms on average, %.1fms at most", ms(mean), ms(g.max))
	}
	var stalls []string
	for _, stage := range slices.Sorted(maps.Keys(e.Stalls)) {
		stalls = append(stalls, fmt.Sprintf("%s %s", stage, render.Duration(e.Stalls[stage])))
	}
	if len(stalls) > 0 {
		text += "\nwaited for credit: " + strings.Join(stalls, ", ")
	}
	return text
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
	text := fmt.Sprintf("%s tokens in", countText(u.Input))
	if u.CacheRead > 0 {
		text += fmt.Sprintf(" (%s from the cache)", countText(u.CacheRead))
	}
	return text + fmt.Sprintf(", %s out", countText(u.Output))
}

func (t *turner) slashMetrics(string) slashAnswer { return slashAnswer{text: t.metrics.text()} }
