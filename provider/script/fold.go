package script

import (
	"net/http"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/internal/gather"
	"github.com/weir-agents/weir/provider/internal/wire"
)

// folder makes deltas of acts, by the rules that adapters read streams by.
type folder struct {
	req   provider.Request
	slots map[int]*slot // the calls that are open
	ids   map[string]bool
	buf   [1]provider.Delta
	began bool // something of the answer has come
	text  bool
	calls int
	err   *provider.Error
}

// slot is a call whose arguments are coming.
type slot struct {
	id   string
	text gather.Text
}

// fold returns the deltas of a, which hold until the next call. After it, err
// is set if the answer ends with an error.
func (f *folder) fold(a Act) []provider.Delta {
	f.began = true
	d, ok := f.delta(a)
	if !ok || f.err != nil {
		return nil
	}
	f.buf[0] = d
	return f.buf[:]
}

func (f *folder) delta(a Act) (provider.Delta, bool) {
	switch a.Kind {
	case ActOpen:
		c, ok := a.Of.(Call)
		if !ok {
			return provider.Delta{}, false
		}
		s := f.slot(a.Block, c)
		return provider.Delta{Kind: provider.ToolCallDelta, Block: a.Block, ID: s.id, Name: c.Name}, true
	case ActPiece:
		return f.piece(a), true
	case ActClose:
		done := f.done(a)
		return provider.Delta{Kind: provider.BlockDelta, Block: a.Block, Done: done}, done != nil
	case ActEnd:
		return provider.Delta{Kind: provider.FinishDelta, Stop: f.stop(a.Stop), Usage: a.Usage}, true
	default: // holds and faults make no delta
		panic("script: an act that makes no delta")
	}
}

// slot opens a call. One without an id, or with that of another, gets one made.
func (f *folder) slot(block int, c Call) *slot {
	if f.slots == nil {
		f.slots, f.ids = map[int]*slot{}, map[string]bool{}
	}
	id := c.ID
	if id == "" || f.ids[id] {
		id = madeID(f.req, f.calls)
	}
	f.ids[id] = true
	f.calls++
	s := &slot{id: id}
	f.slots[block] = s
	return s
}

func (f *folder) piece(a Act) provider.Delta {
	d := provider.Delta{Kind: provider.TextDelta, Block: a.Block, Text: a.Text}
	if s := f.slots[a.Block]; s != nil {
		gather.Add(&s.text, a.Text)
		d.Kind, d.ID, d.Name = provider.ToolCallDelta, s.id, a.Of.(Call).Name
		return d
	}
	if _, ok := a.Of.(Thinking); ok {
		d.Kind = provider.ThinkingDelta
		return d
	}
	f.text = true
	return d
}

// done returns the finished block, nil if its deltas said all there is.
func (f *folder) done(a Act) provider.Block {
	switch b := a.Of.(type) {
	case Thinking:
		if b.Signature == "" && b.Redacted == "" {
			return nil
		}
		return provider.Thinking{Signature: b.Signature, Redacted: b.Redacted}
	case Opaque:
		return provider.Opaque{Dialect: b.dialect(), Raw: b.Raw, Unknown: b.Unknown}
	case Call:
		s := f.slots[a.Block]
		args, raw := wire.Shared(s.text.Whole())
		delete(f.slots, a.Block)
		if b.Name == "" && raw != "" {
			f.fail(provider.BadToolCall, "a call has arguments but no name")
		}
		if b.Name == "" {
			f.calls--
			return nil
		}
		return provider.ToolCall{ID: s.id, Name: b.Name, Arguments: args, Raw: raw, Extra: b.Extra}
	default: // Text
		return nil
	}
}

// stop mends a stop reason that does not fit what came.
func (f *folder) stop(said provider.StopReason) provider.StopReason {
	switch {
	case f.calls > 0 && said == provider.StopEnd:
		return provider.StopToolCalls
	case f.calls == 0 && said == provider.StopToolCalls:
		if !f.text {
			f.fail(provider.EmptyResponse, "the model stopped for tool calls but made none")
		}
		return provider.StopEnd
	default:
		return said
	}
}

func (f *folder) fail(kind provider.ErrorKind, message string) {
	f.err = &provider.Error{Kind: kind, Message: message, Retryable: true, Status: http.StatusOK}
}

// dialect returns the dialect of o.
func (o Opaque) dialect() string {
	if o.Dialect == "" {
		return "anthropic"
	}
	return o.Dialect
}
