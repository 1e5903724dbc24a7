package openai

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/provider"
)

// sent returns the body that a client with config c sends for req, indented.
func sent(t *testing.T, c Config, req provider.Request) string {
	t.Helper()
	var body []byte
	s := harbor(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		if req.NoStream {
			_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"Aye."},"finish_reason":"stop"}]}`)
			return
		}
		_, _ = io.WriteString(w, finished)
	})
	c.BaseURL = s.URL + c.BaseURL
	for _, err := range client(t, c).Stream(t.Context(), req) {
		if err != nil {
			t.Fatal(err)
		}
	}
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return indent(t, v)
}

func indent(t *testing.T, v any) string {
	t.Helper()
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// wantSent compares the body for req with the JSON text want.
func wantSent(t *testing.T, c Config, req provider.Request, want string) {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(want), &v); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(indent(t, v), sent(t, c, req)); diff != "" {
		t.Error(diff)
	}
}

func says(role provider.Role, blocks ...provider.Block) provider.Message {
	return provider.Message{Role: role, Blocks: blocks}
}

func TestAWholeHistoryIsSent(t *testing.T) {
	half := 0.5
	req := provider.Request{
		Model: "harbor-1", System: "Be brief.", MaxTokens: 100, Temperature: &half, Effort: "low", Thinking: true,
		Messages: []provider.Message{
			says(provider.User, provider.Text{Text: "Look <here> & there"}, provider.Text{},
				provider.Image{MediaType: "image/png", Data: []byte{1, 2}},
				provider.File{Name: "log.pdf", MediaType: "application/pdf", Data: []byte("%PDF")}),
			says(provider.Assistant, provider.Thinking{Text: "Hm.", Signature: "s"}, provider.Text{Text: "Two "}, provider.Text{},
				provider.ToolCall{
					ID: "c1", Name: "list_dir", Arguments: json.RawMessage(`{"path": "a"}`), Raw: `{"path": "a"}`,
					Extra: map[string]json.RawMessage{"extra_content": json.RawMessage(`{"google":{"thought_signature":"c2ln"}}`), "caller": json.RawMessage(`{"type":"direct"}`)}, // Anthropic's
				},
				provider.Text{Text: "things."},
				provider.ToolCall{ID: "c2", Name: "shot", Raw: "{no"},
				provider.Opaque{Dialect: "anthropic", Raw: json.RawMessage(`{"type":"x"}`)}),
			says(provider.Tool, provider.ToolResult{Call: "c1", Name: "list_dir", Text: "", IsError: false},
				provider.ToolResult{Call: "c2", Name: "shot", Text: "arguments are no object", IsError: true, Images: []provider.Image{{MediaType: "image/gif", Data: []byte{3}}}}),
			says(provider.Assistant, provider.Thinking{Text: "only thinking"}),
			says(provider.User, provider.Text{Text: "Go on"}),
		},
		Tools: []provider.ToolSpec{
			{Name: "list_dir", Description: "Lists.", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"maximum":12345678901234567890}}}`)},
			{Name: "shot"},
		},
		Extra: map[string]json.RawMessage{"seed": json.RawMessage(`7`), "user": json.RawMessage(`"me"`)},
	}
	wantSent(t, Config{Extra: map[string]json.RawMessage{"seed": json.RawMessage(`1`), "top_p": json.RawMessage(`0.9`)}}, req, `{
		"model": "harbor-1", "stream": true, "stream_options": {"include_usage": true},
		"max_tokens": 100, "temperature": 0.5, "reasoning_effort": "low", "seed": 7, "top_p": 0.9, "user": "me",
		"tools": [
			{"type": "function", "function": {"name": "list_dir", "description": "Lists.",
				"parameters": {"type": "object", "properties": {"path": {"maximum": 12345678901234567890}}}}},
			{"type": "function", "function": {"name": "shot"}}
		],
		"messages": [
			{"role": "system", "content": "Be brief."},
			{"role": "user", "content": [
				{"type": "text", "text": "Look <here> & there"},
				{"type": "image_url", "image_url": {"url": "data:image/png;base64,AQI="}},
				{"type": "file", "file": {"filename": "log.pdf", "file_data": "data:application/pdf;base64,JVBERg=="}}
			]},
			{"role": "assistant", "content": "Two things.", "tool_calls": [
				{"id": "c1", "type": "function", "function": {"name": "list_dir", "arguments": "{\"path\": \"a\"}"},
					"extra_content": {"google": {"thought_signature": "c2ln"}}},
				{"id": "c2", "type": "function", "function": {"name": "shot", "arguments": "{}"}}
			]},
			{"role": "tool", "tool_call_id": "c1", "content": "(no output)"},
			{"role": "tool", "tool_call_id": "c2", "content": "arguments are no object"},
			{"role": "user", "content": [
				{"type": "text", "text": "Images of the result of c2 (shot):"},
				{"type": "image_url", "image_url": {"url": "data:image/gif;base64,Aw=="}}
			]},
			{"role": "user", "content": "Go on"}
		]
	}`)
}

