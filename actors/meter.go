package actors

import (
	"sync/atomic"
	"time"
)

// Stage names one of the actors of a session.
type Stage uint8

// The stages, in the order in which a delta passes them. Supervising is the
// parent of the five.
const (
	Streamer Stage = iota
	Assembler
	Turning
	Executor
	Reporter
	Supervising
	stages
)

// String returns the stage's name as `turn_ended.stalls` spells it.
func (s Stage) String() string {
	return [...]string{"streamer", "assembler", "turn", "executor", "reporter", "supervisor"}[s]
}

// Meter shows how each stage of a session is doing. Its methods may be called
// from any goroutine and cost an atomic load.
type Meter struct {
	stage [stages]gauge
	first [marks]atomic.Int64 // when the first token of the turn came by, Unix nanoseconds
}

type gauge struct {
	depth, peak, refused atomic.Int64
	stall                atomic.Int64 // nanoseconds, of stalls that have ended
	since                atomic.Int64 // when the present stall began, 0 if none
}

// Depth returns how many data messages stand in the stage's mailbox.
func (m *Meter) Depth(s Stage) int { return int(m.stage[s].depth.Load()) }

// DepthPeak returns the most that ever stood there.
func (m *Meter) DepthPeak(s Stage) int { return int(m.stage[s].peak.Load()) }

// Refused returns how many posts its mailbox refused. Anything but 0 is a bug
// of ours (I2), but for late posts of an ended turn.
func (m *Meter) Refused(s Stage) int { return int(m.stage[s].refused.Load()) }

// StallTime returns for how long the stage had something to pass on and no
// credit for it, a stall that still lasts included.
func (m *Meter) StallTime(s Stage) time.Duration { return m.stage[s].stallTime(time.Now()) }

func (g *gauge) stallTime(now time.Time) time.Duration {
	d := time.Duration(g.stall.Load())
	if since := g.since.Load(); since != 0 {
		d += max(0, now.Sub(time.Unix(0, since)))
	}
	return d
}

// stalled notes that the stage stalls from now on, or no longer does. It looks at
// the clock only if that is news: it is called for every token.
func (m *Meter) stalled(s Stage, yes bool) {
	g := &m.stage[s]
	since := g.since.Load()
	switch {
	case yes && since == 0:
		g.since.Store(time.Now().UnixNano())
	case !yes && since != 0:
		g.stall.Add(max(0, time.Now().UnixNano()-since))
		g.since.Store(0)
	}
}

func (g *gauge) push() {
	if d := g.depth.Add(1); d > g.peak.Load() {
		g.peak.Store(d) // one mailbox lock holds all pushes
	}
}

func (g *gauge) pop() { g.depth.Add(-1) }

// stalls returns the stall time of each stage that had one, in milliseconds,
// since the readings in before; and the readings now.
func (m *Meter) stalls(before [stages]time.Duration, now time.Time) (map[string]int64, [stages]time.Duration) {
	out := map[string]int64{}
	var read [stages]time.Duration
	for s := range stages {
		read[s] = m.stage[s].stallTime(now)
		if ms := (read[s] - before[s]).Milliseconds(); ms > 0 {
			out[s.String()] = ms
		}
	}
	return out, read
}

// mark is a place that the first token of a turn comes by.
type mark uint8

const (
	markPrompt  mark = iota // the turn began
	markOpen                // its first request was handed to the provider
	markDelta               // its first delta was decoded
	markPassed              // the assembler passed it on
	markStamped             // the reporter stamped it
	marks
)

// begin starts the marks of a turn.
func (m *Meter) begin(now time.Time) {
	for i := range m.first {
		m.first[i].Store(0)
	}
	m.mark(markPrompt, now)
}

// mark notes the time at a place, the first time only.
func (m *Meter) mark(p mark, now time.Time) {
	if !m.marked(p) {
		m.first[p].CompareAndSwap(0, now.UnixNano())
	}
}

func (m *Meter) marked(p mark) bool { return m.first[p].Load() != 0 }

// FirstToken says where the time went until the first token of the turn that
// began last. A stage the token has not come by yet, and those after it, are 0.
type FirstToken struct {
	Turn      time.Duration // from the prompt until the request was handed to the provider
	Provider  time.Duration // until its first delta was decoded
	Assembler time.Duration // until it was passed on, waits for credit included
	Reporter  time.Duration // until it had its place in the order
	Stamped   time.Time     // when that was; from there on it is the reader's time
}

// FirstToken returns the split of the latest turn.
func (m *Meter) FirstToken() FirstToken {
	at := func(p mark) int64 { return m.first[p].Load() }
	span := func(from, to mark) time.Duration {
		if at(from) == 0 || at(to) == 0 {
			return 0
		}
		return time.Duration(at(to) - at(from))
	}
	f := FirstToken{
		Turn: span(markPrompt, markOpen), Provider: span(markOpen, markDelta),
		Assembler: span(markDelta, markPassed), Reporter: span(markPassed, markStamped),
	}
	if ns := at(markStamped); ns != 0 {
		f.Stamped = time.Unix(0, ns)
	}
	return f
}
