package sim_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/script"
	"github.com/weir-agents/weir/provider/sim"
)

// serve answers one request without a socket.
func serve(s *sim.Server, method, path, body string, header map[string]string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(method, path, strings.NewReader(body))
	for name, v := range header {
		req.Header.Set(name, v)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, req)
	return w
}

func TestTheKeyIsAskedForAndNeverKept(t *testing.T) {
	const key = "canary-key-5309"
	s := sim.New(script.Script{Loop: script.LoopLast, Steps: []script.Step{{}}}, sim.Config{Key: key})
	ask := fmt.Sprintf(askOpenAI, true)
	for _, c := range []struct {
		path, body string
		header     map[string]string
		want       int
	}{
		{"/v1/chat/completions", ask, nil, 401},
		{"/v1/chat/completions", ask, map[string]string{"Authorization": "Bearer wrong"}, 401},
		{"/v1/chat/completions", ask, map[string]string{"Authorization": "Bearer " + key, "Cookie": key}, 200},
		{"/v1/messages", fmt.Sprintf(askAnthropic, true), map[string]string{"X-Api-Key": key, "Anthropic-Version": "2023-06-01"}, 200},
		{"/v1/messages", fmt.Sprintf(askAnthropic, true), map[string]string{"X-Api-Key": key}, 400},
	} {
		if got := serve(s, "POST", c.path, c.body, c.header); got.Code != c.want {
			t.Errorf("%s with %v: %d %s", c.path, c.header, got.Code, got.Body)
		}
	}
	if got := serve(s, "GET", "/v1/models", "", nil); got.Code != 401 {
		t.Errorf("models without a key: %d", got.Code)
	}
	kept, err := json.Marshal(s.Requests())
	if err != nil || strings.Contains(string(kept), key) {
		t.Errorf("the key is kept: %v %s", err, kept)
	}
}

func TestRequestsAreKeptAsTheyCame(t *testing.T) {
	s := sim.New(script.Script{Steps: []script.Step{{}}}, sim.Config{Lax: true})
	body := `{"model":"m","max_tokens":7,"temperature":0.5,"system":[{"type":"text","text":"be brief"}],
		"tools":[{"name":"x","description":"d","input_schema":{"type":"object"}}],
		"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"x","input":{"n":1}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"out"},
		{"type":"image","source":{"type":"base64","media_type":"image/png","data":"QUJD"}}],"is_error":true},{"type":"text","text":"next"}]}]}`
	serve(s, "POST", "/messages", body, map[string]string{"X-Test": "1"})
	half := 0.5
	want := []sim.Request{{
		Dialect: "anthropic", Path: "/messages", Header: http.Header{"X-Test": {"1"}}, Body: json.RawMessage(body),
		Decoded: provider.Request{
			Model: "m", System: "be brief", MaxTokens: 7, Temperature: &half, NoStream: true,
			Tools: []provider.ToolSpec{{Name: "x", Description: "d", Schema: json.RawMessage(`{"type":"object"}`)}},
			Messages: []provider.Message{
				{Role: provider.User, Blocks: []provider.Block{provider.Text{Text: "hi"}}},
				{Role: provider.Assistant, Blocks: []provider.Block{
					provider.ToolCall{ID: "a", Name: "x", Arguments: json.RawMessage(`{"n":1}`), Raw: `{"n":1}`},
				}},
				{Role: provider.Tool, Blocks: []provider.Block{provider.ToolResult{
					Call: "a", Name: "x", Text: "out", IsError: true,
					Images: []provider.Image{{MediaType: "image/png", Data: []byte("ABC")}},
				}}},
				{Role: provider.User, Blocks: []provider.Block{provider.Text{Text: "next"}}},
			},
		},
	}}
	if d := cmp.Diff(want, s.Requests()); d != "" {
		t.Error(d)
	}
}

func TestRequestsAreBounded(t *testing.T) {
	s := sim.New(script.Script{Loop: script.LoopLast, Steps: []script.Step{{}}}, sim.Config{BodyMax: 5 << 20})
	for range 20 {
		// Refused at its first byte, but kept.
		if got := serve(s, "POST", "/chat/completions", strings.Repeat("x", 4<<20), nil); got.Code != 400 {
			t.Fatal(got.Code, got.Body)
		}
	}
	if n := len(s.Requests()); n != 16 {
		t.Errorf("%d requests of 4 MiB are kept", n)
	}
	got := serve(s, "POST", "/chat/completions", strings.Repeat("x", 5<<20+1), nil)
	if got.Code != 413 || !strings.Contains(got.Body.String(), "the request is larger than 5242880 bytes") {
		t.Error(got.Code, got.Body)
	}
}

