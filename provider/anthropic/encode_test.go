package anthropic

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/provider"
)

func user(blocks ...provider.Block) provider.Message {
	return provider.Message{Role: provider.User, Blocks: blocks}
}

func assistant(blocks ...provider.Block) provider.Message {
	return provider.Message{Role: provider.Assistant, Blocks: blocks}
}

func results(blocks ...provider.Block) provider.Message {
	return provider.Message{Role: provider.Tool, Blocks: blocks}
}

func text(s string) provider.Block { return provider.Text{Text: s} }

func call(id, name, arguments string) provider.ToolCall {
	return provider.ToolCall{ID: id, Name: name, Arguments: json.RawMessage(arguments), Raw: arguments}
}

func result(id, text string) provider.ToolResult {
	return provider.ToolResult{Call: id, Text: text}
}

// body returns what cfg and req are encoded to.
func body(t *testing.T, cfg Config, req provider.Request) string {
	t.Helper()
	raw, err := encode(cfg.withDefaults(), req)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// wantBody compares the body of a request with a JSON text, blanks aside.
func wantBody(t *testing.T, cfg Config, req provider.Request, want string) {
	t.Helper()
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(want)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(compact.String(), body(t, cfg, req)); diff != "" {
		t.Error(diff)
	}
}

// wantMessages is wantBody for the messages alone.
func wantMessages(t *testing.T, messages []provider.Message, want string) {
	t.Helper()
	wantBody(t, Config{NoPromptCache: true}, provider.Request{Model: "m", Messages: messages, NoStream: true},
		`{"max_tokens":32000,"messages":`+want+`,"model":"m"}`)
}

func TestAWholeRequest(t *testing.T) {
	warm := 0.5
	req := provider.Request{
		Model:  "claude-opus-5",
		System: "Be brief.",
		Messages: []provider.Message{
			user(text("Look.")),
			assistant(text("I will."), call("a", "read", `{"path":"x"}`)),
			results(result("a", "found")),
			user(text("And?")),
		},
		Tools: []provider.ToolSpec{
			{Name: "read", Description: "Reads.", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)},
			{Name: "now"},
		},
		MaxTokens:   1000,
		Temperature: &warm,
		Effort:      "high",
		Thinking:    true,
		Extra:       map[string]json.RawMessage{"service_tier": json.RawMessage(`"auto"`)},
	}
	wantBody(t, Config{Extra: map[string]json.RawMessage{"speed": json.RawMessage(`"fast"`), "service_tier": json.RawMessage(`"x"`)}}, req, `{
		"max_tokens": 1000,
		"messages": [
			{"content": [{"text": "Look.", "cache_control": {"type": "ephemeral"}, "type": "text"}], "role": "user"},
			{"content": [
				{"text": "I will.", "type": "text"},
				{"id": "a", "input": {"path": "x"}, "name": "read", "type": "tool_use"}
			], "role": "assistant"},
			{"content": [
				{"tool_use_id": "a", "content": [{"text": "found", "type": "text"}], "type": "tool_result"},
				{"text": "And?", "cache_control": {"type": "ephemeral"}, "type": "text"}
			], "role": "user"}
		],
		"model": "claude-opus-5",
		"output_config": {"effort": "high"},
		"system": [{"text": "Be brief.", "cache_control": {"type": "ephemeral"}, "type": "text"}],
		"thinking": {"display": "summarized", "type": "adaptive"},
		"tools": [
			{"input_schema": {"type": "object", "properties": {"path": {"type": "string"}}}, "name": "read", "eager_input_streaming": true, "description": "Reads."},
			{"input_schema": {"type": "object"}, "name": "now", "eager_input_streaming": true, "cache_control": {"type": "ephemeral"}}
		],
		"service_tier": "auto",
		"speed": "fast",
		"stream": true,
		"temperature": 0.5
	}`)
}

func TestExtraMembersWin(t *testing.T) {
	req := provider.Request{Model: "m", Messages: []provider.Message{user(text("x"))}}
	req.Extra = map[string]json.RawMessage{"max_tokens": json.RawMessage("7"), "stream": json.RawMessage("false")}
	wantBody(t, Config{NoPromptCache: true}, req,
		`{"max_tokens":7,"messages":[{"content":[{"text":"x","type":"text"}],"role":"user"}],"model":"m","stream":false}`)
}

func TestServersThatRefuseTheNewMembers(t *testing.T) {
	req := provider.Request{
		Model:    "m",
		System:   "s",
		Messages: []provider.Message{user(text("x"))},
		Tools:    []provider.ToolSpec{{Name: "now"}},
	}
	wantBody(t, Config{NoPromptCache: true, NoEagerInput: true, MaxTokens: 9}, req, `{"max_tokens":9,
		"messages":[{"content":[{"text":"x","type":"text"}],"role":"user"}],"model":"m",
		"system":[{"text":"s","type":"text"}],
		"tools":[{"input_schema":{"type":"object"},"name":"now"}],"stream":true}`)
}

func TestTheSameRequestIsTheSameBytes(t *testing.T) {
	c := call("a", "b", "{}")
	c.Extra = map[string]json.RawMessage{}
	extra := map[string]json.RawMessage{}
	for _, name := range []string{"q", "w", "e", "r", "t", "y"} {
		c.Extra[name], extra[name] = json.RawMessage("1"), json.RawMessage("2")
	}
	req := provider.Request{Model: "m", Extra: extra, Messages: []provider.Message{user(text("x")), assistant(c)}}
	want := body(t, Config{}, req)
	for range 50 {
		if got := body(t, Config{}, req); got != want {
			t.Fatal(cmp.Diff(want, got))
		}
	}
}

func TestWhatCannotBeEncoded(t *testing.T) {
	for name, req := range map[string]provider.Request{
		"schema": {Model: "m", Tools: []provider.ToolSpec{{Name: "x", Schema: json.RawMessage(`[]`)}}},
		"extra":  {Model: "m", Extra: map[string]json.RawMessage{"x": json.RawMessage(`{`)}},
		"file": {Model: "m", Messages: []provider.Message{
			user(provider.File{Name: "a.bin", MediaType: "application/zip", Data: []byte{0xff}}),
		}},
	} {
		if raw, err := encode(Config{}.withDefaults(), req); err == nil {
			t.Errorf("%s: encoded as %s", name, raw)
		}
	}
}
