package pipeline_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/weir-agents/weir/journal"
	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider/anthropic"
	"github.com/weir-agents/weir/provider/openai"
)

// The keys of this test: one for each place that takes one.
const (
	keyOwn    = canary + "/own+=="
	keyHeader = "tok-canary-header-0815"
	keyQuery  = "q-canary&0815/x"
	keyUser   = "p@ss-canary-0815"
)

var keys = []string{keyOwn, keyHeader, keyQuery, keyUser}

// echoing answers with every key in every header and in the body.
func echoing(code int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		all := strings.Join(keys, " ")
		for _, name := range []string{"X-Request-Id", "Www-Authenticate", "X-Echo", "Set-Cookie", "Server", "Retry-After-Ms"} {
			w.Header().Set(name, all)
		}
		w.Header().Set("Location", "http://elsewhere.invalid/"+url.PathEscape(keyOwn)+"?key="+url.QueryEscape(keyOwn))
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(code)
		quoted, _ := json.Marshal(fmt.Sprintf("%s; escaped %s %s; authorization %s; %s", all,
			url.QueryEscape(keyOwn), url.PathEscape(keyQuery), r.Header.Get("Authorization"), r.URL))
		words := strings.Trim(string(quoted), `"`)
		_, _ = fmt.Fprintf(w, body, words) // The client may be gone.
	}
}

// A key is never seen: not in an event, not in an error, not in the journal,
// wherever a server repeats it.
func TestAKeyIsNeverShownOrKept(t *testing.T) {
	leaks := map[string]http.HandlerFunc{
		"JSON 401":      echoing(401, "application/json", `{"error":{"type":"authentication_error","code":"k","message":"Incorrect API key provided: %s"}}`),
		"JSON 503":      echoing(503, "application/json", `{"type":"error","error":{"type":"%[1]s","message":"%[1]s"}}`),
		"words":         echoing(400, "text/plain", `who is %s?`),
		"a page":        echoing(403, "text/html", `<html><title>%[1]s</title><body><h1>%[1]s</h1></body></html>`),
		"a page of 200": echoing(200, "text/html", `<html><title>%[1]s</title></html>`),
		"a redirect":    echoing(307, "text/html", `see %s`),
		"in the stream": echoing(200, "text/event-stream", "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"%s\"}}\n\n"),
		"plain words":   echoing(200, "text/event-stream", "event: error\ndata: the key %s is bad\n\n"),
		"not JSON":      echoing(200, "text/event-stream", "data: {\"key\": %s\n\n"),
		"JSON of 200":   echoing(200, "application/json", `{"error":"%s"}`),
		"cut":           echoing(200, "text/event-stream", ": %s\n\n"),
		"a far place":   echoing(400, "text/plain", strings.Repeat("word ", 500)+"%[1]s"+strings.Repeat(" %[1]s", 300)),
	}
	for name, answer := range leaks {
		for _, dialect := range dialects {
			t.Run(name+" "+dialect, func(t *testing.T) {
				kept := &journal.Memory{}
				u := newRawServer(t, answer)
				s := open(t, keyed(t, dialect, u.http.URL), pipeline.Config{
					Journal: kept, Limits: pipeline.Limits{Attempts: 2, RetryBase: 1, RetryCap: 1},
				})
				events := run(t, s, "go")
				if end := last(t, events); end.Outcome != pipeline.Failed {
					t.Fatalf("the turn ended as %+v", end)
				}
				s.Close() // the journal has all of it then
				checkSecret(t, "the events", lines(t, events))
				checkSecret(t, "the journal", recordsOf(t, kept, s.ID()))
			})
		}
	}
	for _, dialect := range dialects {
		u := newRawServer(t, sse())
		u.http.Close() // nobody listens
		s := open(t, keyed(t, dialect, u.http.URL), pipeline.Config{Limits: pipeline.Limits{Attempts: 1}})
		checkSecret(t, "the events of a dead server", lines(t, run(t, s, "go")))
	}
}

// keyed returns a client with keys in every place.
func keyed(t *testing.T, dialect, base string) closer {
	t.Helper()
	base = strings.Replace(base, "http://", "http://user:"+url.QueryEscape(keyUser)+"@", 1) + "?key=" + url.QueryEscape(keyQuery)
	headers := map[string]string{"X-Auth-Token": "Token " + keyHeader}
	var c closer
	var err error
	if dialect == "anthropic" {
		c, err = anthropic.New(anthropic.Config{BaseURL: base, APIKey: keyOwn, Headers: headers, IdleTimeout: time.Minute})
	} else {
		c, err = openai.New(openai.Config{BaseURL: base, APIKey: keyOwn, Headers: headers, IdleTimeout: time.Minute})
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// checkSecret looks for each key in every form in which a person could read it.
func checkSecret(t *testing.T, where, text string) {
	t.Helper()
	if text == "" {
		t.Errorf("%s: nothing is there", where)
	}
	basic := base64.StdEncoding.EncodeToString([]byte("user:" + keyUser))
	for _, key := range append(keys, canary, "canary", basic) {
		quoted, _ := json.Marshal(key)
		for _, form := range []string{key, url.QueryEscape(key), url.PathEscape(key), strings.Trim(string(quoted), `"`)} {
			if i := strings.Index(text, form); i >= 0 {
				t.Errorf("%s: the key %q is there: …%s…", where, form, text[max(0, i-80):min(len(text), i+80)])
			}
		}
	}
}

// recordsOf returns all that a journal has of a session.
func recordsOf(t *testing.T, j journal.Journal, session string) string {
	t.Helper()
	var all strings.Builder
	for r, err := range j.Read(context.Background(), session, 1) {
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&all, "%s %s\n", r.Kind, r.Data)
	}
	return all.String()
}
