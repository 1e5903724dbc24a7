package sim

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/script"
)

// openai is the dialect of Chat Completions.
type openai struct{}

func (openai) name() string { return "openai" }

func (openai) errorBody(kind, message, code string) []byte {
	b := append([]byte(`{"error":`), openaiError(kind, message, code)...)
	return append(b, "}\n"...)
}

func openaiError(kind, message, code string) []byte {
	b := appendString([]byte(`{"message":`), message)
	b = appendString(append(b, `,"type":`...), kind)
	b = appendCode(append(b, `,"param":null,"code":`...), code)
	return append(b, '}')
}

// appendCode appends an error code: a number if it is one, null if it is "".
func appendCode(b []byte, code string) []byte {
	if code == "" {
		return append(b, "null"...)
	}
	if n, err := strconv.Atoi(code); err == nil {
		return strconv.AppendInt(b, int64(n), 10)
	}
	return appendString(b, code)
}

func (openai) voice(a ask, step script.Step, n int64, stamp *stamper) voice {
	v := &openaiVoice{ask: a, stamp: stamp, word: "content", calls: map[int]int{}}
	if step.Stop == provider.StopRefusal {
		v.word = "refusal"
	}
	v.head = append(v.head, `{"id":"chatcmpl-sim`...)
	v.head = strconv.AppendInt(v.head, n, 10)
	v.head = append(v.head, `","object":"chat.completion.chunk","created":`...)
	v.head = strconv.AppendInt(v.head, madeAt, 10)
	v.head = appendString(append(v.head, `,"model":`...), a.req.Model)
	v.head = append(v.head, `,"service_tier":"default","system_fingerprint":"fp_weirsim"`...)
	return v
}

// openaiVoice writes one answer in the dialect of Chat Completions.
type openaiVoice struct {
	ask   ask
	stamp *stamper
	head  []byte // what each chunk starts with
	word  string // the member that text goes into
	calls map[int]int
}

// delta appends a chunk around what inside appends.
func (v *openaiVoice) delta(b []byte, finish string, inside func([]byte) []byte) []byte {
	start := len(b)
	b = append(append(b, "data: "...), v.head...)
	b = append(b, `,"choices":[{"index":0,"delta":{`...)
	b = inside(b)
	b = append(b, `},"logprobs":null,"finish_reason":`...)
	if finish == "" {
		b = append(b, "null}]"...)
	} else {
		b = append(appendString(b, finish), "}]"...)
	}
	if v.ask.usage {
		b = append(b, `,"usage":null`...)
	}
	return v.tail(b, len(b)-start)
}

// padding hides the length of a token, as the vendor does.
const padding = "pZ3kQm8TxW2vLs6R"

func (v *openaiVoice) tail(b []byte, size int) []byte {
	b = appendString(append(b, `,"obfuscation":`...), padding[:1+(len(padding)-1-size%len(padding))])
	return append(v.stamp.append(b), "}\n\n"...)
}

func (v *openaiVoice) start(b []byte) []byte {
	return v.delta(b, "", func(b []byte) []byte { return append(b, `"role":"assistant","content":"","refusal":null`...) })
}

func (v *openaiVoice) act(b []byte, a script.Act) []byte {
	switch a.Kind {
	case script.ActOpen:
		if c, ok := a.Of.(script.Call); ok {
			v.calls[a.Block] = len(v.calls)
			return v.delta(b, "", func(b []byte) []byte {
				b = strconv.AppendInt(append(b, `"tool_calls":[{"index":`...), int64(v.calls[a.Block]), 10)
				return append(appendCall(append(b, ','), c, ""), `}]`...)
			})
		}
		return b
	case script.ActPiece:
		return v.delta(b, "", func(b []byte) []byte { return v.piece(b, a) })
	case script.ActEnd:
		b = v.delta(b, openaiFinish(a.Stop), func(b []byte) []byte { return b })
		if v.ask.usage && a.Usage != nil {
			b = append(append(b, "data: "...), v.head...)
			b = appendUsage(append(b, `,"choices":[],"usage":`...), *a.Usage)
			b = v.tail(b, 0)
		}
		return append(b, "data: [DONE]\n\n"...)
	default: // nothing is said where a block closes
		return b
	}
}

func (v *openaiVoice) piece(b []byte, a script.Act) []byte {
	switch a.Of.(type) {
	case script.Call:
		b = strconv.AppendInt(append(b, `"tool_calls":[{"index":`...), int64(v.calls[a.Block]), 10)
		b = appendString(append(b, `,"function":{"arguments":`...), a.Text)
		return append(b, "}}]"...)
	case script.Thinking:
		return appendString(append(b, `"reasoning_content":`...), a.Text)
	default:
		b = append(append(append(b, '"'), v.word...), `":`...)
		return appendString(b, a.Text)
	}
}

// appendCall appends the members of a call.
func appendCall(b []byte, c script.Call, arguments string) []byte {
	if !c.NoID {
		b = append(appendString(append(b, `"id":`...), c.ID), ',')
	}
	b = appendString(append(b, `"type":"function","function":{"name":`...), c.Name)
	b = appendString(append(b, `,"arguments":`...), arguments)
	return appendExtra(append(b, '}'), c.Extra)
}

func appendExtra(b []byte, extra map[string]json.RawMessage) []byte {
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		b = append(appendString(append(b, ','), name), ':')
		b = append(b, extra[name]...)
	}
	return b
}

func appendUsage(b []byte, u provider.Usage) []byte {
	type object = map[string]any
	return appendJSON(b, object{
		"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Input + u.Output,
		"prompt_tokens_details":     object{"cached_tokens": u.CacheRead, "audio_tokens": 0},
		"completion_tokens_details": object{"reasoning_tokens": u.Reasoning, "audio_tokens": 0},
	})
}

func openaiFinish(stop provider.StopReason) string {
	switch stop {
	case provider.StopRefusal, provider.StopPause:
		return "stop"
	default:
		return string(stop)
	}
}

func (v *openaiVoice) fault(b []byte, f script.Fault) []byte {
	b = append(append(b, `data: {"error":`...), openaiError(f.Type, f.Message, f.Code)...)
	return append(b, "}\n\n"...)
}

func (v *openaiVoice) whole(all []told, stop provider.StopReason, usage *provider.Usage) []byte {
	var text, thinking strings.Builder
	var calls []byte
	for _, t := range all {
		switch of := t.of.(type) {
		case script.Text:
			text.Write(t.text)
		case script.Thinking:
			thinking.Write(t.text)
		case script.Call:
			if calls != nil {
				calls = append(calls, ',')
			}
			calls = append(appendCall(append(calls, '{'), of, string(t.text)), '}')
		}
	}
	b := bytes.Replace(v.head, []byte(".chunk"), nil, 1)
	b = append(b, `,"choices":[{"index":0,"message":{"role":"assistant"`...)
	b = append(append(append(b, `,"`...), v.word...), `":`...)
	if text.Len() > 0 {
		b = appendString(b, text.String())
	} else {
		b = append(b, "null"...)
	}
	if thinking.Len() > 0 {
		b = appendString(append(b, `,"reasoning_content":`...), thinking.String())
	}
	if calls != nil {
		b = append(append(append(b, `,"tool_calls":[`...), calls...), ']')
	}
	b = append(appendString(append(b, `},"logprobs":null,"finish_reason":`...), openaiFinish(stop)), "}]"...)
	if usage != nil {
		b = appendUsage(append(b, `,"usage":`...), *usage)
	}
	return append(b, "}\n"...)
}
