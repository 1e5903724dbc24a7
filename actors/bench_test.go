package actors

import (
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/weir-agents/weir/provider"
)

// The cost of each hop by itself. Those of the whole path are in package bench;
// what a hop may allocate is in budget_test.go.

// piece is a delta as a stream brings it.
var piece = provider.Delta{Kind: provider.TextDelta, Text: " lighthouse"}

// one is what an actor gets in a test of its mailbox: it is taken and forgotten.
type one struct{ got int }

func (o *one) InvokeSystemMessage(any)  {}
func (o *one) InvokeUserMessage(any)    { o.got++ }
func (o *one) EscalateFailure(any, any) { panic("the actor failed") }

// here runs an actor on the goroutine that posts to it.
type here struct{}

func (here) Schedule(f func()) { f() }
func (here) Throughput() int   { return 300 }

// later keeps the run of an actor until it is called.
type later struct{ run func() }

func (l *later) Schedule(f func()) { l.run = f }
func (l *later) Throughput() int   { return 300 }

func boxOf(by actor.Dispatcher, capacity int) (*mailbox, *one) {
	m := newMailbox(capacity, 0, &gauge{}, func(any, refusal) { panic("a post was refused") })
	o := &one{}
	m.RegisterHandlers(o, by)
	return m, o
}

// BenchmarkMailboxIdle is a post that wakes its actor, and the receiving.
func BenchmarkMailboxIdle(b *testing.B) {
	b.ReportAllocs()
	m, _ := boxOf(here{}, 1)
	var in any = DeltaBatch{}
	for b.Loop() {
		m.PostUserMessage(in)
	}
}

// BenchmarkMailboxBusy is a post to an actor that runs, and the receiving.
func BenchmarkMailboxBusy(b *testing.B) {
	b.ReportAllocs()
	l := &later{}
	m, _ := boxOf(l, 64)
	var in any = DeltaBatch{}
	for b.Loop() {
		for range 64 {
			m.PostUserMessage(in)
		}
		l.run()
	}
}

// BenchmarkMailboxGrant is a grant that is summed with one that waits.
func BenchmarkMailboxGrant(b *testing.B) {
	b.ReportAllocs()
	m, _ := boxOf(&later{}, 1)
	var in any = Grant{From: Streamer, Batches: 1, Bytes: 1}
	for b.Loop() {
		m.PostUserMessage(in)
	}
}

// BenchmarkCredit is a batch through a window and its way back.
func BenchmarkCredit(b *testing.B) {
	b.ReportAllocs()
	w, r := newWindow(64, 128<<10), newRefill(64, 128<<10)
	for b.Loop() {
		w.Spend(100)
		if n, bytes := r.Passed(100); n > 0 {
			w.Grant(n, bytes)
		}
	}
}

// stepper hands batches of one token to an assembler whose posts are granted
// back at once.
type stepper struct {
	a   *assembler
	ref Ref
	in  any
}

func newStepper(deltas int) *stepper {
	s := &stepper{a: newAssembler(Limits{}.Default(), nil), ref: Ref{"t1", 1, 1}}
	batch := DeltaBatch{Ref: s.ref}
	for range deltas {
		batch.Deltas = append(batch.Deltas, piece)
		batch.Bytes += len(piece.Text)
	}
	s.in = batch
	s.a.Handle(OpenStream{Ref: s.ref})
	return s
}

func (s *stepper) step() {
	for _, out := range s.a.Handle(s.in) {
		if b, ok := out.In.(DeltaBatch); ok {
			s.a.out.Grant(1, b.Bytes)
		}
	}
}

// BenchmarkAssembler is a batch of one delta, taken and passed on. What the
// message itself grows by is in it.
func BenchmarkAssembler(b *testing.B) {
	b.ReportAllocs()
	s := newStepper(1)
	for n := 0; b.Loop(); n++ {
		if n%(1<<20) == 0 { // the message has a cap
			s.a.Handle(OpenStream{Ref: s.ref})
		}
		s.step()
	}
}

// BenchmarkBatcher is 16 deltas merged into one batch and taken.
func BenchmarkBatcher(b *testing.B) {
	b.ReportAllocs()
	m := newBatcher(Ref{"t1", 1, 1}, Limits{}.Default())
	for b.Loop() {
		sixteen(m)
	}
}

func sixteen(m *batcher) {
	for range 16 {
		m.Add(piece)
	}
	batch, _ := m.Take()
	m.out.Grant(1, batch.Bytes)
}

// taker takes what comes and grants it back.
type taker struct{ r *reporter }

func (t *taker) Take(Batch) {}

func newTaker() *taker {
	l := Limits{}.Default()
	t := &taker{newReporter(l, DeltasText, newOutbox("s", l))}
	t.r.Handle(Attach{To: t}, begun)
	t.r.Handle(Post{From: Turning, Ref: Ref{Turn: "t1"}, Events: []Event{TurnStarted{}}}, begun)
	return t
}

// begun is when every turn of a benchmark starts.
var begun = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func (t *taker) post(p any) {
	t.r.Handle(p, begun)
	t.r.Handle(Grant{From: Reporter, Batches: 1}, begun)
}

// BenchmarkReporter is one delta stamped, handed over, and granted back.
func BenchmarkReporter(b *testing.B) {
	b.ReportAllocs()
	t := newTaker()
	var p any = DeltaBatch{Ref: Ref{"t1", 1, 1}, Deltas: []provider.Delta{piece}, Bytes: len(piece.Text)}
	for b.Loop() {
		t.post(p)
	}
}

// BenchmarkResequencer is eight calls that end in the reverse of their order.
func BenchmarkResequencer(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		reversed()
	}
}

func reversed() (events int) {
	ids := [8]string{"a", "b", "c", "d", "e", "f", "g", "h"}
	r := newResequencer(ids[:], 16<<10)
	for i := len(ids) - 1; i >= 0; i-- {
		r.Start(i, ToolStarted{Call: ids[i]})
		r.Finish(i, ToolFinished{Call: ids[i]})
		for {
			if _, ok := r.Next(); !ok {
				break
			}
			events++
		}
	}
	return events
}
