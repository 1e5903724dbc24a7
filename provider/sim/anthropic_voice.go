package sim

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/script"
)

// anthropic is the dialect of Messages.
type anthropic struct{}

func (anthropic) name() string { return "anthropic" }

func (anthropic) errorBody(kind, message, code string) []byte {
	return append(anthropicError(nil, kind, message, code), '\n')
}

func anthropicError(b []byte, kind, message, code string) []byte {
	b = appendString(append(b, `{"type":"error","error":{"type":`...), kind)
	b = appendString(append(b, `,"message":`...), message)
	if code != "" {
		b = appendCode(append(b, `,"code":`...), code)
	}
	return append(b, `},"request_id":"req_sim"}`...)
}

func (anthropic) voice(a ask, step script.Step, n int64, stamp *stamper) voice {
	v := &anthropicVoice{model: a.req.Model, stamp: stamp, number: n}
	if step.Usage != nil {
		v.usage = *step.Usage
	}
	return v
}

// anthropicVoice writes one answer in the dialect of Messages.
type anthropicVoice struct {
	model  string
	stamp  *stamper
	number int64
	usage  provider.Usage // as far as it is known at the start
	pinged bool
}

// event appends the head of a frame, up to the members after its type.
func (v *anthropicVoice) event(b []byte, name string) []byte {
	b = append(append(append(b, "event: "...), name...), "\ndata: {\"type\":\""...)
	return append(append(b, name...), '"')
}

// end ends a frame. The blanks are the vendor's padding.
func (v *anthropicVoice) end(b []byte) []byte {
	b = append(v.stamp.append(b), '}')
	return append(append(b, "            "[:len(b)%12]...), "\n\n"...)
}

func (v *anthropicVoice) at(b []byte, name string, block int) []byte {
	return strconv.AppendInt(append(v.event(b, name), `,"index":`...), int64(block), 10)
}

// head appends the members a message starts with.
func (v *anthropicVoice) head(b []byte) []byte {
	b = strconv.AppendInt(append(b, `"id":"msg_sim`...), v.number, 10)
	return appendString(append(b, `","type":"message","role":"assistant","model":`...), v.model)
}

func (v *anthropicVoice) start(b []byte) []byte {
	b = v.head(append(v.event(b, "message_start"), `,"message":{`...))
	b = append(b, `,"content":[],"stop_reason":null,"stop_sequence":null,"usage":`...)
	early := v.usage
	early.Output = 1
	return v.end(append(anthropicUsage(b, early), '}'))
}

func (v *anthropicVoice) act(b []byte, a script.Act) []byte {
	switch a.Kind {
	case script.ActOpen:
		b = v.at(b, "content_block_start", a.Block)
		b = v.end(appendBlock(append(b, `,"content_block":`...), told{of: a.Of}, true))
		if !v.pinged {
			v.pinged = true
			b = v.end(v.event(b, "ping"))
		}
		return b
	case script.ActPiece:
		return v.end(append(appendPiece(v.at(b, "content_block_delta", a.Block), a), '}'))
	case script.ActClose:
		if t, ok := a.Of.(script.Thinking); ok && t.Signature != "" {
			b = append(v.at(b, "content_block_delta", a.Block), `,"delta":{"type":"signature_delta","signature":`...)
			b = v.end(append(appendString(b, t.Signature), '}'))
		}
		return v.end(v.at(b, "content_block_stop", a.Block))
	default: // script.ActEnd
		b = append(v.event(b, "message_delta"), `,"delta":{"stop_reason":`...)
		b = append(appendString(b, anthropicStop(a.Stop)), `,"stop_sequence":null}`...)
		if a.Usage != nil {
			b = anthropicUsage(append(b, `,"usage":`...), *a.Usage)
		}
		return v.end(v.event(v.end(b), "message_stop"))
	}
}

// appendPiece appends a delta but for its last brace.
func appendPiece(b []byte, a script.Act) []byte {
	switch a.Of.(type) {
	case script.Call:
		b = append(b, `,"delta":{"type":"input_json_delta","partial_json":`...)
	case script.Thinking:
		b = append(b, `,"delta":{"type":"thinking_delta","thinking":`...)
	default:
		b = append(b, `,"delta":{"type":"text_delta","text":`...)
	}
	return appendString(b, a.Text)
}

// appendBlock appends a content block; live ones start empty.
func appendBlock(b []byte, t told, live bool) []byte {
	switch of := t.of.(type) {
	case script.Call:
		b = appendString(append(b, `{"type":"tool_use","id":`...), of.ID)
		b = appendString(append(b, `,"name":`...), of.Name)
		b = append(append(b, `,"input":`...), input(t.text, live)...)
		return append(appendExtra(b, of.Extra), '}')
	case script.Thinking:
		if of.Redacted != "" {
			return append(appendString(append(b, `{"type":"redacted_thinking","data":`...), of.Redacted), '}')
		}
		signature := of.Signature
		if live { // it comes at the end
			signature = ""
		}
		b = appendString(append(b, `{"type":"thinking","thinking":`...), string(t.text))
		return append(appendString(append(b, `,"signature":`...), signature), '}')
	case script.Opaque:
		if of.Dialect == "" || of.Dialect == "anthropic" {
			return append(b, of.Raw...)
		}
		return append(b, `{"type":"text","text":""}`...) // keeps the numbering
	default:
		return append(appendString(append(b, `{"type":"text","text":`...), string(t.text)), '}')
	}
}

// input returns a whole call's arguments as a JSON value: a string if they are
// none.
func input(text []byte, live bool) []byte {
	trimmed := strings.TrimSpace(string(text))
	switch {
	case live || trimmed == "":
		return []byte("{}")
	case json.Valid([]byte(trimmed)):
		return []byte(trimmed)
	default:
		return appendString(nil, trimmed)
	}
}

func anthropicUsage(b []byte, u provider.Usage) []byte {
	return appendJSON(b, map[string]any{
		"input_tokens":            max(0, u.Input-u.CacheRead-u.CacheWrite),
		"cache_read_input_tokens": u.CacheRead, "cache_creation_input_tokens": u.CacheWrite,
		"output_tokens": u.Output, "service_tier": "standard",
	})
}

func anthropicStop(stop provider.StopReason) string {
	switch stop {
	case provider.StopToolCalls:
		return "tool_use"
	case provider.StopLength:
		return "max_tokens"
	case provider.StopRefusal, provider.StopContentFilter:
		return "refusal"
	case provider.StopPause:
		return "pause_turn"
	default:
		return "end_turn"
	}
}

func (v *anthropicVoice) fault(b []byte, f script.Fault) []byte {
	b = append(b, "event: error\ndata: "...)
	return append(anthropicError(b, f.Type, f.Message, f.Code), "\n\n"...)
}

func (v *anthropicVoice) whole(all []told, stop provider.StopReason, usage *provider.Usage) []byte {
	b := append(v.head([]byte("{")), `,"content":[`...)
	for i, t := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendBlock(b, t, false)
	}
	b = appendString(append(b, `],"stop_reason":`...), anthropicStop(stop))
	b = append(b, `,"stop_sequence":null`...)
	if usage != nil {
		b = anthropicUsage(append(b, `,"usage":`...), *usage)
	}
	return append(b, "}\n"...)
}
