package anthropic

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/internal/wire"
)

// Finished reports whether a stop reason has come.
func (f *fold) Finished() bool { return f.stop != "" }

// Usage returns what has been told so far.
func (f *fold) Usage() *provider.Usage { return f.usage.total() }

// Flush gives out what waits for more.
func (f *fold) Flush(out *wire.Out) {
	f.out = out
	for pos := range f.blocks {
		f.flush(pos)
	}
}

// End ends an answer for whose end there is evidence: a stop reason, or
// message_stop.
func (f *fold) End(out *wire.Out) error {
	f.out = out
	for pos := range f.blocks {
		f.close(pos)
	}
	calls, cut := 0, false
	for i := range f.blocks {
		b := &f.blocks[i]
		if b.kind != callBlock {
			continue
		}
		switch {
		case b.name != "":
			calls++
			cut = cut || b.cut
		case len(b.text()) > 0 && (b.args.Len() > 0 || !isEmptyInput(b.input)):
			return &provider.Error{Kind: provider.BadToolCall, Message: "a tool call has arguments but no name", Retryable: true}
		default: // neither name nor arguments: no call
		}
	}
	stop := stopOf(f.stop)
	switch {
	case f.stop == "" && cut:
		return &provider.Error{Kind: provider.TruncatedStream, Message: "the answer ended inside the arguments of a tool call", Retryable: true}
	case f.stop == "" && !f.content:
		return emptyResponse("the answer is empty")
	case calls > 0 && stop == provider.StopEnd:
		stop = provider.StopToolCalls
	case calls == 0 && stop == provider.StopToolCalls && !f.words:
		return emptyResponse("the answer promises tool calls and has neither a call nor text")
	case calls == 0 && stop == provider.StopToolCalls:
		stop = provider.StopEnd
	}
	out.Finish(stop, f.Usage())
	return nil
}

func stopOf(reason string) provider.StopReason {
	switch reason {
	case "tool_use":
		return provider.StopToolCalls
	case "max_tokens", "model_context_window_exceeded":
		return provider.StopLength
	case "refusal":
		return provider.StopRefusal
	case "pause_turn":
		return provider.StopPause
	default: // end_turn, stop_sequence, and what is not known yet
		return provider.StopEnd
	}
}

// Whole takes an answer that came as one JSON object instead of a stream.
func (f *fold) Whole(data []byte, out *wire.Out) error {
	f.out = out
	if !utf8.Valid(data) {
		data = []byte(string([]rune(string(data)))) // U+FFFD for each bad byte
	}
	o := parseObject(data)
	if o == nil {
		return wire.BadJSON(data)
	}
	if o.string("type") == "error" || o.has("error") {
		return wire.FaultOf(data).Error()
	}
	f.usage.add(o.object("usage"))
	f.stop = wire.Reason(o.string("stop_reason"))
	if !o.has("content") {
		out.Aside(data)
	}
	var content []json.RawMessage
	_ = json.Unmarshal(o["content"], &content) // what is no list has no blocks
	for i, raw := range content {
		if err := f.blockStart(i, raw); err != nil {
			return err
		}
		if pos, ok := f.find(i); ok {
			f.close(pos)
		}
	}
	return nil
}

func emptyResponse(message string) error {
	return &provider.Error{Kind: provider.EmptyResponse, Message: message, Retryable: true}
}
