package actors

// PURE: no clock, no goroutine, no lock, no I/O in this file.

import (
	"fmt"
	"time"

	"github.com/weir-agents/weir/provider"
)

// reporter is the machine that gives all events their one order (I11) and
// hands them to the controlling reader under its credit.
type reporter struct {
	limits Limits
	deltas DeltaMode
	box    *outbox
	in     [stages]Refill
	waits  time.Time // since when the reader owes an answer; zero: it does not
	lossAt time.Time // when a canceled turn's rest is lost; zero: it is not
	late   int       // posts of turns that have ended
	epoch  int
	sends  []Send
	now    time.Time
}

// DeltaMode says which deltas the readers of a session get.
type DeltaMode uint8

// The delta modes, as `--deltas` names them.
const (
	DeltasText  DeltaMode = iota // text and thinking
	DeltasTools                  // also the raw arguments of calls
	DeltasNone                   // whole messages only
)

// outbox is what the reporter must not lose when it is replaced: the session's
// supervisor owns it and lends it to one reporter at a time.
type outbox struct {
	session string
	seq     uint64
	turn    string    // the turn whose events are taken
	began   time.Time // when that turn started
	ttft    *int64    // milliseconds until its first delta
	queue   []queued
	reader  Reader
	credit  Window
	given   []int // sizes of what the reader has not granted back
	owed    []owed
}

// queued is a stamped event that no reader has.
type queued struct {
	event Event
	size  int
	owed  owed // what its producer is owed once it is passed on
}

// owed is the credit of one post; From 0 with no batch means none.
type owed struct {
	from           Stage
	batches, bytes int
}

func newReporter(l Limits, mode DeltaMode, box *outbox) *reporter {
	r := &reporter{limits: l, deltas: mode, box: box}
	for s := range r.in {
		r.in[s] = newRefill(l.hopBatches(), l.HopBytes)
	}
	return r
}

func newOutbox(session string, l Limits) *outbox {
	return &outbox{session: session, credit: newWindow(l.ReaderWindow, l.HopBytes)}
}

// forget drops what producers that are gone were owed.
func (b *outbox) forget() {
	for i := range b.queue {
		b.queue[i].owed = owed{}
	}
	b.owed = nil
}

// Handle takes one input at time now and returns its effects.
func (r *reporter) Handle(in any, now time.Time) []Send {
	r.sends, r.now = r.sends[:0], now
	switch in := in.(type) {
	case Post:
		r.post(in)
	case Grant:
		r.granted(in.Batches)
	case Attach:
		r.attach(in.To)
	case Tick:
		if in.Epoch == r.epoch {
			r.tick()
		}
	default:
		panic(fmt.Sprintf("actors: reporter: no such input %T", in))
	}
	r.give()
	return r.sends
}

// Stalled reports whether events wait for the reader.
func (r *reporter) Stalled() bool {
	return len(r.box.queue) > 0 && (r.box.reader == nil || !r.box.credit.Open())
}

func (r *reporter) send(to Stage, in any) { r.sends = append(r.sends, Send{to, in}) }

// post stamps the events of p, in order, and queues them.
func (r *reporter) post(p Post) {
	due := owed{p.From, 1, p.Bytes}
	if p.Free {
		due = owed{}
	}
	if p.Ref.Turn != "" && p.Ref.Turn != r.box.turn && !r.begins(p) {
		r.late++ // its turn has ended (I11)
		r.refill(due)
		return
	}
	before := len(r.box.queue)
	for _, d := range p.Deltas {
		if e := r.event(d); e != nil {
			r.stamp(p.Ref, e, len(d.Text))
		}
	}
	for _, e := range p.Events {
		r.stamp(p.Ref, e, eventBytes([]Event{e}))
	}
	if n := len(r.box.queue); n > before {
		r.box.queue[n-1].owed = due
		return
	}
	r.refill(due)
}

// begins reports whether p starts a new turn, and lets it.
func (r *reporter) begins(p Post) bool {
	if len(p.Events) == 0 {
		return false
	}
	if _, ok := p.Events[0].(TurnStarted); !ok {
		return false
	}
	r.box.turn, r.box.began, r.box.ttft = p.Ref.Turn, r.now, nil
	return true
}

// event returns what a reader sees of d, nil for nothing.
func (r *reporter) event(d provider.Delta) Event {
	switch d.Kind {
	case provider.TextDelta, provider.ThinkingDelta:
		if r.box.ttft == nil {
			ms := r.now.Sub(r.box.began).Milliseconds()
			r.box.ttft = &ms
		}
		switch {
		case r.deltas == DeltasNone:
			return nil
		case d.Kind == provider.TextDelta:
			return TextDelta{Text: d.Text, Block: d.Block}
		default:
			return ThinkingDelta{Text: d.Text, Block: d.Block}
		}
	case provider.ToolCallDelta:
		if r.deltas == DeltasTools {
			return ToolCallDelta{Block: d.Block, ID: d.ID, Name: d.Name, Arguments: d.Text}
		}
		return nil
	default: // a whole block or the finish: told by MessageCompleted
		return nil
	}
}

