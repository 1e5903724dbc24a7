package wire

import (
	"fmt"
	"strings"

	"github.com/weir-agents/weir/provider"
)

// mergeBytes is how much text of one block, all of it already received, is
// merged into one delta.
const mergeBytes = 4 << 10

const (
	// idBytes caps the id of a call: some gateways put a signature of many
	// kilobytes into it, and it is repeated in every delta and result.
	idBytes = 64 << 10
	// nameBytes caps the name of a tool.
	nameBytes = 4 << 10
	// reasonBytes caps a finish reason.
	reasonBytes = 256
)

// Reason returns what is kept of a finish reason: a long one is none that is
// known, which means the end.
func Reason(text string) string {
	if len(text) > reasonBytes {
		return strings.Clone(text[:reasonBytes])
	}
	return text
}

// Out takes the deltas that a [Fold] decodes. Text of one block that follows
// on itself is merged as long as no read has come between.
type Out struct {
	// Text is where a fold appends text after Begin.
	Text []byte

	open   provider.Delta // of which Text is the text; Kind 0 is none
	sealed []provider.Delta
	bytes  int  // of everything so far, what is open left out
	long   bool // an id or a name is longer than its cap
	aside  string
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
	if o.tooLong(id, name) { // the answer fails: nobody is shown it
		id, name = "", ""
	}
	o.open = provider.Delta{Kind: kind, Block: block, ID: id, Name: name}
}

func (o *Out) tooLong(id, name string) bool {
	long := len(id) > idBytes || len(name) > nameBytes
	o.long = o.long || long
	return long
}

// Done adds the whole of a block. The text of a call has come, and was
// counted, as deltas before.
func (o *Out) Done(block int, done provider.Block) {
	o.seal()
	if call, ok := done.(provider.ToolCall); ok {
		if o.tooLong(call.ID, call.Name) {
			return
		}
	} else {
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

// Aside notes a JSON object that is no part of an answer, such as
// {"detail":"not found"}: what it says is told if the answer comes to nothing.
func (o *Out) Aside(object []byte) {
	if words := FaultOf(object).Words; words != "" {
		o.aside = strings.Clone(words[:min(len(words), wordsBytes)])
	}
}

// Hold counts n bytes more that the fold keeps and does not give out as text.
func (o *Out) Hold(n int) { o.bytes += n }

// over returns the error of an answer that has outgrown its caps, of which
// most is that of all that it holds; nil if it has not.
func (o *Out) over(most int) error {
	switch {
	case o.long:
		return &provider.Error{
			Kind:    provider.TooLarge,
			Message: fmt.Sprintf("a call of the answer has an id of more than %d bytes or a name of more than %d", idBytes, nameBytes),
		}
	case o.size() > most:
		return tooLarge(most)
	}
	return nil
}

func tooLarge(most int) *provider.Error {
	return &provider.Error{Kind: provider.TooLarge, Message: fmt.Sprintf("the answer is longer than %d bytes", most)}
}

// size is how much the answer holds so far.
func (o *Out) size() int { return o.bytes + len(o.Text) }
