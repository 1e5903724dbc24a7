package sim_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/weir-agents/weir/provider/script"
	"github.com/weir-agents/weir/provider/sim"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Requests of one prompt, in both dialects.
const (
	askOpenAI    = `{"model":"m","stream":%v,"messages":[{"role":"user","content":"hi"}]}`
	askAnthropic = `{"model":"m","stream":%v,"max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`
)

// client sends raw requests to a server on a real socket.
type client struct {
	t    *testing.T
	base string
	http *http.Client
	sim  *sim.Server
}

func start(t *testing.T, s script.Script, cfg sim.Config) *client {
	t.Helper()
	c := &client{t: t, sim: sim.New(s, cfg), http: &http.Client{Transport: &http.Transport{}}}
	server := httptest.NewServer(c.sim)
	c.base = server.URL
	t.Cleanup(func() {
		c.http.CloseIdleConnections()
		server.Close()
	})
	return c
}

// send posts a body; the test ends the response.
func (c *client) send(path, body string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.base+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if strings.HasSuffix(path, "/messages") {
		req.Header.Set("Anthropic-Version", "2023-06-01")
	}
	return c.http.Do(req)
}

// post returns the status and the whole body.
func (c *client) post(path, body string) (int, string) {
	c.t.Helper()
	resp, err := c.send(path, body)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	all, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatalf("after %q: %v", all, err)
	}
	return resp.StatusCode, string(all)
}

