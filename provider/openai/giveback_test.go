package openai

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/provider"
)

// answer returns the message that a body gives.
func answer(t *testing.T, body string) provider.Message {
	t.Helper()
	deltas, err := read(t, reader(t, Config{}), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	var a provider.Assembly
	for _, d := range deltas {
		a.Add(d)
	}
	return a.Message()
}

// What a vendor seals goes back with the history, unchanged and in its order,
// streamed or not.
func TestSealsGoBackUnchanged(t *testing.T) {
	const ends = `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
	for name, c := range map[string]struct{ body, want string }{
		"thinking in pieces, its signature, and encrypted data": {
			chunks(`"reasoning":"Hm, ","reasoning_details":[{"type":"reasoning.text","text":"Hm, ","format":"v1","index":0}]`,
				`"reasoning":"so.\ud83d","reasoning_details":[{"type":"reasoning.text","text":"so.\ud83d","format":"v1","index":0}]`,
				`"reasoning_details":[{"type":"reasoning.text","text":"\ude00","signature":"c2ln","index":0}]`,
				`"reasoning_details":[{"type":"reasoning.encrypted","data":"ZW5j","id":"r1","index":0},{"type":"reasoning.encrypted","data":"dHdv","id":"r2","index":0}]`,
				`"content":"Aye."`) + ends,
			`"content":"Aye.","reasoning_details":[{"format":"v1","index":0,"signature":"c2ln","text":"Hm, so.\ud83d\ude00","type":"reasoning.text"},
			 {"type":"reasoning.encrypted","data":"ZW5j","id":"r1","index":0},{"type":"reasoning.encrypted","data":"dHdv","id":"r2","index":0}]`,
		},
		"two texts": {
			chunks(`"reasoning_details":[{"type":"reasoning.text","text":"a","index":0,"signature":"one"},{"type":"reasoning.text","text":"b","index":1,"signature":"two"}]`,
				`"content":"Aye."`) + ends,
			`"content":"Aye.","reasoning_details":[{"type":"reasoning.text","text":"a","index":0,"signature":"one"},{"type":"reasoning.text","text":"b","index":1,"signature":"two"}]`,
		},
		"beside a call with its own": {
			chunks(`"reasoning_details":[{"type":"reasoning.encrypted","data":"ZW5j"}]`,
				`"tool_calls":[{"index":0,"id":"c1","x":1,"function":{"name":"now","arguments":"{}","thought_signature":"c2ln"}}]`) + ends,
			`"reasoning_details":[{"type":"reasoning.encrypted","data":"ZW5j"}],"tool_calls":[{"id":"c1","type":"function","x":1,
			 "function":{"name":"now","arguments":"{}","thought_signature":"c2ln"}}]`,
		},
		"not streamed": {
			`{"choices":[{"message":{"content":"Aye.","reasoning_details":[{"type":"reasoning.summary","summary":"s"},{"type":"reasoning.encrypted","data":"ZW5j"}]},"finish_reason":"stop"}]}`,
			`"content":"Aye.","reasoning_details":[{"type":"reasoning.summary","summary":"s"},{"type":"reasoning.encrypted","data":"ZW5j"}]`,
		},
		"nothing sealed": {
			chunks(`"reasoning_details":[{"type":"reasoning.text","text":"Hm."}]`, `"content":"Aye."`) + ends,
			`"content":"Aye."`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			wantSent(t, Config{}, provider.Request{Model: "m", NoStream: true, Messages: []provider.Message{answer(t, c.body)}},
				`{"model":"m","messages":[{"role":"assistant",`+c.want+`}]}`)
		})
	}
}

func chunks(deltas ...string) string {
	var all strings.Builder
	for _, d := range deltas {
		all.WriteString(`data: {"choices":[{"delta":{` + d + "}}]}\n\n")
	}
	return all.String()
}

// Sealed thinking alone answers nothing, as thinking does.
func TestSealsAloneAreNoAnswer(t *testing.T) {
	m := answer(t, chunks(`"reasoning_details":[{"type":"reasoning.encrypted","data":"ZW5j"}]`)+
		`data: {"choices":[{"delta":{},"finish_reason":"stop"}]}`+"\n\n")
	if !m.Empty() {
		t.Errorf("%+v", m)
	}
}

// Members of a history cannot stand for those of the request itself.
func TestExtrasDoNotStandForTheCall(t *testing.T) {
	m := says(provider.Assistant, provider.ToolCall{
		ID: "c1", Name: "now", Arguments: json.RawMessage(`{}`),
		Extra: map[string]json.RawMessage{"id": []byte(`"x"`), "function": []byte(`{"name":"rm","y":1}`)},
	}, provider.Opaque{Dialect: dialect, Raw: []byte(`{"role":"system","content":"x"}`)}, provider.Opaque{Dialect: "anthropic", Raw: []byte(`{"z":1}`)})
	var got struct{ Messages []json.RawMessage }
	if err := json.Unmarshal([]byte(sent(t, Config{}, provider.Request{Model: "m", Messages: []provider.Message{m}})), &got); err != nil {
		t.Fatal(err)
	}
	var v any
	_ = json.Unmarshal(got.Messages[0], &v)
	want := map[string]any{"role": "assistant", "tool_calls": []any{map[string]any{
		"id": "c1", "type": "function", "function": map[string]any{"name": "now", "arguments": "{}", "y": 1.0},
	}}}
	if diff := cmp.Diff(any(want), v); diff != "" {
		t.Error(diff)
	}
}

// Half a character that an object follows stands before it.
func TestHalfACharacterBeforeAnObject(t *testing.T) {
	m := answer(t, chunks(`"tool_calls":[{"index":0,"id":"c1","function":{"name":"now","arguments":"\ud83d"}}]`,
		`"tool_calls":[{"index":0,"function":{"arguments":{"k":1}}}]`)+finished)
	want := says(provider.Assistant, provider.ToolCall{ID: "c1", Name: "now", Raw: "\ufffd" + `{"k":1}`}, provider.Text{Text: "Aye."})
	if diff := cmp.Diff(want, m); diff != "" {
		t.Error(diff)
	}
}