func TestASmallRequestIsSmall(t *testing.T) {
	req := provider.Request{Model: "m", Messages: []provider.Message{says(provider.User, provider.Text{Text: "Ahoy"})}}
	wantSent(t, Config{}, req, `{"model": "m", "stream": true, "stream_options": {"include_usage": true},
		"messages": [{"role": "user", "content": "Ahoy"}]}`)
	req.NoStream = true
	wantSent(t, Config{}, req, `{"model": "m", "messages": [{"role": "user", "content": "Ahoy"}]}`)
}

func TestThinkingGoesBackOnlyWhereItIsWanted(t *testing.T) {
	req := provider.Request{Model: "m", Messages: []provider.Message{
		says(provider.Assistant, provider.Thinking{Text: "Hm."}, provider.Text{Text: "Aye."}),
	}}
	wantSent(t, Config{GiveThinking: true}, req, `{"model": "m", "stream": true, "stream_options": {"include_usage": true},
		"messages": [{"role": "assistant", "content": "Aye.", "reasoning_content": "Hm."}]}`)
}

func TestTheVendorItselfHasAnotherNameForTheLimit(t *testing.T) {
	for base, want := range map[string]string{
		"": "max_completion_tokens", "https://x.openai.azure.com/openai/deployments/y": "max_completion_tokens",
		"http://localhost:11434": "max_tokens",
	} {
		p, err := client(t, Config{BaseURL: base}).params(provider.Request{Model: "m", MaxTokens: 9})
		if err != nil {
			t.Fatal(err)
		}
		if body, _ := p.MarshalJSON(); !strings.Contains(string(body), `"`+want+`":9`) {
			t.Errorf("%s: %s", base, body)
		}
	}
}

func TestAToolWithABrokenSchemaIsNamed(t *testing.T) {
	req := provider.Request{Model: "m", Tools: []provider.ToolSpec{{Name: "shot", Schema: json.RawMessage(`[]`)}}}
	if _, err := client(t, Config{}).params(req); err == nil || !strings.Contains(err.Error(), "shot") {
		t.Errorf("got %v", err)
	}
}

// What a stream brought can be sent back: the next request holds it.
func TestACallGoesBackAsItCame(t *testing.T) {
	const raw = `{"a":"x\ud83dy"}`
	m := says(provider.Assistant, provider.ToolCall{ID: "call/ü|1", Name: "say", Arguments: json.RawMessage(`{"a":"x\ufffdy"}`), Raw: raw})
	body := sent(t, Config{}, provider.Request{Model: "m", Messages: []provider.Message{m}})
	if !strings.Contains(body, `call/ü|1`) || strings.Contains(body, "ud83d") {
		t.Error(body)
	}
}
