package anthropic

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/internal/gather"
	"github.com/weir-agents/weir/provider/internal/wire"
)

type blockKind uint8

const (
	textBlock blockKind = iota + 1
	thinkingBlock
	redactedBlock
	callBlock
	opaqueBlock
)

// block is one content block of an answer. Its position is the index of its
// deltas, whatever it was on the wire.
type block struct {
	kind   blockKind
	closed bool
	cut    bool // of a call: its arguments are no object
	shown  bool // of a call: what it started with was given out
	half   wire.Half
	sealed string // a signature, or the data of redacted thinking
	seal   []byte // of a signature that comes in deltas

	id, name string
	sent     string          // the id as it came
	input    json.RawMessage // as a call started; the whole start of an opaque block
	args     gather.Text     // the text of its input, from deltas
	extra    map[string]json.RawMessage

	members object            // of an opaque block
	grown   map[string][]byte // what deltas add to those that are texts
}

// piece takes a delta of a usual shape.
func (f *fold) piece(p piece) error {
	if len(p.text) == 0 {
		return nil
	}
	if pos, ok := f.target(p.index, kindOf[p.shape]); ok {
		f.grow(pos, p.text)
	} else {
		f.held += f.blocks[pos].take(object{memberOf[p.shape]: slices.Concat([]byte{'"'}, p.text, []byte{'"'})})
	}
	return f.room()
}

var memberOf = [...]string{textPiece: "text", thinkingPiece: "thinking", inputPiece: "partial_json"}

var kindOf = [...]blockKind{textPiece: textBlock, thinkingPiece: thinkingBlock, inputPiece: callBlock}

// target returns the block that a delta for index goes to, which must be of
// kind: a delta of another kind, or for a block that never started, starts
// one. Of an opaque block only the input grows as that of a call does; for
// another kind of delta it is returned with false.
func (f *fold) target(index int, kind blockKind) (pos int, ok bool) {
	pos, found := f.find(index)
	if found {
		switch f.blocks[pos].kind {
		case kind:
			return pos, true
		case opaqueBlock:
			return pos, kind == callBlock
		}
	}
	b := f.open(index, kind)
	if kind == callBlock {
		b.id = f.callID("")
	}
	return f.last.pos, true
}

// blockDelta takes a content_block_delta of any shape.
func (f *fold) blockDelta(index int, o object) error {
	switch typ := o.string("type"); typ {
	case "text_delta":
		return f.piece(piece{shape: textPiece, index: index, text: o.inside("text")})
	case "thinking_delta":
		return f.piece(piece{shape: thinkingPiece, index: index, text: o.inside("thinking")})
	case "input_json_delta":
		return f.piece(piece{shape: inputPiece, index: index, text: o.inside("partial_json")})
	case "signature_delta":
		return f.signature(index, o)
	default: // a delta of tomorrow, or one of no use to us
		if pos, ok := f.find(index); ok && f.blocks[pos].kind == opaqueBlock {
			f.held += f.blocks[pos].take(o)
		}
	}
	return f.room()
}

func (f *fold) signature(index int, delta object) error {
	text := delta.string("signature")
	if text == "" {
		return nil
	}
	pos, ok := f.target(index, thinkingBlock)
	b := &f.blocks[pos]
	if !ok {
		f.held += b.take(delta)
		return f.room()
	}
	b.seal = append(b.seal, text...)
	b.closed = false
	f.held += len(text)
	return f.room()
}

// deltaOf is the kind of delta that brings the text of a block.
var deltaOf = [...]provider.DeltaKind{
	textBlock:     provider.TextDelta,
	thinkingBlock: provider.ThinkingDelta,
	callBlock:     provider.ToolCallDelta,
	opaqueBlock:   0,
}

// grow adds the inside of a JSON string to a block.
func (f *fold) grow(pos int, raw []byte) {
	if len(raw) == 0 {
		return
	}
	b := &f.blocks[pos]
	b.closed = false
	if b.kind == opaqueBlock {
		gather.Add(&b.args, b.half.Append(nil, raw))
		f.held += len(raw)
		return
	}
	start := f.begin(pos)
	f.out.Text = b.half.Append(f.out.Text, raw)
	f.began(pos, start)
}

// begin makes the text appended to out that of a block, and returns where it
// starts.
func (f *fold) begin(pos int) int {
	b := &f.blocks[pos]
	f.out.Begin(deltaOf[b.kind], pos, b.id, b.name)
	return len(f.out.Text)
}

// began notes the text appended to out from start on.
func (f *fold) began(pos, start int) {
	b, text := &f.blocks[pos], f.out.Text[start:]
	if len(text) == 0 {
		return
	}
	switch b.kind {
	case textBlock:
		f.words, f.content = true, true
	case thinkingBlock:
		f.content = true
	case callBlock: // its name is what makes it content: see close
		gather.Add(&b.args, text)
		f.held += len(text)
	}
}

