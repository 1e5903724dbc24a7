package wire

import "github.com/weir-agents/weir/provider"

// mergeBytes is how much text of one block, all of it already received, is
// merged into one delta.
const mergeBytes = 4 << 10

// Out takes the deltas that a [Fold] decodes. Text of one block that follows
// on itself is merged as long as no read has come between.
type Out struct {
	// Text is where a fold appends text after Begin.
	Text []byte

	open   provider.Delta // of which Text is the text; Kind 0 is none
	sealed []provider.Delta
	bytes  int // of everything so far, what is open left out
}

// Begin says to which delta the text that is appended to Text belongs: one of
// kind text, thinking or tool call. A delta that gets no text is none, but for
// a tool call whose name has just come.
func (o *Out) Begin(kind provider.DeltaKind, block int, id, name string) {
	same := o.open.Kind == kind && o.open.Block == block && o.open.ID == id && o.open.Name == name
	if same && len(o.Text) < mergeBytes {
		return
	}
	o.seal()
	o.open = provider.Delta{Kind: kind, Block: block, ID: id, Name: name}
}

// Done adds the whole of a block. The text of a call has come, and was
// counted, as deltas before.
func (o *Out) Done(block int, done provider.Block) {
	o.seal()
	if _, ok := done.(provider.ToolCall); !ok {
		o.bytes += provider.BlockBytes(done)
	}
	o.sealed = append(o.sealed, provider.Delta{Kind: provider.BlockDelta, Block: block, Done: done})
}

// Finish adds the end of the stream.
func (o *Out) Finish(stop provider.StopReason, usage *provider.Usage) {
	o.seal()
	o.sealed = append(o.sealed, provider.Delta{Kind: provider.FinishDelta, Stop: stop, Usage: usage})
}

// seal ends the open delta. It costs the one allocation of its text.
func (o *Out) seal() {
	if len(o.Text) > 0 || o.open.Kind == provider.ToolCallDelta {
		o.open.Text = string(o.Text)
		o.bytes += len(o.Text)
		o.sealed = append(o.sealed, o.open)
	}
	if cap(o.Text) > 4*mergeBytes {
		o.Text = nil
	}
	o.Text = o.Text[:0]
	o.open = provider.Delta{}
}

// Hold counts n bytes more that the fold keeps and does not give out as text.
func (o *Out) Hold(n int) { o.bytes += n }

// size is how much the answer holds so far.
func (o *Out) size() int { return o.bytes + len(o.Text) }
