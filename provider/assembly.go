package provider

import "github.com/weir-agents/weir/provider/internal/gather"

// Assembly puts the deltas of one stream together into a Message. The zero
// value is ready. It is used by one goroutine.
type Assembly struct {
	open   []openBlock
	bytes  int
	stop   StopReason
	usage  *Usage
	finish bool
}

// openBlock is a block whose end has not come.
type openBlock struct {
	kind DeltaKind
	text gather.Text // a long answer is in memory once
	done Block
}

// Add takes one delta. Its cost is that of copying its text.
func (a *Assembly) Add(d Delta) {
	switch d.Kind {
	case TextDelta, ThinkingDelta:
		b := a.at(d.Block)
		b.kind = d.Kind
		gather.Add(&b.text, d.Text)
		a.bytes += len(d.Text)
	case ToolCallDelta: // for display; the call comes whole
		a.at(d.Block)
	case BlockDelta:
		b, done := a.at(d.Block), d.Done
		if t, ok := done.(Thinking); ok { // its text is what came as ThinkingDeltas
			t.Text = ""
			done = t
		}
		a.bytes += BlockBytes(done) - BlockBytes(b.done)
		b.done = done
	case FinishDelta:
		a.stop, a.usage, a.finish = d.Stop, d.Usage, true
	}
}

func (a *Assembly) at(i int) *openBlock {
	for len(a.open) <= i {
		a.open = append(a.open, openBlock{})
	}
	return &a.open[i]
}

// Bytes returns how much text and data the assembly holds.
func (a *Assembly) Bytes() int { return a.bytes }

// Finished reports whether the FinishDelta has come.
func (a *Assembly) Finished() bool { return a.finish }

// Stop returns the stop reason of the FinishDelta.
func (a *Assembly) Stop() StopReason { return a.stop }

// Usage returns the usage of the FinishDelta, nil if the stream told none.
func (a *Assembly) Usage() *Usage { return a.usage }

// Message returns what has been put together and lets go of the pieces, so it
// is called once, at the end. A block that never got content is left out if
// only such blocks follow it, and is an empty Text otherwise, so that the
// index of every other block stays what its deltas said.
func (a *Assembly) Message() Message {
	m := Message{Role: Assistant, Blocks: make([]Block, 0, len(a.open))}
	last := 0
	for i := range a.open {
		b := a.open[i].finish()
		if b == nil {
			m.Blocks = append(m.Blocks, Text{})
			continue
		}
		m.Blocks = append(m.Blocks, b)
		last = i + 1
	}
	m.Blocks = m.Blocks[:last]
	a.open = nil
	return m
}

// finish returns the block, nil if it has no content.
func (b *openBlock) finish() Block {
	text := gather.String(b.text.Whole())
	b.text = gather.Text{}
	switch done := b.done.(type) {
	case nil:
	case Thinking:
		done.Text = text
		return done
	default:
		return done
	}
	switch {
	case text == "":
		return nil
	case b.kind == ThinkingDelta:
		return Thinking{Text: text}
	default:
		return Text{Text: text}
	}
}

// BlockBytes returns the bytes of text and data that b holds. The arguments of
// a call count once where its raw text is the same: readers share the memory.
func BlockBytes(b Block) int {
	switch b := b.(type) {
	case Text:
		return len(b.Text)
	case Thinking:
		return len(b.Text) + len(b.Signature) + len(b.Redacted)
	case ToolCall:
		n := len(b.ID) + len(b.Name) + len(b.Arguments)
		if b.Raw != string(b.Arguments) {
			n += len(b.Raw)
		}
		for k, v := range b.Extra {
			n += len(k) + len(v)
		}
		return n
	case ToolResult:
		n := len(b.Text)
		for _, i := range b.Images {
			n += len(i.Data)
		}
		return n
	case Image:
		return len(b.Data)
	case File:
		return len(b.Data)
	case Opaque:
		return len(b.Raw)
	case nil:
		return 0
	default:
		panic("provider: a block of no known kind")
	}
}
