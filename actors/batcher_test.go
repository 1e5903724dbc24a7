package actors

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weir-agents/weir/provider"
)

func newTestBatcher(batches, bytes int) *batcher {
	return newBatcher(ref(1, 1), Limits{HopBatches: batches, HopBytes: bytes}.Default())
}

func TestBatcherMergesNeighboursOfABlock(t *testing.T) {
	b := newTestBatcher(1, 1000)
	think := provider.Delta{Kind: provider.ThinkingDelta, Block: 0, Text: "h"}
	args := provider.Delta{Kind: provider.ToolCallDelta, Block: 2, Text: "{"}
	named := provider.Delta{Kind: provider.ToolCallDelta, Block: 2, ID: "c", Name: "read", Text: "}"}
	for _, d := range []provider.Delta{
		think, text(0, "a"), text(0, "b"), text(0, "c"), text(1, "d"), text(0, "e"), args, named, whole(2, reads(0)), whole(2, reads(1)),
	} {
		b.Add(d)
	}
	merged := named
	merged.Text = "{}"
	got, ok := b.Take()
	want := DeltaBatch{Ref: ref(1, 1), Bytes: 8 + 2*(1+4+2), Deltas: []provider.Delta{
		think, text(0, "abc"), text(1, "d"), text(0, "e"), merged, whole(2, reads(0)), whole(2, reads(1)),
	}}
	if diff := cmp.Diff(want, got); diff != "" || !ok {
		t.Error(diff)
	}
	if _, ok := b.Take(); ok {
		t.Error("a batch of nothing")
	}
	b.Add(text(0, "x"))
	if _, ok := b.Take(); ok || !b.Waits() {
		t.Error("a batch without credit")
	}
	free, ok := b.TakeFree()
	if diff := cmp.Diff(DeltaBatch{Ref: ref(1, 1), Bytes: 1, Deltas: []provider.Delta{text(0, "x")}, Free: true}, free); diff != "" || !ok {
		t.Error(diff)
	}
	if _, ok := b.TakeFree(); ok || b.Waits() {
		t.Error("a free batch of nothing")
	}
}

func TestBatcherIsFullByBytesAndByDeltas(t *testing.T) {
	b := newTestBatcher(1, 20)
	b.Add(text(0, strings.Repeat("x", 9)))
	if b.Full() {
		t.Error("full at 9 of 10 bytes")
	}
	b.Add(text(0, "x"))
	if !b.Full() {
		t.Error("not full at 10 of 10 bytes")
	}
	b = newTestBatcher(1, 100_000)
	for i := range batchDeltas {
		if b.Full() {
			t.Fatalf("full at %d deltas", i)
		}
		b.Add(text(i, "x"))
	}
	if !b.Full() {
		t.Error("not full")
	}
}

// What was taken is frozen: later text must not write into it.
func TestABatchIsFrozenOnceTaken(t *testing.T) {
	b := newTestBatcher(9, 1000)
	b.Add(text(0, "a"))
	b.Add(text(0, "b"))
	first, _ := b.Take()
	b.Add(text(0, "X"))
	b.Add(text(0, "Y"))
	second, _ := b.Take()
	if first.Deltas[0].Text != "ab" || second.Deltas[0].Text != "XY" {
		t.Errorf("%q, %q", first.Deltas[0].Text, second.Deltas[0].Text)
	}
}

func TestCutEndsBetweenCharacters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, n := rapid.String().Draw(t, "s"), rapid.IntRange(1, 12).Draw(t, "n")
		head, rest := cut(s, n)
		if head+rest != s || head == "" && s != "" || len(head) > max(n, utf8.UTFMax) {
			t.Fatalf("cut %q at %d: %q, %q", s, n, head, rest)
		}
		if utf8.ValidString(s) && (!utf8.ValidString(head) || !utf8.ValidString(rest)) {
			t.Fatalf("cut inside a character: %q, %q", head, rest)
		}
	})
}

// Nothing is lost and nothing reordered within a block, whatever is merged.
func TestBatcherLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newTestBatcher(1_000_000, 64)
		sent, got := map[int]string{}, map[int]string{}
		take := func(batch DeltaBatch, _ bool) {
			bytes := 0
			for _, d := range batch.Deltas {
				got[d.Block] += d.Text
				bytes += len(d.Text)
			}
			if bytes != batch.Bytes {
				t.Fatalf("a batch of %d bytes says %d", bytes, batch.Bytes)
			}
			b.out.Grant(0, batch.Bytes)
		}
		for range rapid.IntRange(0, 60).Draw(t, "deltas") {
			d := text(rapid.IntRange(0, 2).Draw(t, "block"), rapid.StringN(1, 9, -1).Draw(t, "text"))
			sent[d.Block] += d.Text
			b.Add(d)
			if rapid.Bool().Draw(t, "take") {
				take(b.Take())
			}
		}
		take(b.Take())
		if diff := cmp.Diff(sent, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

// ---- credit

// A sender that has spent everything is always granted something once its
// batches have been passed on, for any window: no deadlock by halves.
func TestCreditComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		batches, bytes := rapid.IntRange(1, 9).Draw(t, "batches"), rapid.IntRange(1, 99).Draw(t, "bytes")
		w, r := newWindow(batches, bytes), newRefill(batches, bytes)
		var inFlight []int
		for range 200 {
			size := rapid.IntRange(0, 150).Draw(t, "size")
			if rapid.Bool().Draw(t, "send") && w.Spend(size) {
				inFlight = append(inFlight, size)
				continue
			}
			if len(inFlight) > 0 {
				w.Grant(r.Passed(inFlight[0]))
				inFlight = inFlight[1:]
			} else if !w.Open() {
				t.Fatalf("nothing is on its way and the sender has %d batches and %d bytes", w.batches, w.bytes)
			}
			if len(inFlight) > batches {
				t.Fatalf("%d batches are on their way, the window is %d", len(inFlight), batches)
			}
		}
		for _, size := range inFlight {
			w.Grant(r.Passed(size))
		}
		w.Grant(r.Flush())
		if !w.Full() {
			t.Fatalf("the window ends at %+v", w)
		}
	})
}

func TestTooMuchCreditPanics(t *testing.T) {
	for _, g := range []Grant{{Batches: 2, Bytes: 1}, {Batches: 1, Bytes: 2}, {Batches: -1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v was taken", g)
				}
			}()
			w := newWindow(2, 10)
			w.Spend(1)
			w.Grant(g.Batches, g.Bytes)
		}()
	}
}

// Two turns were canceled before the streamer ran once: neither is asked.
func TestSeveralClosesCanOvertakeTheirOpens(t *testing.T) {
	var o overtaken
	first, second, third := Ref{"t1", 1, 1}, Ref{"t2", 1, 1}, Ref{"t3", 1, 1}
	o.add(first)
	o.add(second)
	if !o.take(first) || !o.take(second) || o.take(third) || len(o.refs) != 0 {
		t.Errorf("left %v", o.refs)
	}
	for range 2 * commands {
		o.add(first)
	}
	if len(o.refs) > commands {
		t.Errorf("%d refs are kept", len(o.refs))
	}
}
