package sim_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/weir-agents/weir/provider/script"
	"github.com/weir-agents/weir/provider/sim"
)

// Pieces of histories in the OpenAI dialect.
const (
	user   = `{"role":"user","content":"hi"}`
	calls  = `{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"x","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"y","arguments":"{\"n\":1}"}}]}`
	result = `{"role":"tool","tool_call_id":"%s","content":"done"}`
)

func TestOpenAIHistoriesThatAStrictVendorRefuses(t *testing.T) {
	res := func(id string) string { return fmt.Sprintf(result, id) }
	call := func(fields string) string {
		return `{"role":"assistant","tool_calls":[` + fields + `]}`
	}
	for _, c := range []struct{ messages, want string }{
		{user, ""},
		{`{"role":"system","content":"s"},` + user + `,` + calls + `,` + res("a") + `,` + res("b"), ""},
		{user + `,` + calls + `,` + res("a") + `,` + res("b") + `,` + user, ""},
		{`{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"data:image/png;base64,QUJD"}}]}`, ""},
		{``, "messages: there is none"},
		{user + `,` + calls + `,` + res("a"), `the call "b" has no result directly after its message`},
		{user + `,` + calls, `the call "a" has no result`},
		{user + `,` + calls + `,` + user + `,` + res("a") + `,` + res("b"), `the call "a" has no result directly`},
		{user + `,` + calls + `,` + res("b") + `,` + res("a"), `the result of "a" is not in the order of the calls`},
		{user + `,` + calls + `,` + res("a") + `,` + res("a") + `,` + res("b"), `the call "a" has two results`},
		{user + `,` + calls + `,` + res("a") + `,` + res("b") + `,` + res("c"), `a result for "c", which is no call`},
		{user + `,` + res("a"), `a result for "a", which is no call of the message before it`},
		{user + `,` + call(`{"id":"a","type":"function","function":{"name":"x","arguments":"{bad"}}`) + `,` + res("a"), `the arguments of the call "a" are not a JSON object`},
		{user + `,` + call(`{"id":"a","type":"function","function":{"name":"x","arguments":{}}}`) + `,` + res("a"), `messages.1.tool_calls.0.function:`},
		{user + `,` + call(`{"id":"a","function":{"name":"x","arguments":"{}"}}`) + `,` + res("a"), `messages.1.tool_calls.0.type: "" is not "function"`},
		{user + `,` + call(`{"id":"","type":"function","function":{"name":"x","arguments":"{}"}}`) + `,` + res(""), `a call of "x" has no id`},
		{user + `,` + call(``), `messages.1.tool_calls: an empty list`},
		{user + `,{"role":"assistant","content":""}`, `messages.1: an assistant message with neither content nor calls`},
		{`{"role":"user","content":""}`, `messages.0: an empty user message`},
		{user + `,{"role":"system","content":"s"}`, `messages.1: a system message after the conversation has begun`},
		{`{"role":"robot","content":"s"}`, `messages.0: there is no role "robot"`},
		{`{"role":"user","content":[{"type":"song"}]}`, `messages.0.content.0: there is no type "song"`},
		{user + `,` + calls + `,{"role":"tool","tool_call_id":"a"},` + res("b"), `messages.2: a result without content`},
	} {
		body := `{"model":"m","messages":[` + c.messages + `]}`
		refused(t, "/v1/chat/completions", body, c.want)
	}
	refused(t, "/v1/chat/completions", `{"messages":[`+user+`]}`, "model: the request names no model")
	refused(t, "/v1/chat/completions", `{"model":"m","stream_options":{},"messages":[`+user+`]}`, "stream_options: only allowed when stream is true")
	refused(t, "/v1/chat/completions", `{"model":"m","tools":[{"function":{"name":"a b"}}],"messages":[`+user+`]}`, `tools: "a b" is not a name`)
	refused(t, "/v1/chat/completions", `{"model":`, "the body cannot be read: unexpected end of JSON input")
}

