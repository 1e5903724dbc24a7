package actors

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/provider"
)

// reporterTest tells a story to a reporter whose reader remembers in words
// what it got: "seq type text".
type reporterTest struct {
	t    *testing.T
	m    *reporter
	box  *outbox
	now  time.Time
	seen []string
	got  []Send
	done []TurnDone
}

// Take implements Reader.
func (k *reporterTest) Take(b Batch) {
	for _, e := range b.Events {
		k.seen = append(k.seen, told1(e))
	}
}

func told1(e Event) string {
	switch e := e.(type) {
	case TextDelta:
		return fmt.Sprintf("%d %s", e.Seq, e.Text)
	case Notice:
		return fmt.Sprintf("gap %d to %d", e.From, e.To)
	default:
		return fmt.Sprintf("%d %s", e.Head().Seq, e.Type())
	}
}

func newReporterTest(t *testing.T, edit func(*Limits), mode DeltaMode) *reporterTest {
	l := Limits{HopBatches: 4, ReaderWindow: 4}.Default()
	if edit != nil {
		edit(&l)
	}
	box := newOutbox("s1", l)
	k := &reporterTest{t: t, m: newReporter(l, mode, box), box: box, now: noon}
	k.in(Attach{To: k})
	return k
}

func (k *reporterTest) in(inputs ...any) {
	k.t.Helper()
	for _, in := range inputs {
		for _, s := range k.m.Handle(in, k.now) {
			if done, ok := s.In.(TurnDone); ok {
				k.done = append(k.done, done)
				continue
			}
			k.got = append(k.got, s)
		}
	}
}

