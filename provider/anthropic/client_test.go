package anthropic

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/provider"
)

const canary = "sk-canary-0123456789"

// served starts a server on loopback and returns its address.
func served(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func newClient(t *testing.T, cfg Config) *Client {
	t.Helper()
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// ask returns the outcome and the error of one request.
func ask(t *testing.T, c *Client, req provider.Request) (outcome, error) {
	t.Helper()
	if req.Model == "" {
		req.Model = "m"
	}
	var all []answer
	var failure error
	for d, err := range c.Stream(t.Context(), req) {
		all = append(all, answer{d, err})
		failure = err
	}
	return outcomeOf(t, all), failure
}

func fine() string { return stream(start, textEvent("hi"), because("end_turn"), stopped) }

func TestHeaders(t *testing.T) {
	// What the SDK would read from the environment must not show.
	for _, name := range []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"} {
		t.Setenv(name, canary)
	}
	t.Setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Leak: "+canary)
	warm := 1.0
	for _, c := range []struct {
		name string
		cfg  Config
		req  provider.Request
		want map[string]string
	}{
		{"no key", Config{}, provider.Request{}, map[string]string{
			"X-Api-Key": "", "Authorization": "", "X-Leak": "",
			"Anthropic-Version": "2026-10-21", "Anthropic-Beta": "",
			"Accept": "text/event-stream", "Content-Type": "application/json",
		}},
		{"a key", Config{APIKey: "k"}, provider.Request{}, map[string]string{"X-Api-Key": "k", "Authorization": ""}},
		{"a token", Config{AuthToken: "t"}, provider.Request{}, map[string]string{"X-Api-Key": "", "Authorization": "Bearer t"}},
		{"sampling", Config{}, provider.Request{Temperature: &warm}, map[string]string{"Anthropic-Version": "2023-06-01"}},
		{"a version", Config{Version: "v"}, provider.Request{Temperature: &warm}, map[string]string{"Anthropic-Version": "v"}},
		{"betas", Config{Betas: []string{"a", "b"}}, provider.Request{}, map[string]string{"Anthropic-Beta": "a,b"}},
		{"extra", Config{Headers: map[string]string{"x-org": "o", "User-Agent": "weir"}}, provider.Request{}, map[string]string{"X-Org": "o", "User-Agent": "weir"}},
		{"a version in a header", Config{Headers: map[string]string{"anthropic-version": "v"}}, provider.Request{Temperature: &warm}, map[string]string{"Anthropic-Version": "v"}},
		{"unstreamed", Config{}, provider.Request{NoStream: true}, map[string]string{"Accept": "application/json"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got http.Header
			c.cfg.BaseURL = served(t, func(w http.ResponseWriter, r *http.Request) {
				got = r.Header
				io.WriteString(w, fine())
			})
			if _, err := ask(t, newClient(t, c.cfg), c.req); err != nil {
				t.Fatal(err)
			}
			for name, want := range c.want {
				if value := got.Get(name); value != want {
					t.Errorf("%s: %q, want %q", name, value, want)
				}
			}
			for name, values := range got {
				if strings.Contains(strings.Join(values, " "), canary) {
					t.Errorf("the environment leaked into %s", name)
				}
			}
		})
	}
}

// B127, B128: the path is the same however the base URL is written.
func TestBaseURLs(t *testing.T) {
	var got string
	root := served(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.URL.String()
		if r.Method == http.MethodGet {
			io.WriteString(w, `{"data":[{"id":"a"},{"id":"b"}]}`)
			return
		}
		io.WriteString(w, fine())
	})
	for _, c := range []struct{ base, messages, models string }{
		{"", "/v1/messages", "/v1/models?limit=1000"},
		{"/", "/v1/messages", "/v1/models?limit=1000"},
		{"/v1", "/v1/messages", "/v1/models?limit=1000"},
		{"/v1/", "/v1/messages", "/v1/models?limit=1000"},
		{"/v1/messages", "/v1/messages", "/v1/models?limit=1000"},
		{"/anthropic/", "/anthropic/v1/messages", "/anthropic/v1/models?limit=1000"},
		{"/v1?tenant=x", "/v1/messages?tenant=x", "/v1/models?limit=1000&tenant=x"},
	} {
		client := newClient(t, Config{BaseURL: root + c.base})
		if _, err := ask(t, client, provider.Request{}); err != nil || got != c.messages {
			t.Errorf("%q: asked %s, %v; want %s", c.base, got, err, c.messages)
		}
		names, err := client.Models(t.Context())
		if err != nil || got != c.models || !cmp.Equal(names, []string{"a", "b"}) {
			t.Errorf("%q: listed %s %v, %v; want %s", c.base, got, names, err, c.models)
		}
	}
	if c, err := New(Config{BaseURL: "ftp://x"}); err == nil {
		t.Errorf("a client of %v", c.base)
	}
}

