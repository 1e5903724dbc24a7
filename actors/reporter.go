package actors

// PURE: no clock, no goroutine, no lock, no I/O in this file.

import (
	"fmt"
	"slices"
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
// supervisor owns it and lends it to one reporter at a time. It may look into it
// too, since one actor of a session runs at a time.
type outbox struct {
	session string
	seq     uint64
	shown             // what went before of the turn
	began   time.Time // when that turn started
	ttft    *int64    // milliseconds until its first delta
	queue   []queued
	near    [nearQueue]queued // where a queue begins: a token that comes alone allocates none
	reader  Reader
	credit  Window
	given   []int // sizes of what the reader has not granted back
	owed    []owed
}

// shown is what the reporter has taken so far, for the session to know what is
// still due after a crash.
type shown struct {
	turn string              // the turn whose events are taken, "" between turns
	last string              // the turn that ended last
	open []provider.ToolCall // calls of the last message without their ToolFinished
	// asked are the calls that readers know to wait for consent.
	asked []string
	// attaches and granted are how many readers there were, and what the last of
	// them has granted.
	attaches, granted int
}

// see notes e.
func (s *shown) see(turn string, e Event) {
	switch e := e.(type) {
	case MessageCompleted:
		s.open = provider.Message{Blocks: e.Blocks}.Calls()
	case ToolFinished:
		s.open = slices.DeleteFunc(s.open, func(c provider.ToolCall) bool { return c.ID == e.Call })
	case ApprovalRequested:
		s.asked = append(s.asked, e.Call)
	case ApprovalResolved:
		if i := slices.Index(s.asked, e.Call); i >= 0 { // a denied one was not asked
			s.asked = slices.Delete(s.asked, i, i+1)
		}
	case TurnEnded:
		s.turn, s.last, s.open, s.asked = "", turn, nil, nil
	default: // says nothing of what is due
	}
}

const nearQueue = 2

// queued is a stamped event that no reader has.
type queued struct {
	event Event
	size  int
	free  bool // no credit was spent on it
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
	case DeltaBatch: // as the assembler got it
		r.post(&Post{From: Assembler, Ref: in.Ref, Deltas: in.Deltas, Bytes: in.Bytes})
	case Post:
		r.post(&in)
	case Grant:
		r.box.granted += in.Batches
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
func (r *reporter) post(p *Post) {
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
	for i := range p.Deltas {
		d := &p.Deltas[i]
		if e := r.event(&p.Ref, d); e != nil {
			r.queue(p, e, len(d.Text))
		}
	}
	r.events(p)
	if n := len(r.box.queue); n > before {
		r.box.queue[n-1].owed = due
		r.watch()
		return
	}
	r.refill(due)
}

func (r *reporter) events(p *Post) {
	for _, e := range p.Events {
		r.stamp(p, e, eventBytes([]Event{e}))
		if _, end := e.(TurnEnded); end && p.From == Turning {
			r.done()
		}
	}
}

// done tells the session that a turn has ended. Only here, so that it never
// goes on from a turn whose end an actor that panicked has swallowed.
func (r *reporter) done() {
	end := r.box.queue[len(r.box.queue)-1].event.(TurnEnded)
	r.send(Supervising, TurnDone{Turn: end.Turn, Outcome: end.Outcome, Ended: end})
}

// watch lets the reader's patience run if it owes an answer.
func (r *reporter) watch() {
	if r.waits.IsZero() && r.limits.ReaderPatience > 0 && len(r.box.given) > 0 {
		r.waits = r.now
		r.timer()
	}
}

// begins reports whether p starts a new turn, and lets it.
func (r *reporter) begins(p *Post) bool {
	if len(p.Events) == 0 {
		return false
	}
	if _, ok := p.Events[0].(TurnStarted); !ok {
		return false
	}
	r.box.turn, r.box.began, r.box.ttft = p.Ref.Turn, r.now, nil
	return true
}

// event returns what a reader sees of d, stamped, nil for nothing.
func (r *reporter) event(ref *Ref, d *provider.Delta) Event {
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
			return TextDelta{Envelope: r.envelope(ref), Text: d.Text, Block: d.Block}
		default:
			return ThinkingDelta{Envelope: r.envelope(ref), Text: d.Text, Block: d.Block}
		}
	case provider.ToolCallDelta:
		if r.deltas == DeltasTools {
			return ToolCallDelta{Envelope: r.envelope(ref), Block: d.Block, ID: d.ID, Name: d.Name, Arguments: d.Text}
		}
		return nil
	default: // a whole block or the finish: told by MessageCompleted
		return nil
	}
}

