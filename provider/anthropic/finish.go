package anthropic

import (
	"encoding/json"

	"github.com/weir-agents/weir/provider"
)

// finish ends an answer for whose end there is evidence: a stop reason, or
// message_stop.
func (f *fold) finish() error {
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
		case len(b.text()) > 0:
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
	f.emit(provider.Delta{Kind: provider.FinishDelta, Stop: stop, Usage: f.usage.total()})
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

// whole takes an answer that came as one JSON object instead of a stream.
func (f *fold) whole(o object) error {
	f.seen, f.ended = true, true
	f.usage.add(o.object("usage"))
	f.stop = o.string("stop_reason")
	var content []json.RawMessage
	_ = json.Unmarshal(o["content"], &content) // what is no list has no blocks
	for i, raw := range content {
		if err := f.blockStart(i, raw); err != nil {
			return err
		}
	}
	return f.finish()
}

func emptyResponse(message string) error {
	return &provider.Error{Kind: provider.EmptyResponse, Message: message, Retryable: true}
}
