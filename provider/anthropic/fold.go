package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/internal/wire"
)

// fold turns the events of one answer into deltas. It is used by one goroutine
// and for one answer.
type fold struct {
	out    *wire.Out
	prefix string // of the ids made here
	limit  int    // most bytes that the fold itself holds
	held   int

	id      string // of the message
	started bool
	stop    string
	usage   usage

	blocks []block
	at     map[int]int // position in blocks by index on the wire
	last   struct{ index, pos int }
	ids    map[string]bool
	made   int
	// whether there is any text, and anything at all
	words, content bool
}

// blockBytes is what a block costs beside its content.
const blockBytes = 256

func newFold(prefix string, limit int) *fold {
	f := &fold{prefix: prefix, limit: limit}
	f.last.index = -1
	return f
}

// Frame takes one event.
func (f *fold) Frame(frame provider.Frame, out *wire.Out) (done bool, err error) {
	f.out = out
	if p, ok := scanPiece(frame.Data); ok {
		return false, f.piece(p)
	}
	return f.event(string(frame.Event), frame.Data)
}

// event takes an event of any shape.
func (f *fold) event(name string, data []byte) (done bool, err error) {
	o := parseObject(data)
	if o == nil {
		return false, wire.BadJSON(data)
	}
	if typ := o.string("type"); typ != "" {
		name = typ
	}
	if name == "error" || o.has("error") {
		return false, wire.FaultOf(data).Error()
	}
	switch name {
	case "message_start":
		return false, f.messageStart(o.object("message"))
	case "content_block_start":
		return false, f.blockStart(f.index(o, true), o["content_block"])
	case "content_block_delta":
		return false, f.blockDelta(f.index(o, false), o.object("delta"))
	case "content_block_stop":
		if pos, ok := f.find(f.index(o, false)); ok {
			f.close(pos)
		}
	case "message_delta":
		f.usage.add(o.object("usage"))
		if stop := o.object("delta").string("stop_reason"); stop != "" {
			f.stop = wire.Reason(stop)
		}
	case "message_stop":
		return true, nil
	case "":
		f.out.Aside(data)
	default: // a ping, or an event of tomorrow
	}
	return false, nil
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
		f.held += len(id)
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
		f.grow(f.last.pos, o.inside("text"))
	case "thinking":
		f.open(index, thinkingBlock).sealed = o.string("signature")
		f.grow(f.last.pos, o.inside("thinking"))
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

// repeated reports whether the start of a call that is still open is sent
// again, saying nothing new. One after its stop, of another tool or with
// another input is a second call that was given the id of the first.
func (f *fold) repeated(index int, typ string, o object) bool {
	pos, ok := f.find(index)
	if !ok || typ != "tool_use" {
		return false
	}
	b, input := &f.blocks[pos], o["input"]
	return b.kind == callBlock && !b.closed && b.sent != "" && o.string("id") == b.sent && o.string("name") == b.name &&
		(isEmptyInput(input) || bytes.Equal(input, b.input))
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
			b.extra[name] = wire.Mended(value)
		}
	}
	f.out.Begin(provider.ToolCallDelta, f.last.pos, b.id, b.name)
}

// callID returns id, or one made here if there is none or it is taken.
func (f *fold) callID(id string) string {
	if f.ids == nil {
		f.ids = make(map[string]bool)
	}
	for id == "" || f.ids[id] {
		if f.made == 0 {
			f.prefix = madePrefix(f.prefix)
		}
		f.made++
		id = f.prefix + "_" + strconv.Itoa(f.made)
	}
	f.ids[id] = true
	return id
}

// room fails once what is held here is larger than an answer may be.
func (f *fold) room() error {
	if f.held <= f.limit {
		return nil
	}
	return &provider.Error{
		Kind:    provider.TooLarge,
		Message: fmt.Sprintf("the answer is larger than %d bytes", f.limit),
	}
}
