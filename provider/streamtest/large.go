package streamtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// large is the case whose one data line has more than a MiB. Readers of lines
// with a fixed buffer stop there, often without an error.
func large() Case {
	text := strings.Repeat("All hands check the lines, the lamps and the ladders before the tide turns.\n", 15000)
	arguments := encode(map[string]string{"path": "orders.txt", "text": text})
	raw := string(arguments)
	delta := func(d any, finish any) []byte {
		return encode(map[string]any{
			"id": "big-1", "object": "chat.completion.chunk", "created": 1760000000, "model": "harbor-1",
			"choices": []any{map[string]any{"index": 0, "delta": d, "finish_reason": finish}},
		})
	}
	call := map[string]any{
		"index": 0, "id": "call_big", "type": "function",
		"function": map[string]any{"name": "write_file", "arguments": raw},
	}
	var b bytes.Buffer
	b.WriteString("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n")
	for _, data := range [][]byte{
		delta(map[string]any{"role": "assistant", "content": ""}, nil),
		delta(map[string]any{"tool_calls": []any{call}}, nil),
		delta(map[string]any{}, "tool_calls"),
		[]byte(`{"choices":[],"usage":{"prompt_tokens":90,"completion_tokens":270000}}`),
		[]byte("[DONE]"),
	} {
		fmt.Fprintf(&b, "%x\r\ndata: %s\n\n\r\n", len(data)+len("data: \n\n"), data)
	}
	b.WriteString("0\r\n\r\n")
	return Case{
		Name: "oai-line-over-1-mib", Dialect: "openai", Response: b.Bytes(), Timing: Timing{End: "close"},
		Expect: Expect{
			Outcome: "completed", Finish: "tool_calls", Usage: &Usage{Input: 90, Output: 270000},
			ToolCalls: []Call{{ID: "call_big", Name: "write_file", Arguments: arguments, Raw: &raw}},
		},
	}
}

func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic("streamtest: " + err.Error()) // of values made here
	}
	return data
}