// want compares what the reader got and what the reporter asked for since.
func (k *reporterTest) want(seen []string, sends ...Send) {
	k.t.Helper()
	if diff := cmp.Diff(seen, k.seen); diff != "" {
		k.t.Errorf("the reader (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(sends, k.got); diff != "" {
		k.t.Errorf("effects (-want +got):\n%s", diff)
	}
	k.seen, k.got = nil, nil
}

// The session learns of the end only when the event is on its way to readers,
// and gets it as they do. An end that the session itself posts is no news to it.
func TestReporterTellsTheSessionOfTheEnd(t *testing.T) {
	k := newReporterTest(t, nil, DeltasText)
	k.in(begin("t1"), end("t1", Completed), begin("t2"), from(Supervising, "t2", TurnEnded{Outcome: Failed}))
	want := []TurnDone{{Turn: "t1", Outcome: Completed, Ended: TurnEnded{
		Envelope: Envelope{Seq: 2, Session: "s1", Turn: "t1", Step: 1, Attempt: 1, At: noon}, Outcome: Completed, Stalls: map[string]int64{},
	}}}
	same(t, want, k.done)
}

func (k *reporterTest) pass() { k.seen, k.got = nil, nil }

func (k *reporterTest) after(d time.Duration) { k.now = k.now.Add(d) }

// from is a post of the turn that runs, by a stage.
func from(s Stage, turn string, events ...Event) Post {
	return Post{From: s, Ref: Ref{turn, 1, 1}, Events: events, Bytes: 1}
}

func deltas(turn string, texts ...string) Post {
	p := Post{From: Assembler, Ref: Ref{turn, 1, 1}}
	for _, s := range texts {
		p.Deltas = append(p.Deltas, text(0, s))
		p.Bytes += len(s)
	}
	return p
}

func begin(turn string) Post { return from(Turning, turn, TurnStarted{Prompt: "x"}) }

func end(turn string, o Outcome) Post {
	p := from(Turning, turn, TurnEnded{Outcome: o})
	p.Free = true
	return p
}

func back(n int) Grant { return Grant{From: Reporter, Batches: n} }

func refilled(s Stage, batches, bytes int) Send {
	return Send{s, Grant{From: s, Batches: batches, Bytes: bytes}}
}

func reporterTimer(at time.Time, epoch int) Send {
	return Send{Reporter, SetTimer{At: at, Epoch: epoch}}
}

func TestReporterStampsAndHandsOverUnderCredit(t *testing.T) {
	k := newReporterTest(t, nil, DeltasText)
	k.in(Post{From: Supervising, Events: []Event{SessionStarted{}}}, begin("t1"), deltas("t1", "a", "b"))
	k.want([]string{"1 session_started", "2 turn_started", "3 a", "4 b"})
	k.in(deltas("t1", "c")) // the reader's window is spent
	if !k.m.Stalled() {
		t.Error("it does not say that the reader holds it up")
	}
	k.in(back(1))
	k.want([]string{"5 c"}, refilled(Assembler, 2, 3))
	k.in(back(99), back(-3)) // more or less than it has: a reader's mistake
	k.in(end("t1", Completed))
	k.want([]string{"6 turn_ended"})
}

func TestReporterFillsInTheEnvelope(t *testing.T) {
	k := newReporterTest(t, nil, DeltasText)
	var got []Event
	k.in(Attach{To: readerFunc(func(b Batch) { got = append(got, b.Events...) })})
	k.in(begin("t1"))
	k.after(40 * time.Millisecond)
	k.in(deltas("t1", "a"))
	k.after(time.Second)
	k.in(end("t1", Completed))
	ms := int64(40)
	head := func(seq uint64, at time.Time) Envelope {
		return Envelope{Seq: seq, Session: "s1", Turn: "t1", Step: 1, Attempt: 1, At: at}
	}
	want := []Event{
		TurnStarted{Envelope: head(1, noon), Prompt: "x"},
		TextDelta{Envelope: head(2, noon.Add(40*time.Millisecond)), Text: "a"},
		TurnEnded{Envelope: head(3, noon.Add(1040*time.Millisecond)), Outcome: Completed, TTFTMS: &ms, Stalls: map[string]int64{}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

type readerFunc func(Batch)

func (f readerFunc) Take(b Batch) { f(b) }

func TestReporterDropsLatePostsAndGivesTheirCreditBack(t *testing.T) {
	k := newReporterTest(t, func(l *Limits) { l.HopBatches = 2 }, DeltasText)
	k.in(begin("t1"), end("t1", Completed))
	k.pass()
	k.in(deltas("t1", "late"), from(Executor, "t0", ToolFinished{}))
	k.want(nil, refilled(Assembler, 1, 4), refilled(Executor, 1, 1))
	if k.m.late != 2 {
		t.Errorf("%d late posts counted", k.m.late)
	}
}

func TestReporterShowsTheDeltasThatAreAskedFor(t *testing.T) {
	post := Post{From: Assembler, Ref: Ref{"t1", 1, 1}, Deltas: []provider.Delta{
		{Kind: provider.ThinkingDelta, Text: "hm"},
		text(1, "a"),
		{Kind: provider.ToolCallDelta, Block: 2, ID: "c", Name: "read", Text: "{}"},
		whole(2, reads(0)), finish(provider.StopEnd),
	}}
	for mode, want := range map[DeltaMode][]string{
		DeltasText:  {"2 thinking_delta", "3 a"},
		DeltasTools: {"2 thinking_delta", "3 a", "4 tool_call_delta"},
		DeltasNone:  nil,
	} {
		k := newReporterTest(t, nil, mode)
		k.in(begin("t1"))
		k.pass()
		k.in(post)
		k.want(want)
		if k.box.ttft == nil { // counted all the same
			t.Errorf("mode %d: no time to the first token", mode)
		}
	}
}

// A post that shows nothing is granted back at once.
func TestReporterGrantsBackWhatShowsNothing(t *testing.T) {
	k := newReporterTest(t, func(l *Limits) { l.HopBatches = 1 }, DeltasNone)
	k.in(begin("t1"))
	k.pass()
	k.in(deltas("t1", "abc"))
	k.want(nil, refilled(Assembler, 1, 3))
}

func TestReporterInLockstepGrantsWhenTheReaderHasTakenIt(t *testing.T) {
	k := newReporterTest(t, func(l *Limits) { l.ReaderWindow = 1 }, DeltasText)
	k.in(begin("t1"), deltas("t1", "a", "b"))
	k.want([]string{"1 turn_started"})
	k.in(back(1))
	k.want([]string{"2 a"}, refilled(Turning, 1, 1))
	k.in(back(1))
	k.want([]string{"3 b"})
	k.in(back(1))
	k.want(nil, refilled(Assembler, 1, 2))
}

func TestReporterKeepsWhatNoReaderHas(t *testing.T) {
	k := newReporterTest(t, nil, DeltasText)
	k.in(Attach{}, begin("t1"), deltas("t1", "a"))
	k.want(nil)
	k.in(Attach{To: k})
	k.want([]string{"1 turn_started", "2 a"})
	k.in(deltas("t1", "b", "c", "d"))
	k.want([]string{"3 b", "4 c"})
}

// What the reader before had not granted back is lost with it; the next one
// has a full window.
func TestReporterGivesANewReaderAFullWindow(t *testing.T) {
	k := newReporterTest(t, nil, DeltasText)
	k.in(begin("t1"), deltas("t1", "a", "b", "c", "d", "e"))
	k.pass()
	k.in(Attach{To: k})
	k.want([]string{"5 d", "6 e"})
}

// ---- patience

func TestReporterLosesPatienceWithAReaderThatTakesNothing(t *testing.T) {
	k := newReporterTest(t, func(l *Limits) { l.ReaderPatience = time.Minute }, DeltasText)
	k.in(begin("t1"))
	k.want([]string{"1 turn_started"}, reporterTimer(noon.Add(time.Minute), 1))
	k.after(30 * time.Second)
	k.in(deltas("t1", "a"))
	k.in(back(1)) // it reads: the wait starts anew
	k.want([]string{"2 a"}, reporterTimer(noon.Add(90*time.Second), 2))
	k.after(time.Minute)
	k.in(Tick{Epoch: 1}) // of the timer before
	k.want(nil)
	k.in(Tick{Epoch: 2})
	k.want(nil, Send{Turning, ReaderGone{"t1"}})
	// It fails the next turn too, if it reads nothing of it either.
	k.in(end("t1", Failed), begin("t2"))
	k.want([]string{"3 turn_ended", "4 turn_started"}, reporterTimer(k.now.Add(time.Minute), 3), refilled(Turning, 2, 2))
	k.after(time.Minute)
	k.in(Tick{Epoch: 3})
	k.want(nil, Send{Turning, ReaderGone{"t2"}})
}

func TestReporterHasPatienceWithAReaderThatHasReadAll(t *testing.T) {
	k := newReporterTest(t, func(l *Limits) { l.ReaderPatience = time.Minute }, DeltasText)
	k.in(begin("t1"), back(1))
	k.want([]string{"1 turn_started"}, reporterTimer(noon.Add(time.Minute), 1), reporterTimer(time.Time{}, 2))
	k.after(time.Hour)
	k.in(Tick{Epoch: 1})
	k.want(nil)
}

// ---- what a canceled turn's reader does not read

// canceled fills the queue behind a reader that has stopped: t1 was canceled.
func (k *reporterTest) canceled() {
	k.in(begin("t1"), deltas("t1", "a", "b", "c"), deltas("t1", "d"), from(Supervising, "", PromptDropped{}),
		deltas("t1", "e"), end("t1", Canceled))
	k.pass()
}

func TestReporterLosesWhatIsNotReadAfterACancel(t *testing.T) {
	k := newReporterTest(t, nil, DeltasText)
	k.canceled()
	k.in(begin("t2"), deltas("t2", "f"))
	k.after(time.Second)
	k.in(Tick{Epoch: 1})
	k.in(back(4))
	// Seq 6 was of no turn, and t2 is another one: they stay.
	k.want([]string{"gap 5 to 7", "6 prompt_dropped", "8 turn_ended", "9 turn_started"}, refilled(Assembler, 2, 4), refilled(Turning, 2, 2))
	k.in(back(4))
	k.want([]string{"10 f"}, refilled(Assembler, 2, 2))
}

func TestReporterLosesNothingOfAReaderThatReadsSlowlyAfterACancel(t *testing.T) {
	k := newReporterTest(t, nil, DeltasText)
	k.canceled()
	k.after(900 * time.Millisecond)
	k.in(back(1))
	k.want([]string{"5 d"}, reporterTimer(noon.Add(1900*time.Millisecond), 2), refilled(Assembler, 2, 4))
	k.after(100 * time.Millisecond)
	k.in(Tick{Epoch: 1})
	k.want(nil)
	// Then it stops: the rest is lost.
	k.after(time.Second)
	k.in(Tick{Epoch: 2})
	k.in(back(4))
	k.want([]string{"6 prompt_dropped", "gap 7 to 7", "8 turn_ended"})
}

func TestReporterKeepsBothWaitsApart(t *testing.T) {
	k := newReporterTest(t, func(l *Limits) { l.ReaderPatience = time.Minute }, DeltasText)
	k.canceled() // the patience runs since noon, the loss comes first
	k.after(time.Second)
	k.in(Tick{Epoch: 2})
	k.want(nil, refilled(Assembler, 2, 4), reporterTimer(noon.Add(time.Minute), 3))
	k.after(time.Minute)
	k.in(Tick{Epoch: 3}) // the turn is over: nobody is to be told
	k.want(nil)
}

// ---- after a crash

func TestOutboxKnowsWhatIsStillDue(t *testing.T) {
	k := newReporterTest(t, nil, DeltasText)
	due := func(want shown) {
		t.Helper()
		want.attaches = 1
		if diff := cmp.Diff(want, k.box.shown, cmp.AllowUnexported(shown{})); diff != "" {
			t.Error(diff)
		}
	}
	k.in(begin("t1"))
	due(shown{turn: "t1"})
	k.in(from(Assembler, "t1", completed(provider.StopToolCalls, reads(0), reads(1))))
	due(shown{turn: "t1", open: []provider.ToolCall{reads(0), reads(1)}})
	k.in(from(Executor, "t1", ToolFinished{Call: "a"}))
	due(shown{turn: "t1", open: []provider.ToolCall{reads(1)}})
	k.in(end("t1", Failed))
	due(shown{last: "t1"})
}

// A reporter that stands in for one that crashed owes nothing to the producers
// that are gone, and goes on with seq and queue.
func TestANewReporterGoesOnWithTheOutbox(t *testing.T) {
	for _, window := range []int{1, 4} {
		k := newReporterTest(t, func(l *Limits) { l.ReaderWindow = window }, DeltasText)
		k.in(begin("t1"), deltas("t1", "a", "b", "c", "d"))
		k.box.forget()
		k.m = newReporter(k.m.limits, DeltasText, k.box)
		k.pass()
		var seen []string
		for range 5 {
			k.in(back(1))
		}
		seen, k.seen = k.seen, nil
		if got := strings.Join(seen, ", "); !strings.HasSuffix("1 turn_started, 2 a, 3 b, 4 c, 5 d", got) {
			t.Errorf("window %d: the reader got %s", window, got)
		}
		for _, s := range k.got {
			if _, ok := s.In.(Grant); ok {
				t.Errorf("window %d: a grant to who is gone: %v", window, s)
			}
		}
	}
}

// The queue keeps no array of what it once held: (g) a long-lived session with a
// reader in step would otherwise grow.
func TestReporterQueueStaysSmall(t *testing.T) {
	k := newReporterTest(t, nil, DeltasText)
	k.in(begin("t1"))
	most := 0
	for i := range 10_000 {
		k.in(deltas("t1", "a", "b", "c"))
		if i%2 == 1 {
			k.in(back(4), back(4))
		}
		most = max(most, cap(k.box.queue))
		k.pass()
	}
	if most > 64 {
		t.Errorf("the queue had room for %d events, at most 8 ever waited", most)
	}
}
