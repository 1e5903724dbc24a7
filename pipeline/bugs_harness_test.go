package pipeline_test

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider"
)

// The tests named B… are of what users of agent programs have reported; see
// the rows of that number.

// rawServer answers requests with bytes, whatever they say: what no simulated
// server would say. The last answer repeats.
type rawServer struct {
	http    *httptest.Server
	answers []http.HandlerFunc

	mu     sync.Mutex
	bodies []string
	paths  []string
}

func newRawServer(t testing.TB, answers ...http.HandlerFunc) *rawServer {
	t.Helper()
	s := &rawServer{answers: answers}
	s.http = httptest.NewServer(s)
	t.Cleanup(s.http.Close)
	return s
}

func (s *rawServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has gone
	}
	s.mu.Lock()
	n := len(s.bodies)
	s.bodies = append(s.bodies, string(body))
	s.paths = append(s.paths, r.URL.RequestURI())
	s.mu.Unlock()
	s.answers[min(n, len(s.answers)-1)](w, r)
}

// sent returns the bodies of the requests so far.
func (s *rawServer) sent() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.bodies)
}

// client returns an adapter of that server.
func (s *rawServer) client(t testing.TB, dialect string) provider.Provider {
	t.Helper()
	c, err := adapter(dialect, s.http.URL, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// sse answers with an event stream, each data flushed by itself.
func sse(datas ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, d := range datas {
			if _, err := io.WriteString(w, "data: "+d+"\n\n"); err != nil {
				return // the client has gone
			}
			w.(http.Flusher).Flush()
		}
	}
}

// status answers with a status and a body.
func status(code int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body) // The client may be gone.
	}
}

// answerIn puts an answer in a dialect: text in JSON pieces, calls with
// argument text in JSON pieces. The pieces are the insides of JSON strings.
func answerIn(dialect string, text []string, calls map[string][]string, usage string) []string {
	if dialect == "anthropic" {
		return anthropicAnswer(text, calls, usage)
	}
	var out []string
	for _, piece := range text {
		out = append(out, `{"choices":[{"index":0,"delta":{"content":"`+piece+`"}}]}`)
	}
	n, finish := 0, "stop"
	for _, name := range slices.Sorted(maps.Keys(calls)) {
		finish = "tool_calls"
		head := `"id":"call_` + name + `","type":"function",`
		for _, piece := range calls[name] {
			out = append(out, `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":`+strconv.Itoa(n)+`,`+head+
				`"function":{"name":"`+name+`","arguments":"`+piece+`"}}]}}]}`)
		}
		n++
	}
	out = append(out, `{"choices":[{"index":0,"delta":{},"finish_reason":"`+finish+`"}]}`)
	if usage != "" {
		out = append(out, `{"choices":[],"usage":`+usage+`}`)
	}
	return append(out, "[DONE]")
}

func anthropicAnswer(text []string, calls map[string][]string, usage string) []string {
	if usage == "" {
		usage = "{}"
	}
	out := []string{`{"type":"message_start","message":{"id":"m","role":"assistant","content":[],"usage":` + usage + `}}`}
	n, stop := 0, "end_turn"
	if len(text) > 0 {
		out = append(out, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`)
		for _, piece := range text {
			out = append(out, `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"`+piece+`"}}`)
		}
		out = append(out, `{"type":"content_block_stop","index":0}`)
		n++
	}
	for _, name := range slices.Sorted(maps.Keys(calls)) {
		stop = "tool_use"
		at := `"index":` + strconv.Itoa(n)
		out = append(out, `{"type":"content_block_start",`+at+`,"content_block":{"type":"tool_use","id":"call_`+name+`","name":"`+name+`","input":{}}}`)
		for _, piece := range calls[name] {
			out = append(out, `{"type":"content_block_delta",`+at+`,"delta":{"type":"input_json_delta","partial_json":"`+piece+`"}}`)
		}
		out = append(out, `{"type":"content_block_stop",`+at+`}`)
		n++
	}
	return append(out,
		`{"type":"message_delta","delta":{"stop_reason":"`+stop+`"},"usage":{}}`, `{"type":"message_stop"}`)
}

// finished returns the ends of calls.
func finished(events []pipeline.Event) []pipeline.ToolFinished {
	var all []pipeline.ToolFinished
	for _, e := range events {
		if f, ok := e.(pipeline.ToolFinished); ok {
			all = append(all, f)
		}
	}
	return all
}

// message returns the first completed message.
func message(t testing.TB, events []pipeline.Event) pipeline.MessageCompleted {
	t.Helper()
	for _, e := range events {
		if m, ok := e.(pipeline.MessageCompleted); ok {
			return m
		}
	}
	t.Fatalf("no message was completed: %s", lines(t, events))
	return pipeline.MessageCompleted{}
}
