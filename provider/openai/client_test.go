package openai

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/streamtest"
)

const finished = `data: {"choices":[{"index":0,"delta":{"content":"Aye."},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"

// harbor is a server whose handler a test gives.
func harbor(t testing.TB, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

func client(t testing.TB, c Config) *Client {
	t.Helper()
	made, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(made.Close)
	return made
}

// send sends a request and returns what came of it.
func send(t testing.TB, c *Client) streamtest.Outcome {
	t.Helper()
	// Where time is virtual, an end that never comes fails the test at once.
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	return streamtest.Collect(t, c.Stream(ctx, streamtest.Request()))
}

// B127, B128
func TestEveryFormOfABaseURLGivesTheSameRequest(t *testing.T) {
	var got atomic.Value
	s := harbor(t, func(w http.ResponseWriter, r *http.Request) {
		got.Store(r.URL.String())
		_, _ = io.WriteString(w, finished)
	})
	address := strings.TrimPrefix(s.URL, "http://")
	for base, want := range map[string]string{
		s.URL:                                  "/v1/chat/completions",
		s.URL + "/":                            "/v1/chat/completions",
		s.URL + "/v1":                          "/v1/chat/completions",
		s.URL + "/v1/":                         "/v1/chat/completions",
		s.URL + "//v1//":                       "/v1/chat/completions",
		address:                                "/v1/chat/completions",
		" " + address + "/v1 ":                 "/v1/chat/completions",
		s.URL + "/v1/chat/completions":         "/v1/chat/completions",
		s.URL + "/v1/models":                   "/v1/chat/completions",
		s.URL + "/gate/way":                    "/gate/way/v1/chat/completions",
		s.URL + "/gate/way/v1/":                "/gate/way/v1/chat/completions",
		s.URL + "/api/paas/v4":                 "/api/paas/v4/chat/completions",
		s.URL + "/v1beta/openai/":              "/v1beta/openai/chat/completions",
		s.URL + "/v1?api-version=7":            "/v1/chat/completions?api-version=7",
		s.URL + "/openai/deployments/x/?a=1&b": "/openai/deployments/x/chat/completions?a=1&b",
	} {
		if o := send(t, client(t, Config{BaseURL: base})); o.Err != nil || got.Load() != want {
			t.Errorf("%s: asked for %v, want %s: %v", base, got.Load(), want, o.Err)
		}
	}
	for _, bad := range []string{"ftp://h", "http://", "http://h:port", "http://[::1"} {
		if _, err := New(Config{BaseURL: bad}); err == nil {
			t.Errorf("%s was taken for a base URL", bad)
		}
	}
	c := client(t, Config{BaseURL: "http://[::1]:9/v1"})
	if c.base.Root != "http://[::1]:9/v1/" {
		t.Errorf("IPv6: %s", c.base.Root)
	}
}

func TestOnlyTheConfigSaysWhoAsks(t *testing.T) {
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"} {
		t.Setenv(name, "from-the-environment")
	}
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/nowhere")
	t.Setenv("OPENAI_CUSTOM_HEADERS", "X-Custom: from-the-environment")
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	var got http.Header
	s := harbor(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Clone()
		_, _ = io.WriteString(w, finished)
	})
	if o := send(t, client(t, Config{BaseURL: s.URL})); o.Err != nil {
		t.Fatal(o.Err)
	}
	for name, values := range got {
		if name == "Authorization" || strings.Contains(strings.Join(values, ""), "from-the-environment") {
			t.Errorf("a bare config sent %s: %s", name, values)
		}
	}
	c := client(t, Config{
		BaseURL: s.URL, APIKey: "sk-1", Organization: "org-1", Project: "p-1",
		Headers: map[string]string{"X-Title": "weir", "User-Agent": "mine"},
	})
	if o := send(t, c); o.Err != nil {
		t.Fatal(o.Err)
	}
	want := map[string]string{
		"Authorization": "Bearer sk-1", "Openai-Organization": "org-1", "Openai-Project": "p-1",
		"X-Title": "weir", "User-Agent": "mine", "Accept": "text/event-stream",
	}
	for name, value := range want {
		if diff := cmp.Diff([]string{value}, got[name]); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

func TestABasicConfigAsksTheVendor(t *testing.T) {
	c := client(t, Config{})
	if c.base.Root != "https://api.openai.com/v1/" {
		t.Errorf("the default is %s", c.base.Root)
	}
}

func TestARequestWithoutAModelIsNotSent(t *testing.T) {
	s := harbor(t, func(http.ResponseWriter, *http.Request) { t.Error("it was sent") })
	for _, err := range client(t, Config{BaseURL: s.URL}).Stream(t.Context(), provider.Request{}) {
		if e := provider.AsError(err); !errors.Is(err, provider.ErrNoModel) || e.Retryable {
			t.Errorf("got %v, retryable %t", err, e.Retryable)
		}
	}
}

// Stopping at [DONE] without the end of the body would lose connections.
func TestConnectionsAreKept(t *testing.T) {
	conns := map[string]bool{}
	s := harbor(t, func(w http.ResponseWriter, r *http.Request) {
		conns[r.RemoteAddr] = true
		for part := range strings.SplitAfterSeq(finished, "\n\n") {
			_, _ = io.WriteString(w, part)
			w.(http.Flusher).Flush()
		}
	})
	c := client(t, Config{BaseURL: s.URL})
	for range 100 {
		if o := send(t, c); o.Err != nil || o.Text != "Aye." {
			t.Fatal(o)
		}
	}
	// The last chunk may come after the next request began; then one more
	// connection is made, and kept as well.
	if len(conns) > 2 {
		t.Errorf("100 requests in a row used %d connections", len(conns))
	}
}

func TestLeavingTheLoopClosesTheConnection(t *testing.T) {
	gone := make(chan struct{})
	s := harbor(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(gone)
	})
	for d := range client(t, Config{BaseURL: s.URL}).Stream(t.Context(), streamtest.Request()) {
		if d.Text != "a" || d.More {
			t.Errorf("got %+v", d)
		}
		break
	}
	<-gone
}

func TestCancelEndsTheStreamWithItsReason(t *testing.T) {
	gone := make(chan struct{})
	s := harbor(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(gone)
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for d, err := range client(t, Config{BaseURL: s.URL}).Stream(ctx, streamtest.Request()) {
		if d.Text == "a" {
			cancel()
		}
		last = err
	}
	<-gone
	if !errors.Is(last, context.Canceled) {
		t.Errorf("ended with %v", last)
	}
}

func TestModelsAreListed(t *testing.T) {
	for body, want := range map[string][]string{
		`{"object":"list","data":[{"id":"a"},{"id":"b"}]}`: {"a", "b"},
		`{"models":[{"name":"c"},{"model":"d"},{}]}`:       {"c", "d"},
		`{"data":[]}`: {},
	} {
		s := harbor(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/v1/models" || r.Method != http.MethodGet {
				t.Errorf("asked for %s %s", r.Method, r.URL)
			}
			_, _ = io.WriteString(w, body)
		})
		got, err := client(t, Config{BaseURL: s.URL}).Models(t.Context())
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", body, err, diff)
		}
	}
	s := harbor(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") })
	if _, err := client(t, Config{BaseURL: s.URL}).Models(t.Context()); err == nil {
		t.Error("a page was taken for a list of models")
	}
}

func TestAProbeFindsWhatAnswers(t *testing.T) {
	lists := harbor(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("a probe sent a key")
		}
		_, _ = io.WriteString(w, `{"data":[{"id":"keel:7b"}]}`)
	})
	page := harbor(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>hello") })
	hangs := harbor(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	closed := httptest.NewServer(nil)
	closed.Close()
	also := harbor(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"models":[{"name":"a"}]}`)
	})
	got := Probe(t.Context(), ProbeConfig{Timeout: 5 * time.Second, Candidates: []Server{
		{Name: "page", BaseURL: page.URL},
		{Name: "closed", BaseURL: closed.URL},
		{Name: "one", BaseURL: lists.URL},
		{Name: "two", BaseURL: also.URL},
	}})
	want := []Server{
		{Name: "one", BaseURL: lists.URL, Models: []string{"keel:7b"}},
		{Name: "two", BaseURL: also.URL, Models: []string{"a"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := Probe(t.Context(), ProbeConfig{Timeout: 50 * time.Millisecond, Candidates: []Server{{BaseURL: hangs.URL}}}); got != nil {
		t.Errorf("found %v where nothing answers", got)
	}
}