func TestAnthropicHistoriesThatAStrictVendorRefuses(t *testing.T) {
	const calls = `{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"x","input":{}},{"type":"tool_use","id":"b","name":"y","input":{"n":1}}]}`
	back := func(content string) string { return `{"role":"user","content":[` + content + `]}` }
	res := func(id string) string { return `{"type":"tool_result","tool_use_id":"` + id + `","content":"done"}` }
	says := func(block string) string { return `{"role":"assistant","content":[` + block + `]}` }
	const words = `{"type":"text","text":"go on"}`
	for _, c := range []struct{ messages, want string }{
		{user, ""},
		{user + `,` + calls + `,` + back(res("a")+`,`+res("b")+`,`+words), ""},
		{user + `,` + says(`{"type":"server_tool_use","id":"s","input":{"q":1}},{"type":"web_search_tool_result","content":[{"type":"x"}]}`) + `,` + user, ""},
		{user + `,` + calls + `,` + back(res("a")), `the call "b" has no result directly after its message`},
		{user + `,` + calls + `,` + back(res("b")+`,`+res("a")), `the result of "a" is not in the order of the calls`},
		{user + `,` + calls + `,` + back(words+`,`+res("a")+`,`+res("b")), `messages.2.content.1: results come before anything else`},
		{user + `,` + calls + `,` + back(res("a")+`,`+res("a")+`,`+res("b")), `the call "a" has two results`},
		{back(res("a")), `a result for "a", which is no call of the message before it`},
		{user + `,` + user, `messages.1: roles alternate`},
		{says(words), `messages.0: the first message is the user's`},
		{user + `,{"role":"system","content":"s"}`, `messages.1: there is no role "system"; the system prompt has a member of its own`},
		{`{"role":"user","content":[]}`, `messages.0: an empty message`},
		{`{"role":"user","content":""}`, `messages.0.content.0: a text block is empty`},
		{user + `,` + says(`{"type":"text","text":""}`), `messages.1.content.0: a text block is empty`},
		{user + `,` + says(`{"type":"text","text":"so "}`), `messages.1: an answer to go on from may not end in blanks`},
		{user + `,` + says(`{"type":"tool_use","id":"a","name":"x","input":"{}"}`) + `,` + back(res("a")), `the arguments of the call "a" are not a JSON object`},
		{user + `,` + says(`{"type":"thinking","thinking":"hm"}`) + `,` + user, `thinking has no signature`},
		{user + `,` + calls + `,` + back(res("a")+`,`+res("b")) + `,` + calls + `,` + back(res("a")+`,`+res("b")), `the id "a" is there twice`},
	} {
		refused(t, "/v1/messages", `{"model":"m","max_tokens":9,"messages":[`+c.messages+`]}`, c.want)
	}
	refused(t, "/v1/messages", `{"model":"m","messages":[`+user+`]}`, "max_tokens: it is required")
	refused(t, "/v1/messages", `{"model":"m","max_tokens":9,"system":[{"type":"text","text":""}],"messages":[`+user+`]}`, "system.0: not a text, or an empty one")
	refused(t, "/v1/messages", `{"model":"m","max_tokens":9,"tools":[{"name":"x"}],"messages":[`+user+`]}`, `the schema of "x" is not an object`)
	marks := strings.Repeat(`{"type":"text","text":"a","cache_control":{"type":"ephemeral"}},`, 5)
	refused(t, "/v1/messages", `{"model":"m","max_tokens":9,"messages":[`+back(marks+words)+`]}`, "cache_control: 5 blocks are marked")
}

// refused sends body and wants it refused with the words of want, or answered
// if there are none. A lax server answers all the same.
func refused(t *testing.T, path, body, want string) {
	t.Helper()
	s := script.Script{Loop: script.LoopLast, Steps: []script.Step{{Blocks: []script.Block{script.Text{Text: "a"}}}}}
	c := start(t, s, sim.Config{})
	status, text := c.post(path, body)
	if want == "" {
		if status != http.StatusOK {
			t.Errorf("%s\n got %d %s", body, status, text)
		}
		return
	}
	if status != http.StatusBadRequest || value(t, text, "error.type") != `"invalid_request_error"` {
		t.Errorf("%s\n got %d %s", body, status, text)
		return
	}
	if got := c.sim.Requests(); len(got) != 1 || !strings.Contains(got[0].Refused, want) || !strings.Contains(text, strings.ReplaceAll(got[0].Refused, `"`, `\"`)) {
		t.Errorf("%s\n got %s\nwant %s", body, text, want)
	}
	if strings.HasPrefix(want, "the body") {
		return
	}
	if status, text := start(t, s, sim.Config{Lax: true}).post(path, body); status != http.StatusOK {
		t.Errorf("lax: %s\n got %d %s", body, status, text)
	}
}

func TestASignatureThatChangedIsRefused(t *testing.T) {
	s := script.Script{Loop: script.LoopLast, Steps: []script.Step{{Blocks: []script.Block{
		script.Thinking{Text: "let me see", Signature: "sealed"}, script.Text{Text: "a"},
	}}}}
	c := start(t, s, sim.Config{})
	back := func(signature string) string {
		return `{"model":"m","max_tokens":9,"messages":[` + user +
			`,{"role":"assistant","content":[{"type":"thinking","thinking":"let me see","signature":"` + signature + `"},{"type":"text","text":"a"}]},` + user + `]}`
	}
	if status, text := c.post("/v1/messages", back("made up")); status != 200 {
		t.Errorf("before it was sent: %d %s", status, text)
	}
	for signature, want := range map[string]int{"sealed": 200, "other": 400, "": 400} {
		if status, text := c.post("/v1/messages", back(signature)); status != want {
			t.Errorf("signature %q: %d %s", signature, status, text)
		}
	}
}
