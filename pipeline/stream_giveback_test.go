package pipeline_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider"
)

// sealed is an answer that must go back to its vendor to the letter.
const sealed = `{"steps":[
 {"blocks":[
  {"thinking":"Look before you leap; ünïcödé 👋🏽","signature":"c2VhbGVk+/=="},
  {"redacted":"ZW5jcnlwdGVk"},
  {"opaque":{"type":"server_tool_use","id":"srv_1","name":"web_search","input":{"q":"dams"}}},
  {"opaque":{"type":"block_of_tomorrow","n":1.50,"x":[{}]},"unknown":true},
  {"text":"I look. "},
  {"thinking":"again","signature":"dHdvLg=="},
  {"call":"look","id":"call_1","arguments":{"path":"a"}}
 ]},
 {"blocks":[{"thinking":"now I know","signature":"dGhyZWU="},{"text":"It is a dam."}]},
 "You are welcome."]}`

// The next request gives back what the vendor sealed, whole and in its place:
// in the turn and in the turn after it.
func TestSealedBlocksGoBackUnchanged(t *testing.T) {
	u := newUpstream(t, sealed)
	tool := &recorder{}
	s := open(t, u.client(t, "anthropic"), pipeline.Config{Tools: registry(t, tool.tool("look")), Thinking: true})
	events := run(t, s, "go")
	run(t, s, "thanks")
	answer := []provider.Block{
		provider.Thinking{Text: "Look before you leap; ünïcödé 👋🏽", Signature: "c2VhbGVk+/=="},
		provider.Thinking{Redacted: "ZW5jcnlwdGVk"},
		provider.Opaque{Dialect: "anthropic", Raw: json.RawMessage(`{"type":"server_tool_use","id":"srv_1","name":"web_search","input":{"q":"dams"}}`)},
		provider.Opaque{Dialect: "anthropic", Raw: json.RawMessage(`{"type":"block_of_tomorrow","n":1.50,"x":[{}]}`)},
		provider.Text{Text: "I look. "},
		provider.Thinking{Text: "again", Signature: "dHdvLg=="},
		provider.ToolCall{ID: "call_1", Name: "look", Arguments: json.RawMessage(`{"path":"a"}`), Raw: `{"path":"a"}`},
	}
	want := []provider.Message{
		{Role: provider.User, Blocks: []provider.Block{provider.Text{Text: "go"}}},
		{Role: provider.Assistant, Blocks: answer},
		{Role: provider.Tool, Blocks: []provider.Block{provider.ToolResult{Call: "call_1", Name: "look", Text: "done"}}},
		{Role: provider.Assistant, Blocks: []provider.Block{
			provider.Thinking{Text: "now I know", Signature: "dGhyZWU="}, provider.Text{Text: "It is a dam."},
		}},
		{Role: provider.User, Blocks: []provider.Block{provider.Text{Text: "thanks"}}},
	}
	sent := u.Requests()
	if d := cmp.Diff(want, sent[2].Decoded.Messages); d != "" {
		t.Errorf("the third request (-want +got):\n%s", d)
	}
	if d := cmp.Diff(want[:3], sent[1].Decoded.Messages); d != "" {
		t.Errorf("the second request (-want +got):\n%s", d)
	}
	unknown := 0
	for _, e := range events {
		if n, ok := e.(pipeline.Notice); ok && n.Code == "unknown_block" {
			unknown++
		}
	}
	if unknown != 1 {
		t.Errorf("%d notices of unknown blocks, want one: %s", unknown, lines(t, events))
	}
}

// What a vendor hangs on a call goes back with it, and to no one else.
func TestExtrasOfCallsGoBackUnchanged(t *testing.T) {
	u := newUpstream(t, `{"steps":[
	 {"blocks":[
	  {"call":"look","id":"a","arguments":{"n":1},"extra":{"extra_content":{"google":{"thought_signature":"c2ln/+="}},"weight":1.50}},
	  {"call":"look","id":"b","arguments":{"n":2}}]},
	 "done"]}`)
	tool := &recorder{}
	run(t, open(t, u.client(t, "openai"), pipeline.Config{Tools: registry(t, tool.tool("look"))}), "go")
	calls := u.Requests()[1].Decoded.Messages[1].Calls()
	want := []provider.ToolCall{
		{
			ID: "a", Name: "look", Arguments: json.RawMessage(`{"n":1}`), Raw: `{"n":1}`,
			Extra: map[string]json.RawMessage{
				"extra_content": json.RawMessage(`{"google":{"thought_signature":"c2ln/+="}}`), "weight": json.RawMessage(`1.50`),
			},
		},
		{ID: "b", Name: "look", Arguments: json.RawMessage(`{"n":2}`), Raw: `{"n":2}`},
	}
	if d := cmp.Diff(want, calls); d != "" {
		t.Errorf("calls given back (-want +got):\n%s", d)
	}
}

// B116, B118: arguments that are no JSON object go back as {}, with a result
// that quotes the raw text up to a cap; the calls beside them run.
func TestB118UnusableArgumentsGoBackAsAnEmptyObject(t *testing.T) {
	long := `{"path": "` + strings.Repeat("x", 50_000)
	for name, raw := range map[string]string{
		"cut": `{"path": `, "an array": `["a"]`, "a string": `"str"`, "words": `path=a`, "a number": `7`, "long": long,
	} {
		for _, dialect := range dialects {
			t.Run(name+" "+dialect, func(t *testing.T) {
				quoted, err := json.Marshal(raw)
				if err != nil {
					t.Fatal(err)
				}
				u := newUpstream(t, `{"steps":[{"blocks":[
				 {"call":"look","id":"bad","arguments":`+string(quoted)+`},{"call":"look","id":"good","arguments":{"a":1}}]},"done"]}`)
				tool := &recorder{}
				events := run(t, open(t, u.client(t, dialect), pipeline.Config{Tools: registry(t, tool.tool("look"))}), "go")
				checkRules(t, events)
				if end := last(t, events); end.Outcome != pipeline.Completed || end.Text != "done" {
					t.Fatalf("the turn ended as %+v", end)
				}
				if ran, n := tool.calls(); n != 1 || ran["good"].ID == "" {
					t.Errorf("these ran: %v", ran)
				}
				sent := u.Requests()[1].Decoded.Messages
				if got := string(sent[1].Calls()[0].Arguments); got != "{}" {
					t.Errorf("the arguments went back as %s", got)
				}
				result := sent[2].Blocks[0].(provider.ToolResult)
				mustSay(t, result.Text, "look", "no JSON object", strings.Trim(raw[:min(len(raw), 400)], `"`)[:1])
				if len(result.Text) > 2000 {
					t.Errorf("the result has %d bytes", len(result.Text))
				}
				for _, e := range events {
					if f, ok := e.(pipeline.ToolFinished); ok && f.Call == "bad" && (f.ErrorKind != "bad_arguments" || f.StartedAt != nil) {
						t.Errorf("the call ended as %+v", f)
					}
				}
			})
		}
	}
}
