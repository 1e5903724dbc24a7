package actors

// PURE: no clock, no goroutine, no lock, no I/O in this file.

import "time"

// ended lets the wait for a reader that must read what was canceled begin. One
// that runs goes on: turns canceled in a row must not put it off for ever.
func (r *reporter) ended(e TurnEnded) {
	if e.Outcome == Canceled && r.lossAt.IsZero() {
		r.lossAt = r.now.Add(r.limits.CancelRead)
		r.timer()
	}
}

// lose drops what a reader did not read of a canceled turn, up to its end, and
// says in its place what is missing. Other turns lose nothing, nor do those that
// were canceled less than CancelRead ago: their time comes.
func (r *reporter) lose() {
	b := r.box
	kept := make([]queued, 0, len(b.queue))
	for _, q := range b.queue {
		if end, ok := q.event.(TurnEnded); ok && end.Outcome == Canceled {
			if due := end.At.Add(r.limits.CancelRead); due.After(r.now) {
				r.lossAt = earlier(r.lossAt, due)
			} else {
				kept = r.gap(kept, end.Turn)
			}
		}
		kept = append(kept, q)
	}
	b.queue = kept
}

func earlier(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}

// gap puts one notice for the events of turn among queue.
func (r *reporter) gap(queue []queued, turn string) []queued {
	notice := Notice{
		Level: "warn", Code: "gap",
		Text: "these events of a canceled turn were not read in time and are lost",
	}
	var kept []queued
	at := -1
	for _, q := range queue {
		head := q.event.Head()
		if head.Turn != turn {
			kept = append(kept, q)
			continue
		}
		if notice.To = head.Seq; at < 0 {
			at, notice.From = len(kept), head.Seq
			kept = append(kept, queued{})
		}
		r.refill(q.owed)
	}
	if at >= 0 {
		kept[at].event = notice.with(Envelope{Session: r.box.session, At: r.now.UTC()})
	}
	return kept
}
