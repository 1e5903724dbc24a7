package anthropic

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/weir-agents/weir/provider"
)

// fold turns the events of one answer into deltas. It is used by one goroutine
// and for one answer.
type fold struct {
	out    []provider.Delta // what the event at hand made
	prefix string           // of the ids made here
	limit  int              // most bytes of the whole answer
	held   int

	id      string // of the message
	started bool
	seen    bool // something but pings came
	ended   bool // message_stop came
	stop    string
	usage   usage

	blocks  []block
	at      map[int]int // position in blocks by index on the wire
	last    struct{ index, pos int }
	ids     map[string]bool
	made    int
	scratch []byte
	// whether there is any text, and anything at all
	words, content bool
}

// blockBytes is what a block costs beside its content.
const blockBytes = 256

func newFold(prefix string, limit int) *fold {
	f := &fold{prefix: prefix, limit: limit}
	f.last.index = -1
	if f.prefix == "" {
		f.prefix = "call_"
	}
	return f
}

// event takes one event of the stream. What it makes is appended to out.
func (f *fold) event(name string, data []byte) error {
	if name == "error" {
		return providerError(data)
	}
	if p, ok := scanPiece(data); ok {
		f.seen = true
		return f.piece(p)
	}
	return f.any(name, data)
}

// any takes an event of any shape.
func (f *fold) any(name string, data []byte) error {
	o := parseObject(data)
	if o == nil {
		return badJSON(data)
	}
	if typ := o.string("type"); typ != "" {
		name = typ
	}
	if name == "error" || o.has("error") {
		return providerError(data)
	}
	if name == "ping" {
		return nil
	}
	f.seen = true
	switch name {
	case "message_start":
		return f.messageStart(o.object("message"))
	case "content_block_start":
		return f.blockStart(f.index(o, true), o["content_block"])
	case "content_block_delta":
		return f.blockDelta(f.index(o, false), o.object("delta"))
	case "content_block_stop":
		if pos, ok := f.find(f.index(o, false)); ok {
			f.close(pos)
		}
	case "message_delta":
		f.usage.add(o.object("usage"))
		if stop := o.object("delta").string("stop_reason"); stop != "" {
			f.stop = stop
		}
	case "message_stop":
		f.ended = true
	default: // an event of tomorrow
	}
	return nil
}

// index returns the block an event is about: where it names none, the next one
// if it starts one, else the one of the event before.
func (f *fold) index(o object, start bool) int {
	if n, ok := o.number("index"); ok {
		return n
	}
	if start {
		return -2 - len(f.blocks) // an index that no event has
	}
	return f.last.index
}

func (f *fold) messageStart(m object) error {
	id := m.string("id")
	if f.started && id != f.id {
		return &provider.Error{
			Kind:      provider.SplicedStream,
			Message:   fmt.Sprintf("a second answer (%s) began inside the first (%s)", id, f.id),
			Retryable: true,
		}
	}
	if !f.started {
		f.started, f.id = true, id
		f.usage.add(m.object("usage"))
	}
	return nil
}

func (f *fold) find(index int) (pos int, ok bool) {
	if index == f.last.index && len(f.blocks) > 0 {
		return f.last.pos, true
	}
	pos, ok = f.at[index]
	if ok {
		f.last.index, f.last.pos = index, pos
	}
	return pos, ok
}

// open starts a block, which is from now on what index means.
func (f *fold) open(index int, kind blockKind) *block {
	if f.at == nil {
		f.at = make(map[int]int)
	}
	f.last.index, f.last.pos = index, len(f.blocks)
	f.at[index] = len(f.blocks)
	f.blocks = append(f.blocks, block{kind: kind})
	f.held += blockBytes
	return &f.blocks[len(f.blocks)-1]
}

// blockStart takes a content_block_start.
func (f *fold) blockStart(index int, raw json.RawMessage) error {
	o := parseObject(raw)
	typ := o.string("type")
	if typ == "" {
		return nil // what it is its deltas will say
	}
	if f.repeated(index, typ, o) {
		return nil
	}
	switch typ {
	case "text":
		f.open(index, textBlock)
		return f.grow(f.last.pos, o.inside("text"), false)
	case "thinking":
		f.open(index, thinkingBlock).sealed = o.string("signature")
		return f.grow(f.last.pos, o.inside("thinking"), false)
	case "redacted_thinking":
		f.open(index, redactedBlock).sealed = o.string("data")
	case "tool_use":
		f.callStart(index, o)
		f.held += len(raw)
	default:
		b := f.open(index, opaqueBlock)
		b.input, b.members = raw, o
		f.held += 2 * len(raw)
	}
	return f.room()
}

// repeated reports whether the start of a call is sent again.
func (f *fold) repeated(index int, typ string, o object) bool {
	pos, ok := f.find(index)
	if !ok || typ != "tool_use" || f.blocks[pos].kind != callBlock {
		return false
	}
	id := o.string("id")
	return id != "" && id == f.blocks[pos].sent
}

func (f *fold) callStart(index int, o object) {
	b := f.open(index, callBlock)
	b.name, b.sent, b.input = o.string("name"), o.string("id"), o["input"]
	b.id = f.callID(b.sent)
	for name, value := range o {
		switch name {
		case "type", "id", "name", "input":
		default:
			if b.extra == nil {
				b.extra = make(map[string]json.RawMessage)
			}
			b.extra[name] = mendEscapes(value)
		}
	}
	f.emit(provider.Delta{Kind: provider.ToolCallDelta, Block: f.last.pos, ID: b.id, Name: b.name})
}

// callID returns id, or one made here if there is none or it is taken.
func (f *fold) callID(id string) string {
	if f.ids == nil {
		f.ids = make(map[string]bool)
	}
	for id == "" || f.ids[id] {
		f.made++
		id = f.prefix + strconv.Itoa(f.made)
	}
	f.ids[id] = true
	return id
}

func (f *fold) emit(d provider.Delta) { f.out = append(f.out, d) }

// room fails once the answer is larger than its cap.
func (f *fold) room() error {
	if f.held <= f.limit {
		return nil
	}
	return &provider.Error{
		Kind:    provider.TooLarge,
		Message: fmt.Sprintf("the answer is larger than %d bytes", f.limit),
	}
}