// flush gives out the half of a character that waits for its other half.
func (f *fold) flush(pos int) {
	b := &f.blocks[pos]
	switch {
	case b.half == 0:
	case b.kind == opaqueBlock:
		gather.Add(&b.args, b.half.Flush(nil))
	default:
		start := f.begin(pos)
		f.out.Text = b.half.Flush(f.out.Text)
		f.began(pos, start)
	}
}

// close hands out the definitive block. A delta that comes later opens it
// again.
func (f *fold) close(pos int) {
	b := &f.blocks[pos]
	if b.closed {
		return
	}
	b.closed = true
	f.flush(pos)
	f.show(pos)
	if done := b.done(); done != nil {
		f.content = true
		f.out.Done(pos, done)
	}
}

// show gives out the arguments that a call started with and no delta has told.
func (f *fold) show(pos int) {
	b := &f.blocks[pos]
	if b.kind != callBlock || b.shown || b.name == "" || b.args.Len() > 0 {
		return
	}
	b.shown = true
	if text := b.text(); len(text) > 0 {
		f.begin(pos)
		f.out.Text = append(f.out.Text, text...)
	}
}

// done returns the block as far as deltas have not told it, nil if they have.
func (b *block) done() provider.Block {
	switch b.kind {
	case thinkingBlock:
		if s := b.signature(); s != "" {
			return provider.Thinking{Signature: s}
		}
	case redactedBlock:
		if b.sealed != "" {
			return provider.Thinking{Redacted: b.sealed}
		}
	case callBlock:
		if b.name != "" {
			return b.call()
		}
	case opaqueBlock:
		return provider.Opaque{Dialect: dialect, Raw: b.opaque(), Unknown: !known(b.members.string("type"))}
	case textBlock:
	}
	return nil
}

// signature returns what deltas told, else what the block started with.
func (b *block) signature() string {
	if len(b.seal) > 0 {
		return string(b.seal)
	}
	return b.sealed
}

func (b *block) call() provider.ToolCall {
	args, raw := wire.Shared(b.text())
	b.cut = args == nil
	return provider.ToolCall{ID: b.id, Name: b.name, Arguments: args, Raw: raw, Extra: b.extra}
}

// text returns the text of a call's input: that of its deltas, else the input
// it started with, as it came.
func (b *block) text() []byte {
	text := bytes.Trim(b.args.Whole(), wire.Blanks)
	switch {
	case len(text) > 0 || len(b.input) == 0:
		return text
	case b.input[0] == '"': // text that is no object, from a server that does not stream
		return bytes.Trim([]byte(object{"input": b.input}.string("input")), wire.Blanks)
	default:
		return b.input
	}
}

// isEmptyInput reports whether raw is what a call starts with whose input is
// to come: {}, null or an empty text.
func isEmptyInput(raw json.RawMessage) bool {
	var compact bytes.Buffer
	if json.Compact(&compact, raw) != nil {
		return true
	}
	s := compact.String()
	return s == "{}" || s == "null" || s == `""`
}

// take adds the texts of a delta to the members of an opaque block that have
// their names, and returns by how much it grew.
func (b *block) take(delta object) int {
	n := 0
	for name := range delta {
		text := delta.inside(name)
		_, member := b.members[name]
		if name == "type" || len(text) == 0 || !member || b.members.has(name) && b.members[name][0] != '"' {
			continue
		}
		if b.grown == nil {
			b.grown = make(map[string][]byte)
		}
		b.grown[name] = append(b.grown[name], text...)
		b.closed = false
		n += len(text)
	}
	return n
}

// opaque returns the block for sending back: as it started, and with what
// deltas told.
func (b *block) opaque() json.RawMessage {
	text := bytes.Trim(b.args.Whole(), wire.Blanks)
	if len(text) == 0 && len(b.grown) == 0 {
		return wire.Mended(b.input)
	}
	whole := maps.Clone(b.members)
	for name, text := range b.grown {
		whole[name] = slices.Concat([]byte{'"'}, b.members.inside(name), text, []byte{'"'})
	}
	if len(text) > 0 {
		whole["input"] = json.RawMessage("{}")
		if wire.IsObject(gather.String(text)) {
			whole["input"] = text
		}
	}
	raw, err := json.Marshal(whole)
	if err != nil { // it was parsed as JSON
		panic("anthropic: " + err.Error())
	}
	return wire.Mended(raw)
}

// known reports whether blocks of this type are the vendor's own tools at work
// or notes to itself, which only pass through here.
func known(typ string) bool {
	switch typ {
	case "container_upload", "compaction", "fallback", "mcp_tool_listing":
		return true
	}
	return strings.HasSuffix(typ, "_tool_use") || strings.HasSuffix(typ, "_tool_result")
}