func TestModelsInBothDialects(t *testing.T) {
	s := sim.New(script.Script{Models: []string{"one", "two"}, Steps: []script.Step{{}}}, sim.Config{})
	openai := serve(s, "GET", "/v1/models", "", nil).Body.String()
	if got := value(t, openai, "data.1.id") + value(t, openai, "object"); got != `"two""list"` {
		t.Error(openai)
	}
	anthropic := serve(s, "GET", "/models", "", map[string]string{"Anthropic-Version": "2023-06-01"}).Body.String()
	if got := value(t, anthropic, "data.1.id") + value(t, anthropic, "last_id"); got != `"two""two"` {
		t.Error(anthropic)
	}
}

func TestNothingElseIsThere(t *testing.T) {
	s := sim.New(script.Script{Steps: []script.Step{{}}}, sim.Config{})
	for _, c := range []struct{ method, path string }{{"GET", "/"}, {"GET", "/v1/messages"}, {"POST", "/v2/chat/completions"}} {
		if got := serve(s, c.method, c.path, "", nil); got.Code != 404 || value(t, got.Body.String(), "error.type") != `"not_found_error"` {
			t.Errorf("%s %s: %d %s", c.method, c.path, got.Code, got.Body)
		}
	}
}

func TestAScriptWithoutThatStepIsAnError(t *testing.T) {
	s := sim.New(script.Script{}, sim.Config{})
	got := serve(s, "POST", "/v1/chat/completions", fmt.Sprintf(askOpenAI, true), nil)
	if got.Code != 400 || !strings.Contains(value(t, got.Body.String(), "error.message"), "the script has no step 1") {
		t.Error(got.Code, got.Body)
	}
}

// writes counts what reaches the server's connection.
type writes struct {
	*httptest.ResponseRecorder
	n int
}

func (w *writes) Write(p []byte) (int, error) {
	w.n++
	return w.ResponseRecorder.Write(p)
}

func TestFramesShareWritesUnlessEachIsWanted(t *testing.T) {
	s := one(script.Text{Pieces: []script.Piece{script.Repeat{Text: "lorem ", Bytes: 6000}}})
	for each, c := range map[bool]struct{ least, most int }{false: {20, 120}, true: {1000, 1010}} {
		server := sim.New(s, sim.Config{EachFrame: each})
		w := &writes{ResponseRecorder: httptest.NewRecorder()}
		server.ServeHTTP(w, httptest.NewRequest("POST", "/chat/completions", strings.NewReader(fmt.Sprintf(askOpenAI, true))))
		if w.n < c.least || w.n > c.most || server.Written() != int64(w.Body.Len()) {
			t.Errorf("each %v: %d writes, %d of %d bytes", each, w.n, server.Written(), w.Body.Len())
		}
	}
}

func TestStampsTellWhenAFrameWasMade(t *testing.T) {
	for path, ask := range dialects {
		s := sim.New(one(script.Text{Text: "a b c"}), sim.Config{Stamp: true})
		w := serve(s, "POST", path, fmt.Sprintf(ask, true), map[string]string{"Anthropic-Version": "2023-06-01"})
		last := int64(0)
		for _, d := range datas(t, w.Body.String()) {
			if d == "[DONE]" {
				continue
			}
			// Not through a float64, as value would do.
			var frame struct {
				At  int64 `json:"weir_sent_ns"`
				Due int64 `json:"weir_due_ns"`
			}
			if err := json.Unmarshal([]byte(d), &frame); err != nil || frame.At < last || frame.At == 0 || frame.Due > frame.At {
				t.Errorf("%s: %s after %d: %v", path, d, last, err)
			}
			last = frame.At
		}
	}
}

func TestSessionsShareAServer(t *testing.T) {
	s := script.Script{Steps: []script.Step{{Func: func(req provider.Request) script.Step {
		return script.Step{Blocks: []script.Block{script.Text{Text: "for " + req.Messages[0].Text()}}}
	}}}}
	c := start(t, s, sim.Config{})
	var wg sync.WaitGroup
	for i := range 10 {
		wg.Go(func() {
			for range 5 {
				body := strings.Replace(fmt.Sprintf(askOpenAI, false), "hi", strconv.Itoa(i), 1)
				_, text := c.post("/v1/chat/completions", body)
				if got := value(t, text, "choices.0.message.content"); got != fmt.Sprintf(`"for %d"`, i) {
					t.Errorf("session %d got %s", i, got)
				}
			}
		})
	}
	wg.Wait()
}