// stamp gives e, of p, its seq and time and queues it.
func (r *reporter) stamp(p *Post, e Event, size int) {
	if end, ok := e.(TurnEnded); ok {
		end.TTFTMS = r.box.ttft
		if end.Stalls == nil {
			end.Stalls = map[string]int64{} // an object in the contract, never null
		}
		e = end
		r.ended(end)
	}
	r.box.see(p.Ref.Turn, e)
	r.queue(p, e.with(r.envelope(&p.Ref)), size)
}

// envelope is what the next event of ref carries.
func (r *reporter) envelope(ref *Ref) Envelope {
	r.box.seq++
	return Envelope{
		Seq: r.box.seq, Session: r.box.session, At: r.now.UTC(),
		Turn: ref.Turn, Step: ref.Step, Attempt: ref.Attempt,
	}
}

// queue lets e, of p, wait for the reader.
func (r *reporter) queue(p *Post, e Event, size int) {
	r.box.queue = append(r.box.queue, queued{event: e, size: size, free: p.Free})
}

// give hands over what the reader has credit for, in one batch.
func (r *reporter) give() {
	b := r.box
	if b.reader == nil || len(b.queue) == 0 || !b.credit.Open() {
		return
	}
	n := 0
	for n < len(b.queue) && b.credit.Spend(b.queue[n].size) {
		n++
	}
	events := make([]Event, n)
	for i, q := range b.queue[:n] {
		events[i] = q.event
		b.given = append(b.given, q.size)
		if r.limits.ReaderWindow == 1 {
			b.owed = append(b.owed, q.owed) // lockstep: when it has taken it
			continue
		}
		r.refill(q.owed)
	}
	clear(b.queue[:n])
	if b.queue = b.queue[n:]; len(b.queue) == 0 {
		b.near = [nearQueue]queued{}
		b.queue = b.near[:0]
	}
	r.watch()
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

// granted takes credit back from the reader for n events. More than it has, or
// less than none, is a reader's mistake and does no harm.
func (r *reporter) granted(n int) {
	b := r.box
	n = max(0, min(n, len(b.given)))
	for _, size := range b.given[:n] {
		b.credit.Grant(1, size)
	}
	b.given = append(b.given[:0], b.given[n:]...)
	due := min(n, len(b.owed))
	for _, o := range b.owed[:due] {
		r.refill(o)
	}
	b.owed = append(b.owed[:0], b.owed[due:]...)
	r.reads()
}

// reads starts the waits for a reader anew: it has just read something.
func (r *reporter) reads() {
	if r.waits.IsZero() && r.lossAt.IsZero() {
		return
	}
	if r.waits = (time.Time{}); len(r.box.given) > 0 && r.limits.ReaderPatience > 0 {
		r.waits = r.now
	}
	if !r.lossAt.IsZero() && len(r.box.queue) > 0 {
		r.lossAt = r.now.Add(r.limits.CancelRead)
	} else {
		r.lossAt = time.Time{}
	}
	r.timer()
}

// attach changes the reader. What the one before had not granted back is lost
// with it, and its credit returns.
func (r *reporter) attach(to Reader) {
	r.granted(len(r.box.given))
	r.box.reader, r.box.granted = to, 0
	r.box.attaches++
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
		r.waits = time.Time{} // the next event lets it run again
		if r.box.turn != "" {
			r.send(Turning, ReaderGone{Turn: r.box.turn})
		}
	}
	if !r.lossAt.IsZero() && !r.now.Before(r.lossAt) {
		r.lossAt = time.Time{}
		r.lose()
	}
	if !r.lossAt.IsZero() || !r.waits.IsZero() {
		r.timer()
	}
}
