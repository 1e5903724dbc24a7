package openai

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"maps"
	"strconv"
	"strings"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/internal/gather"
	"github.com/weir-agents/weir/provider/internal/wire"
)

// settleNewest gives out the newest call before a later one opens, if all that
// it needs is there: an eager reader may begin with it.
func (f *fold) settleNewest(out *wire.Out) {
	if len(f.slots) == 0 {
		return
	}
	s := f.slots[len(f.slots)-1]
	if s.block < 0 || s.name == "" || s.id == "" || s.early != nil || !s.complete() || f.shares(s) {
		return
	}
	call := s.call(s.id)
	s.early = &call
	out.Done(s.block, call)
}

// shares reports whether another slot has the id of s.
func (f *fold) shares(s *slot) bool {
	for _, other := range f.slots {
		if other != s && other.id == s.id {
			return true
		}
	}
	return false
}

// innerExtra is the name under which a call's Extra has the vendor members that
// stand within its function.
const innerExtra = "function"

// marshal returns the JSON of members that are JSON.
func marshal(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("openai: " + err.Error())
	}
	return raw
}

// call returns the call of s as far as it has come.
func (s *slot) call(id string) provider.ToolCall {
	args, raw := wire.Shared(s.args.Whole())
	extra := maps.Clone(s.extra)
	if len(s.inner) > 0 {
		if extra == nil {
			extra = map[string]json.RawMessage{}
		}
		extra[innerExtra] = marshal(s.inner)
	}
	return provider.ToolCall{ID: id, Name: s.name, Arguments: args, Raw: raw, Extra: extra}
}

// finishCalls gives out each call whole. usable is false if the arguments of
// one are no object.
func (f *fold) finishCalls(out *wire.Out) (n int, usable bool, err error) {
	usable = true
	ids := f.newIDs()
	for _, s := range f.slots {
		gather.Add(&s.args, s.half.Flush(nil))
		if s.name == "" && s.args.Len() == 0 {
			continue
		}
		if s.name == "" {
			return n, usable, &provider.Error{
				Kind:      provider.BadToolCall,
				Message:   "the model sent arguments for a tool that it did not name",
				Retryable: true,
			}
		}
		n++
		call := s.call(ids.of(s.id))
		usable = usable && call.Arguments != nil
		if s.early == nil || !same(*s.early, call) {
			out.Done(s.block, call)
		}
	}
	return n, usable, nil
}

func same(a, b provider.ToolCall) bool {
	return a.ID == b.ID && a.Name == b.Name && a.Raw == b.Raw &&
		maps.EqualFunc(a.Extra, b.Extra, func(x, y json.RawMessage) bool { return bytes.Equal(x, y) })
}

// ids gives each call of a response an id of its own.
type ids struct {
	prefix string
	made   int
	came   map[string]bool // true once a call has it
}

func (f *fold) newIDs() *ids {
	all := &ids{prefix: f.prefix, came: make(map[string]bool, len(f.slots))}
	for _, s := range f.slots {
		all.came[s.id] = false
	}
	return all
}

// of returns id for the first call that has it, else one made up.
func (i *ids) of(id string) string {
	if id != "" && !i.came[id] {
		i.came[id] = true
		return id
	}
	if i.prefix == "" {
		var random [8]byte
		_, _ = rand.Read(random[:]) // never fails
		i.prefix = "call_" + hex.EncodeToString(random[:])
	}
	for {
		i.made++
		id := i.prefix + "_" + strconv.Itoa(i.made)
		if _, taken := i.came[id]; !taken {
			i.came[id] = true
			return id
		}
	}
}

// idPrefix returns prefix with only what an id may hold, at most 40 bytes of it.
func idPrefix(prefix string) string {
	prefix = strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, prefix)
	return strings.TrimRight(prefix[:min(len(prefix), 40)], "_")
}