// value returns what stands at a path such as "choices.0.delta.content" of a
// JSON text, as JSON; "" if nothing does.
func value(t *testing.T, text, path string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	for _, name := range strings.Split(path, ".") {
		switch at := v.(type) {
		case map[string]any:
			v = at[name]
		case []any:
			var i int
			if _, err := fmt.Sscan(name, &i); err != nil || i >= len(at) {
				return ""
			}
			v = at[i]
		default:
			return ""
		}
	}
	if v == nil {
		return ""
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// datas returns the data of each frame.
func datas(t *testing.T, body string) []string {
	t.Helper()
	var all []string
	for frame := range strings.SplitSeq(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		_, data, found := strings.Cut(frame, "data: ")
		if !found {
			t.Fatalf("a frame without data: %q", frame)
		}
		all = append(all, strings.TrimRight(data, " "))
	}
	return all
}

func one(blocks ...script.Block) script.Script {
	return script.Script{Steps: []script.Step{{Blocks: blocks}}}
}

// everything is an answer with one block of each kind.
func everything() script.Script {
	s := one(
		script.Thinking{Text: "Hm \"so\".", Signature: "sig"},
		script.Thinking{Redacted: "secret"},
		script.Text{Text: "Grüße,\n世界"},
		script.Call{ID: "c1", Name: "list_dir", Arguments: `{"path":"."}`, Extra: map[string]json.RawMessage{"extra_content": json.RawMessage(`{"k":1}`)}},
		script.Opaque{Raw: json.RawMessage(`{"type":"server_tool_use","id":"s"}`)},
		script.Call{ID: "c2", Name: "now", Arguments: ""},
	)
	s.Split = 5
	return s
}

func TestOpenAIStream(t *testing.T) {
	c := start(t, everything(), sim.Config{})
	body := strings.Replace(fmt.Sprintf(askOpenAI, true), `"stream"`, `"stream_options":{"include_usage":true},"stream"`, 1)
	status, text := c.post("/v1/chat/completions", body)
	all := datas(t, text)
	var got []string
	for _, d := range all[:len(all)-1] {
		for _, at := range []string{"choices.0.delta", "choices.0.finish_reason", "usage.total_tokens"} {
			if v := value(t, d, at); v != "" && v != "{}" {
				got = append(got, v)
			}
		}
		if value(t, d, "object") != `"chat.completion.chunk"` || value(t, d, "model") != `"m"` {
			t.Errorf("an odd chunk: %s", d)
		}
	}
	want := []string{
		`{"content":"","refusal":null,"role":"assistant"}`,
		`{"reasoning_content":"Hm \"s"}`, `{"reasoning_content":"o\"."}`,
		`{"content":"Grüße"}`, `{"content":",\n世界"}`,
		`{"tool_calls":[{"extra_content":{"k":1},"function":{"arguments":"","name":"list_dir"},"id":"c1","index":0,"type":"function"}]}`,
		`{"tool_calls":[{"function":{"arguments":"{\"pat"},"index":0}]}`, `{"tool_calls":[{"function":{"arguments":"h\":\"."},"index":0}]}`,
		`{"tool_calls":[{"function":{"arguments":"\"}"},"index":0}]}`,
		`{"tool_calls":[{"function":{"arguments":"","name":"now"},"id":"c2","index":1,"type":"function"}]}`,
		`"tool_calls"`, `8`,
	}
	if d := cmp.Diff(want, got); d != "" || status != 200 || all[len(all)-1] != "[DONE]" {
		t.Error(status, all[len(all)-1], d)
	}
}

func TestAnthropicStream(t *testing.T) {
	c := start(t, everything(), sim.Config{})
	status, text := c.post("/v1/messages", fmt.Sprintf(askAnthropic, true))
	var got []string
	for _, d := range datas(t, text) {
		kind := strings.Trim(value(t, d, "type"), `"`)
		if !strings.Contains(text, "event: "+kind+"\n") {
			t.Errorf("no event of the name %s", kind)
		}
		line := kind
		for _, at := range []string{"index", "content_block", "delta", "message.role", "usage.output_tokens"} {
			if v := value(t, d, at); v != "" {
				line += " " + v
			}
		}
		got = append(got, line)
	}
	want := []string{
		`message_start "assistant"`,
		`content_block_start 0 {"signature":"","thinking":"","type":"thinking"}`, `ping`,
		`content_block_delta 0 {"thinking":"Hm \"s","type":"thinking_delta"}`,
		`content_block_delta 0 {"thinking":"o\".","type":"thinking_delta"}`,
		`content_block_delta 0 {"signature":"sig","type":"signature_delta"}`, `content_block_stop 0`,
		`content_block_start 1 {"data":"secret","type":"redacted_thinking"}`, `content_block_stop 1`,
		`content_block_start 2 {"text":"","type":"text"}`,
		`content_block_delta 2 {"text":"Grüße","type":"text_delta"}`,
		`content_block_delta 2 {"text":",\n世界","type":"text_delta"}`, `content_block_stop 2`,
		`content_block_start 3 {"extra_content":{"k":1},"id":"c1","input":{},"name":"list_dir","type":"tool_use"}`,
		`content_block_delta 3 {"partial_json":"{\"pat","type":"input_json_delta"}`,
		`content_block_delta 3 {"partial_json":"h\":\".","type":"input_json_delta"}`,
		`content_block_delta 3 {"partial_json":"\"}","type":"input_json_delta"}`, `content_block_stop 3`,
		`content_block_start 4 {"id":"s","type":"server_tool_use"}`, `content_block_stop 4`,
		`content_block_start 5 {"id":"c2","input":{},"name":"now","type":"tool_use"}`, `content_block_stop 5`,
		`message_delta {"stop_reason":"tool_use","stop_sequence":null} 7`, `message_stop`,
	}
	if d := cmp.Diff(want, got); d != "" || status != 200 {
		t.Error(status, d)
	}
}

func TestBlockingAnswers(t *testing.T) {
	c := start(t, everything(), sim.Config{})
	_, text := c.post("/chat/completions", fmt.Sprintf(askOpenAI, false))
	for at, want := range map[string]string{
		"object":                              `"chat.completion"`,
		"choices.0.finish_reason":             `"tool_calls"`,
		"choices.0.message.content":           `"Grüße,\n世界"`,
		"choices.0.message.reasoning_content": `"Hm \"so\"."`,
		"choices.0.message.tool_calls.0":      `{"extra_content":{"k":1},"function":{"arguments":"{\"path\":\".\"}","name":"list_dir"},"id":"c1","type":"function"}`,
		"choices.0.message.tool_calls.1":      `{"function":{"arguments":"","name":"now"},"id":"c2","type":"function"}`,
		"usage.completion_tokens":             "7",
	} {
		if got := value(t, text, at); got != want {
			t.Errorf("%s: got %s, want %s", at, got, want)
		}
	}
	_, text = c.post("/messages", fmt.Sprintf(askAnthropic, false))
	for at, want := range map[string]string{
		"stop_reason":         `"tool_use"`,
		"content.0":           `{"signature":"sig","thinking":"Hm \"so\".","type":"thinking"}`,
		"content.1":           `{"data":"secret","type":"redacted_thinking"}`,
		"content.2":           `{"text":"Grüße,\n世界","type":"text"}`,
		"content.3":           `{"extra_content":{"k":1},"id":"c1","input":{"path":"."},"name":"list_dir","type":"tool_use"}`,
		"content.4":           `{"id":"s","type":"server_tool_use"}`,
		"content.5":           `{"id":"c2","input":{},"name":"now","type":"tool_use"}`,
		"usage.output_tokens": "7",
	} {
		if got := value(t, text, at); got != want {
			t.Errorf("%s: got %s, want %s", at, got, want)
		}
	}
}

func TestATokenIsThereBeforeTheNextIsSent(t *testing.T) {
	for path, ask := range map[string]string{"/v1/chat/completions": askOpenAI, "/v1/messages": askAnthropic} {
		c := start(t, one(script.Text{Pieces: []script.Piece{script.Say("first"), script.Gate("g"), script.Say("second")}}), sim.Config{})
		resp, err := c.send(path, fmt.Sprintf(ask, true))
		if err != nil {
			t.Fatal(err)
		}
		in := bufio.NewReader(resp.Body)
		for line := ""; !strings.Contains(line, "first"); {
			if line, err = in.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
		}
		<-c.sim.Reached("g")
		if status, _ := c.post("/gates/g", ""); status != http.StatusNoContent {
			t.Errorf("the gate answers %d", status)
		}
		rest, err := io.ReadAll(in)
		if err != nil || !strings.Contains(string(rest), "second") {
			t.Errorf("the rest is %q, %v", rest, err)
		}
		resp.Body.Close()
	}
}
