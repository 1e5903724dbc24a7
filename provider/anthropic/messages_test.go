package anthropic

import (
	"encoding/json"
	"testing"

	"github.com/weir-agents/weir/provider"
)

func TestThinkingGoesBackUnchanged(t *testing.T) {
	wantMessages(t, []provider.Message{
		user(text("x")),
		assistant(
			provider.Thinking{Text: "hm", Signature: "c2ln"},
			provider.Thinking{Redacted: "cmVk"},
			provider.Thinking{Signature: "bGV4"},
			provider.Thinking{Text: "unsealed"},
			text("y"),
		),
	}, `[
		{"content":[{"text":"x","type":"text"}],"role":"user"},
		{"content":[
			{"signature":"c2ln","thinking":"hm","type":"thinking"},
			{"data":"cmVk","type":"redacted_thinking"},
			{"signature":"bGV4","thinking":"","type":"thinking"},
			{"text":"y","type":"text"}
		],"role":"assistant"}
	]`)
}

func TestOpaqueBlocksGoBackToTheirDialectOnly(t *testing.T) {
	wantMessages(t, []provider.Message{
		user(text("x")),
		assistant(
			provider.Opaque{Dialect: "anthropic", Raw: json.RawMessage(`{"type":"server_tool_use","id":"s","name":"web_search","input":{"q":1}}`)},
			provider.Opaque{Dialect: "openai", Raw: json.RawMessage(`{"type":"other"}`)},
			provider.Opaque{Dialect: "anthropic", Raw: json.RawMessage(`{"type":"sketch"}`), Unknown: true},
		),
	}, `[
		{"content":[{"text":"x","type":"text"}],"role":"user"},
		{"content":[
			{"type":"server_tool_use","id":"s","name":"web_search","input":{"q":1}},
			{"type":"sketch"}
		],"role":"assistant"}
	]`)
}

func TestResultsComeFirstAndInCallOrder(t *testing.T) {
	png := provider.Image{MediaType: "image/png", Data: []byte("PNG")}
	wantMessages(t, []provider.Message{
		user(text("x")),
		assistant(call("a", "one", `{}`), call("b", "two", ""), call("c", "three", `{"k":1}`)),
		results(provider.ToolResult{Call: "c", Text: "3", Images: []provider.Image{png}}, provider.ToolResult{Call: "a", Text: "1"}),
		user(text("go on"), png),
		results(provider.ToolResult{Call: "b", Text: "no such thing", IsError: true}),
	}, `[
		{"content":[{"text":"x","type":"text"}],"role":"user"},
		{"content":[
			{"id":"a","input":{},"name":"one","type":"tool_use"},
			{"id":"b","input":{},"name":"two","type":"tool_use"},
			{"id":"c","input":{"k":1},"name":"three","type":"tool_use"}
		],"role":"assistant"},
		{"content":[
			{"tool_use_id":"a","content":[{"text":"1","type":"text"}],"type":"tool_result"},
			{"tool_use_id":"b","is_error":true,"content":[{"text":"no such thing","type":"text"}],"type":"tool_result"},
			{"tool_use_id":"c","content":[{"text":"3","type":"text"},
				{"source":{"data":"UE5H","media_type":"image/png","type":"base64"},"type":"image"}],"type":"tool_result"},
			{"text":"go on","type":"text"},
			{"source":{"data":"UE5H","media_type":"image/png","type":"base64"},"type":"image"}
		],"role":"user"}
	]`)
}

func TestACallWithoutUsableArgumentsGoesAsEmptyObject(t *testing.T) {
	bad := provider.ToolCall{ID: "a", Name: "one", Raw: `{"k":`}
	wantMessages(t, []provider.Message{user(text("x")), assistant(bad), results(result("a", ""))}, `[
		{"content":[{"text":"x","type":"text"}],"role":"user"},
		{"content":[{"id":"a","input":{},"name":"one","type":"tool_use"}],"role":"assistant"},
		{"content":[{"tool_use_id":"a","type":"tool_result"}],"role":"user"}
	]`)
}