// stamp gives e its seq and time and queues it.
func (r *reporter) stamp(ref Ref, e Event, size int) {
	if end, ok := e.(TurnEnded); ok {
		end.TTFTMS = r.box.ttft
		e = end
		r.ended(end)
	}
	r.box.seq++
	e = e.with(Envelope{
		Seq: r.box.seq, Session: r.box.session, At: r.now.UTC(),
		Turn: ref.Turn, Step: ref.Step, Attempt: ref.Attempt,
	})
	r.box.queue = append(r.box.queue, queued{event: e, size: size})
}

// ended closes the turn: nothing with its id is taken any more.
func (r *reporter) ended(e TurnEnded) {
	r.box.turn = ""
	if e.Outcome == Canceled {
		r.lossAt = r.now.Add(r.limits.CancelRead)
		r.timer()
	}
}

// give hands over what the reader has credit for, in one batch.
func (r *reporter) give() {
	b := r.box
	if b.reader == nil || len(b.queue) == 0 || !b.credit.Open() {
		return
	}
	var events []Event
	n := 0
	for ; n < len(b.queue) && b.credit.Spend(b.queue[n].size); n++ {
		q := b.queue[n]
		events = append(events, q.event)
		b.given = append(b.given, q.size)
		if r.limits.ReaderWindow == 1 {
			b.owed = append(b.owed, q.owed) // lockstep: when it has taken it
			continue
		}
		r.refill(q.owed)
	}
	clear(b.queue[:n])
	b.queue = b.queue[n:]
	if len(b.queue) == 0 {
		b.queue = nil
	}
	if r.waits.IsZero() && r.limits.ReaderPatience > 0 {
		r.waits = r.now
		r.timer()
	}
	b.reader.Take(Batch{Events: events})
}

// refill grants a producer what it is owed.
func (r *reporter) refill(o owed) {
	if o.batches == 0 {
		return
	}
	if n, bytes := r.in[o.from].Passed(o.bytes); n > 0 {
		r.send(o.from, Grant{From: o.from, Batches: n, Bytes: bytes})
	}
}

// granted takes credit back from the reader for n events. More than it has is
// a reader's mistake and does no harm.
func (r *reporter) granted(n int) {
	b := r.box
	n = min(n, len(b.given))
	for _, size := range b.given[:n] {
		b.credit.Grant(1, size)
	}
	b.given = append(b.given[:0], b.given[n:]...)
	due := min(n, len(b.owed))
	for _, o := range b.owed[:due] {
		r.refill(o)
	}
	b.owed = append(b.owed[:0], b.owed[due:]...)
	r.waits, r.lossAt = time.Time{}, time.Time{}
	if r.limits.ReaderPatience > 0 {
		if len(b.given) > 0 {
			r.waits = r.now
		}
		r.timer()
	}
}

// attach changes the reader. What the one before had not granted back is lost
// with it, and its credit returns.
func (r *reporter) attach(to Reader) {
	r.granted(len(r.box.given))
	r.box.reader = to
}

// timer asks for a tick at the earlier of the two times there are.
func (r *reporter) timer() {
	at := r.lossAt
	if d := r.limits.ReaderPatience; d > 0 && !r.waits.IsZero() {
		if p := r.waits.Add(d); at.IsZero() || p.Before(at) {
			at = p
		}
	}
	r.epoch++
	r.send(Reporter, SetTimer{At: at, Epoch: r.epoch})
}

func (r *reporter) tick() {
	if d := r.limits.ReaderPatience; d > 0 && !r.waits.IsZero() && !r.now.Before(r.waits.Add(d)) {
		r.waits = time.Time{}
		r.send(Turning, ReaderGone{Turn: r.box.turn})
	}
	if !r.lossAt.IsZero() && !r.now.Before(r.lossAt) {
		r.lossAt = time.Time{}
		r.lose()
	}
	if !r.lossAt.IsZero() {
		r.timer()
	}
}

// lose drops what a reader did not read of a canceled turn, up to the end of
// that turn, and says in its place what is missing.
func (r *reporter) lose() {
	b, last := r.box, -1
	for i, q := range b.queue {
		if _, ok := q.event.(TurnEnded); ok {
			last = i
		}
	}
	if last < 1 {
		return
	}
	for _, q := range b.queue[:last] {
		r.refill(q.owed)
	}
	first, to := b.queue[0].event.Head(), b.queue[last-1].event.Head()
	gap := Notice{
		Level: "warn", Code: "gap", From: first.Seq, To: to.Seq,
		Text: "these events of a canceled turn were not read in time and are lost",
	}
	b.queue[last-1] = queued{event: gap.with(Envelope{Session: b.session, At: r.now.UTC()})}
	b.queue = append([]queued(nil), b.queue[last-1:]...)
}
