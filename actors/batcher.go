package actors

// PURE: no clock, no goroutine, no lock, no I/O in this file.

import (
	"slices"
	"unicode/utf8"

	"github.com/weir-agents/weir/provider"
)

// batcher gathers the deltas of one try into batches: all that is decoded
// already while there is credit, one merged pending batch while there is none.
type batcher struct {
	ref     Ref
	out     Window
	pending []provider.Delta
	tail    []byte // the text of the last pending delta, once it was merged
	bytes   int
	most    int // bytes of one batch
}

// batchDeltas bounds how many deltas of different blocks or kinds one batch holds.
const batchDeltas = 64

func newBatcher(r Ref, l Limits) *batcher {
	return &batcher{ref: r, out: newWindow(l.HopBatches, l.HopBytes), most: max(1, l.HopBytes/2)}
}

// Full reports whether the pending batch takes no more: the reader stops reading.
func (b *batcher) Full() bool { return b.bytes >= b.most || len(b.pending) >= batchDeltas }

// Waits reports whether something is pending and there is no credit for it.
func (b *batcher) Waits() bool { return len(b.pending) > 0 && !b.out.Open() }

// Add puts d into the pending batch, merging it with a neighbour of its block.
func (b *batcher) Add(d provider.Delta) {
	b.bytes += len(d.Text) + provider.BlockBytes(d.Done)
	if n := len(b.pending); n > 0 && mergeable(b.pending[n-1], d) {
		last := &b.pending[n-1]
		if b.tail == nil {
			b.tail = append(make([]byte, 0, 2*(len(last.Text)+len(d.Text))), last.Text...)
		}
		b.tail = append(b.tail, d.Text...)
		last.ID, last.Name = d.ID, d.Name
		return
	}
	b.seal()
	b.pending = append(b.pending, d)
}

// mergeable reports whether next continues last: pieces of one block's text.
func mergeable(last, next provider.Delta) bool {
	if last.Kind != next.Kind || last.Block != next.Block {
		return false
	}
	return last.Kind == provider.TextDelta || last.Kind == provider.ThinkingDelta || last.Kind == provider.ToolCallDelta
}

func (b *batcher) seal() {
	if b.tail != nil {
		b.pending[len(b.pending)-1].Text = string(b.tail)
		b.tail = nil
	}
}

// Take returns the pending batch if there is one and credit for it.
func (b *batcher) Take() (DeltaBatch, bool) {
	if len(b.pending) == 0 || !b.out.Spend(b.bytes) {
		return DeltaBatch{}, false
	}
	return b.take(false), true
}

// TakeFree returns the pending batch without credit, for a closing stream.
func (b *batcher) TakeFree() (DeltaBatch, bool) {
	if len(b.pending) == 0 {
		return DeltaBatch{}, false
	}
	return b.take(true), true
}

func (b *batcher) take(free bool) DeltaBatch {
	b.seal()
	batch := DeltaBatch{Ref: b.ref, Deltas: b.pending, Bytes: b.bytes, Free: free}
	b.pending, b.bytes = nil, 0
	return batch
}

// overtaken are the tries whose close came before their open (I7): they must not
// begin when it comes. There may be several, if the streamer was not scheduled
// for some turns.
type overtaken struct{ refs []Ref }

// add notes a close. What is beyond the opens that a mailbox holds never comes.
func (o *overtaken) add(r Ref) {
	o.refs = append(o.refs, r)
	if len(o.refs) > commands {
		o.refs = append(o.refs[:0], o.refs[1:]...)
	}
}

// take reports whether r has been closed. Opens come in order, so the closes up
// to it are done with.
func (o *overtaken) take(r Ref) bool {
	i := slices.Index(o.refs, r)
	o.refs = append(o.refs[:0], o.refs[i+1:]...)
	return i >= 0
}

// cut returns the longest head of text that is at most n bytes and ends between
// two UTF-8 characters, and the rest. A character longer than n is not cut.
func cut(text string, n int) (head, rest string) {
	if len(text) <= n {
		return text, ""
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	if n == 0 {
		_, n = utf8.DecodeRuneInString(text)
	}
	return text[:n], text[n:]
}
