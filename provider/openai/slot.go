package openai

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/internal/gather"
	"github.com/weir-agents/weir/provider/internal/wire"
)

const (
	// slotsMax is how many calls one answer may have.
	slotsMax = 4096
	// nameMax is from where a name that comes in pieces grows no more: it is
	// that of no tool.
	nameMax = 1 << 10
)

// slot is one call under assembly.
type slot struct {
	indexed bool
	index   float64
	legacy  bool // a function_call
	id      string
	name    string
	args    gather.Text // without leading blanks
	half    wire.Half
	grown   wire.Partial
	extra   map[string]json.RawMessage
	inner   map[string]json.RawMessage // extras within function
	block   int                        // -1 until the slot has a name or arguments
	early   *provider.ToolCall         // given out before the end
}

const blanks = wire.Blanks

func (s *slot) complete() bool { return s.grown.Complete(&s.args) }

// placeholder reports arguments that are just {}, which more to come replaces.
// They are complete.
func (s *slot) placeholder() bool {
	return string(bytes.TrimRight(s.args.Whole(), blanks)) == "{}"
}

// repeats reports whether text is what the arguments are already. They are
// complete.
func (s *slot) repeats(text []byte) bool {
	return bytes.Equal(bytes.Trim(text, blanks), bytes.TrimRight(s.args.Whole(), blanks))
}

// candidate returns the slot that e may belong to, nil for a new one.
func (f *fold) candidate(e *entry, id string) *slot {
	var newest *slot
	for i := len(f.slots) - 1; i >= 0; i-- {
		s := f.slots[i]
		if s.legacy || e.indexed && (!s.indexed || s.index != e.index) {
			continue
		}
		if id == "" || s.id == id {
			return s
		}
		if newest == nil {
			newest = s
		}
	}
	if !e.indexed && id != "" && e.name != nil {
		return nil
	}
	return newest
}

// begins reports whether e starts a call of its own though s is its candidate.
func (s *slot) begins(e *entry, id, name string) bool {
	if name == "" {
		return false
	}
	complete := s.complete()
	if id != "" && s.id != "" && id != s.id && (s.args.Len() == 0 || complete) {
		return true
	}
	differs := s.name != "" && s.name != name
	if complete {
		text := e.arguments()
		brings := len(bytes.Trim(text, blanks)) > 0 && !s.repeats(text)
		if differs || brings && !s.placeholder() {
			return true
		}
	}
	return !e.indexed && id == "" && differs
}

// arguments returns the argument text of e, as if nothing came before it.
func (e *entry) arguments() []byte {
	if e.object != nil {
		return e.object
	}
	var half wire.Half
	return half.Flush(half.Append(nil, e.args))
}

// entry takes one element of tool_calls.
func (f *fold) entry(e *entry, out *wire.Out) error {
	id, name := f.strings.of(e.id), f.strings.of(e.name)
	s := f.candidate(e, id)
	if s == nil || s.begins(e, id, name) {
		if len(f.slots) == slotsMax {
			return &provider.Error{Kind: provider.TooLarge, Message: "the answer has more calls than can be kept"}
		}
		f.settleNewest(out)
		s = &slot{indexed: e.indexed, index: e.index, block: -1}
		f.slots = append(f.slots, s)
	}
	f.merge(s, e, id, name, out)
	return nil
}

// function takes a piece of the one function_call an answer may have.
func (f *fold) function(e *entry, out *wire.Out) {
	for _, s := range f.slots {
		if s.legacy {
			f.merge(s, e, "", f.strings.of(e.name), out)
			return
		}
	}
	s := &slot{legacy: true, block: -1}
	f.slots = append(f.slots, s)
	f.merge(s, e, "", f.strings.of(e.name), out)
}

// merge takes e into s, and shows what is new of it.
func (f *fold) merge(s *slot, e *entry, id, name string, out *wire.Out) {
	if s.id == "" {
		s.id = id
		out.Hold(len(id))
	}
	keep(&s.extra, e.extra, out)
	keep(&s.inner, e.inner, out)
	short := len(s.name)
	named := s.rename(name)
	out.Hold(len(s.name) - short)
	text := f.arguments(s, e)
	if !named && len(text) == 0 || s.name == "" && s.args.Len() == 0 {
		return
	}
	f.seat(s, out)
	out.Begin(provider.ToolCallDelta, s.block, s.id, s.name)
	if len(out.Text) == 0 && len(text) > spareBytes { // a very long piece is not copied
		out.Text = text
		return
	}
	out.Text = append(out.Text, text...)
}

// seat gives s its block, and before it one to each call that appeared earlier
// and is still to be named: the order of calls is that of their appearance.
func (f *fold) seat(s *slot, out *wire.Out) {
	if s.block >= 0 {
		return
	}
	for _, earlier := range f.slots {
		if earlier.block < 0 {
			earlier.block = f.block()
			out.Begin(provider.ToolCallDelta, earlier.block, earlier.id, earlier.name)
		}
		if earlier == s {
			return
		}
	}
}

// spareBytes is how much memory for decoding is kept for the next piece.
const spareBytes = 64 << 10

// keep adds vendor members to those that a slot has.
func keep(to *map[string]json.RawMessage, more map[string]json.RawMessage, out *wire.Out) {
	if *to == nil && len(more) > 0 {
		*to = make(map[string]json.RawMessage, len(more))
	}
	for key, raw := range more {
		(*to)[key] = raw
		out.Hold(len(key) + len(raw))
	}
}

// rename takes a name, or a piece of one, and reports whether it is news.
func (s *slot) rename(name string) bool {
	switch {
	case name == "" || name == s.name || s.name != "" && s.args.Len() > 0 || len(s.name) > nameMax:
		return false
	case strings.HasPrefix(name, s.name):
		s.name = name
	default:
		s.name += name
	}
	return true
}

// arguments adds the arguments of e to s, and returns what was added, which is
// good until the next call.
func (f *fold) arguments(s *slot, e *entry) []byte {
	if e.args == nil && e.object == nil {
		return nil
	}
	if s.complete() {
		text := e.arguments()
		if len(bytes.Trim(text, blanks)) == 0 || s.repeats(text) {
			return nil
		}
		if s.placeholder() {
			s.args, s.grown = gather.Text{}, wire.Partial{}
		}
	}
	if e.object != nil { // what waits for its other half will not get it
		f.scratch = append(s.half.Flush(f.scratch[:0]), e.object...)
	} else {
		f.scratch = s.half.Append(f.scratch[:0], e.args)
	}
	text := f.scratch
	if cap(f.scratch) > spareBytes {
		f.scratch = nil
	}
	if s.args.Len() == 0 {
		text = bytes.TrimLeft(text, blanks)
	}
	gather.Add(&s.args, text)
	s.grown.Add(text)
	return text
}

// interned returns short strings that come again and again without allocating.
type interned struct{ last [4]string }

func (n *interned) of(lit literal) string {
	for _, s := range n.last {
		if s == string(lit) {
			return s
		}
	}
	var half wire.Half
	text := string(half.Flush(half.Append(nil, lit)))
	if text == string(lit) && len(text) <= nameMax { // one that had escapes is not found by its literal
		copy(n.last[1:], n.last[:])
		n.last[0] = text
	}
	return text
}