func TestNothingEmptyAndRolesAlternate(t *testing.T) {
	wantMessages(t, []provider.Message{
		user(text("x"), text("")),
		assistant(provider.Thinking{Text: "hm", Signature: "s"}, text("")), // answers nothing
		user(text(" \n")),
		user(text("y")),
		assistant(text(""), text("one")),
		assistant(text("two \n")),
	}, `[
		{"content":[{"text":"x","type":"text"},{"text":"y","type":"text"}],"role":"user"},
		{"content":[{"text":"one","type":"text"},{"text":"two","type":"text"}],"role":"assistant"}
	]`)
}

func TestACallWithNoResultStillGetsOne(t *testing.T) {
	wantMessages(t, []provider.Message{
		user(text("x")),
		assistant(call("a", "one", `{}`)),
		results(result("stray", "of no call"), provider.ToolResult{Call: "a", IsError: true}),
		assistant(call("b", "one", `{}`)),
		user(text("y")),
	}, `[
		{"content":[{"text":"x","type":"text"}],"role":"user"},
		{"content":[{"id":"a","input":{},"name":"one","type":"tool_use"}],"role":"assistant"},
		{"content":[{"tool_use_id":"a","is_error":true,"content":[{"text":"(no output)","type":"text"}],"type":"tool_result"}],"role":"user"},
		{"content":[{"id":"b","input":{},"name":"one","type":"tool_use"}],"role":"assistant"},
		{"content":[
			{"tool_use_id":"b","is_error":true,"content":[{"text":"no result of this call is known","type":"text"}],"type":"tool_result"},
			{"text":"y","type":"text"}
		],"role":"user"}
	]`)
}

// B049: ids that a model uses again in each answer, or that are not of the
// vendor's letters, are changed the same way for a call and its result.
func TestIDsAreUniqueOnTheWire(t *testing.T) {
	wantMessages(t, []provider.Message{
		user(text("x")),
		assistant(call("tool:0", "one", `{}`)), results(result("tool:0", "1")),
		assistant(call("tool:0", "one", `{}`)), results(result("tool:0", "2")),
	}, `[
		{"content":[{"text":"x","type":"text"}],"role":"user"},
		{"content":[{"id":"tool_0","input":{},"name":"one","type":"tool_use"}],"role":"assistant"},
		{"content":[{"tool_use_id":"tool_0","content":[{"text":"1","type":"text"}],"type":"tool_result"}],"role":"user"},
		{"content":[{"id":"tool_0_2","input":{},"name":"one","type":"tool_use"}],"role":"assistant"},
		{"content":[{"tool_use_id":"tool_0_2","content":[{"text":"2","type":"text"}],"type":"tool_result"}],"role":"user"}
	]`)
}

func TestExtrasOfACallGoBack(t *testing.T) {
	c := call("a", "one", `{}`)
	c.Extra = map[string]json.RawMessage{
		"caller":        json.RawMessage(`{"type":"direct"}`),
		"toolset_name":  json.RawMessage(`"t"`),
		"extra_content": json.RawMessage(`{"google":1}`), // another vendor's
	}
	wantMessages(t, []provider.Message{user(text("x")), assistant(c), results(result("a", "1"))}, `[
		{"content":[{"text":"x","type":"text"}],"role":"user"},
		{"content":[{"id":"a","input":{},"name":"one","type":"tool_use","caller":{"type":"direct"},"toolset_name":"t"}],"role":"assistant"},
		{"content":[{"tool_use_id":"a","content":[{"text":"1","type":"text"}],"type":"tool_result"}],"role":"user"}
	]`)
}

func TestFilesInUserMessages(t *testing.T) {
	wantMessages(t, []provider.Message{user(
		provider.File{Name: "a.pdf", MediaType: "application/pdf", Data: []byte("%PDF")},
		provider.File{Name: "b.md", MediaType: "text/markdown; charset=utf-8", Data: []byte("# b")},
		provider.File{MediaType: "application/json", Data: []byte("{}")},
		provider.File{Name: "c.png", MediaType: "image/png", Data: []byte("PNG")},
	)}, `[{"content":[
		{"source":{"data":"JVBERg==","media_type":"application/pdf","type":"base64"},"title":"a.pdf","type":"document"},
		{"source":{"data":"# b","media_type":"text/plain","type":"text"},"title":"b.md","type":"document"},
		{"source":{"data":"{}","media_type":"text/plain","type":"text"},"type":"document"},
		{"source":{"data":"UE5H","media_type":"image/png","type":"base64"},"type":"image"}
	],"role":"user"}]`)
}