func TestModelsComeInPages(t *testing.T) {
	base := served(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("after_id") == "" {
			io.WriteString(w, `{"data":[{"id":"a"}],"has_more":true,"last_id":"a"}`)
			return
		}
		io.WriteString(w, `{"data":[{"id":"b"}],"has_more":false,"last_id":"b"}`)
	})
	names, err := newClient(t, Config{BaseURL: base}).Models(t.Context())
	if err != nil || !cmp.Equal(names, []string{"a", "b"}) {
		t.Errorf("%v, %v", names, err)
	}
}

// A refusal is sent once, keeps the vendor's words, and shows no key.
func TestStatuses(t *testing.T) {
	for status, retryable := range map[int]bool{
		400: false, 401: false, 403: false, 404: false, 413: false,
		408: true, 409: true, 429: true, 500: true, 502: true, 503: true, 529: true,
	} {
		requests := 0
		base := served(t, func(w http.ResponseWriter, r *http.Request) {
			requests++
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(status)
			io.WriteString(w, `{"type":"error","error":{"type":"some_error","message":"your key `+r.Header.Get("X-Api-Key")+` is odd"}}`)
		})
		_, err := ask(t, newClient(t, Config{BaseURL: base, APIKey: canary}), provider.Request{})
		e := provider.AsError(err)
		if e.Kind != provider.HTTPError || e.Status != status || e.Retryable != retryable || e.RetryAfter != 7*time.Second {
			t.Errorf("%d: %+v", status, e)
		}
		if !strings.Contains(err.Error(), "is odd") || strings.Contains(err.Error(), canary) {
			t.Errorf("%d: %v", status, err)
		}
		if requests != 1 {
			t.Errorf("%d: %d requests", status, requests)
		}
	}
}

func TestNoErrorShowsAKey(t *testing.T) {
	cfg := Config{APIKey: canary, AuthToken: canary + "-token", Headers: map[string]string{"X-Org-Secret": canary + "-org", "Proxy-Authorization": "Basic " + canary + "-proxy"}}
	for name, body := range map[string]string{
		"error event":  "event: error\ndata: bad key " + canary + "\n\n",
		"error object": stream(`{"type":"error","error":{"type":"x","message":"` + canary + `-org"}}`),
		"no JSON":      stream(`oops ` + canary + `-proxy`),
		"page":         "<html><title>" + canary + "-token</title></html>",
		"JSON":         `{"error":{"message":"` + canary + `"}}`,
		"other answer": stream(start, `{"type":"message_start","message":{"id":"`+canary+`"}}`),
	} {
		answers := read(t, cfg, strings.NewReader(body))
		err := answers[len(answers)-1].err
		if err == nil || strings.Contains(err.Error(), canary) {
			t.Errorf("%s: %v", name, err)
		}
		var e *provider.Error
		if errors.As(err, &e) && e.Err != nil && strings.Contains(e.Err.Error(), canary) {
			t.Errorf("%s: the cause shows the key", name)
		}
	}
}

func TestARequestThatCannotBeSent(t *testing.T) {
	c := newClient(t, Config{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
		t.Error("sent")
		return nil, io.EOF
	})})
	for _, err := range c.Stream(t.Context(), provider.Request{}) {
		if !errors.Is(err, provider.ErrNoModel) || provider.AsError(err).Retryable {
			t.Errorf("%v", err)
		}
	}
}

// Kept connections: reading stops at message_stop, not at the end of the body.
func TestTheConnectionIsKept(t *testing.T) {
	var mu sync.Mutex
	from := map[string]bool{}
	base := served(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		from[r.RemoteAddr] = true
		mu.Unlock()
		io.WriteString(w, fine())
		w.(http.Flusher).Flush()
	})
	c := newClient(t, Config{BaseURL: base})
	for range 101 {
		if _, err := ask(t, c, provider.Request{}); err != nil {
			t.Fatal(err)
		}
	}
	if len(from) > 2 {
		t.Errorf("%d connections for 101 requests", len(from))
	}
}

func gzipped(body []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(body)
	}
}
