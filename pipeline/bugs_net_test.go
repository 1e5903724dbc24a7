package pipeline_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider"
)

// B022: half a surrogate pair from the model, in text and in arguments, whole
// or split over two events, is mended when it comes: no later request holds it.
func TestB022LoneSurrogatesAreMendedOnReceipt(t *testing.T) {
	const fish, lost = `\ud83d\udc1f`, `\ud82d`
	for _, dialect := range dialects {
		t.Run(dialect, func(t *testing.T) {
			u := newRawServer(t,
				sse(answerIn(dialect, []string{"a" + lost, "b" + fish[:6], fish[6:] + "c", `\udc1f`, lost},
					map[string][]string{"look": {`{\"a\":\"x\\ud8`, `2d\",\"b\":\"` + lost, `y\"}`}}, "")...),
				sse(answerIn(dialect, []string{"fine"}, nil, "")...))
			tool := &recorder{}
			s := open(t, u.client(t, dialect), pipeline.Config{Tools: registry(t, tool.tool("look"))})
			events := run(t, s, "go")
			run(t, s, "again")
			want := "a\ufffdb🐟c\ufffd\ufffd"
			if got := text(events); got != want+"fine" {
				t.Errorf("text %q, want %q", got, want)
			}
			ran, _ := tool.calls()
			var got map[string]string
			if err := json.Unmarshal(ran["call_look"].Arguments, &got); err != nil || strings.Contains(string(ran["call_look"].Arguments), lost) {
				t.Errorf("arguments %s: %v", ran["call_look"].Arguments, err)
			}
			if d := cmp.Diff(map[string]string{"a": "x\ufffd", "b": "\ufffdy"}, got); d != "" {
				t.Errorf("arguments (-want +got):\n%s", d)
			}
			bodies := u.sent()
			if len(bodies) != 3 {
				t.Fatalf("%d requests: %s", len(bodies), lines(t, events))
			}
			for _, body := range bodies[1:] {
				if !utf8.ValidString(body) || !json.Valid([]byte(body)) || strings.Contains(strings.ToLower(body), `\ud8`) || !strings.Contains(body, want) {
					t.Errorf("a later request is not valid or lacks the text: %s", body)
				}
			}
		})
	}
}

// B038: a refusal is shown with its status, its type and the vendor's words,
// whatever form it has, and is never an empty error.
func TestB038ARefusalIsShownInFull(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		say    []string
	}{
		"JSON": {
			status(400, "application/json", `{"type":"error","error":{"type":"invalid_request_error","message":"messages.1: the dam has no gate 7"}}`),
			[]string{"400 Bad Request", "invalid_request_error", "messages.1: the dam has no gate 7"},
		},
		"JSON without words":   {status(400, "application/json", `{"error":{"type":"invalid_request_error"}}`), []string{"400 Bad Request", "invalid_request_error"}},
		"JSON of another kind": {status(422, "application/json", `{"detail":[{"loc":["body","model"],"msg":"field required"}]}`), []string{"422", "field required"}},
		"nothing":              {status(400, "", ""), []string{"400 Bad Request"}},
		"blanks":               {status(400, "text/plain", " \n"), []string{"400 Bad Request"}},
		"words":                {status(403, "text/plain", "no such river"), []string{"403 Forbidden", "no such river", "check the API key"}},
		"a page": {
			status(404, "text/html", "<html><head><title>Nothing here</title><style>b{}</style></head><body><h1>Not a model</h1></body></html>"),
			[]string{"404 Not Found", "Nothing here", "Not a model", "check the base URL"},
		},
		"an unknown status": {status(499, "application/json", `null`), []string{"499"}},
	} {
		for _, dialect := range dialects {
			t.Run(name+" "+dialect, func(t *testing.T) {
				u := newRawServer(t, c.answer)
				events := run(t, open(t, u.client(t, dialect), pipeline.Config{}), "go")
				_, failed := delays(events)
				end := last(t, events)
				if len(failed) != 1 || len(u.sent()) != 1 || end.Outcome != pipeline.Failed || end.Error == nil {
					t.Fatalf("%d requests, %s", len(u.sent()), lines(t, events))
				}
				mustSay(t, failed[0].Message, append(c.say, u.http.URL)...)
				if end.Error.Message != failed[0].Message || end.Error.Kind != "http_error" {
					t.Errorf("the turn ended as %+v", *end.Error)
				}
				if strings.ContainsAny(failed[0].Message, "<>\n") {
					t.Errorf("the message is not fit to be shown: %q", failed[0].Message)
				}
			})
		}
	}
}

// B046: silence within a large call ends it by the idle timeout; the retries
// are bounded and go on from the last complete message; then the error is clear.
func TestB046SilenceWithinALargeCall(t *testing.T) {
	for _, dialect := range dialects {
		t.Run(dialect, func(t *testing.T) {
			tool := &recorder{}
			within(t, setting{
				dialect: dialect, idle: time.Minute, config: pipeline.Config{Tools: registry(t, tool.tool("look"))},
				script: `{"steps":[{"blocks":[{"call":"look","id":"first"}]},
				 {"attempts":[{"blocks":[{"text":"I write it."},{"call":"look","arguments":["{\"text\":\"",{"repeat":"word ","bytes":20000},{"fault":"stall"}]}]}]}]}`,
			}, func(t *testing.T, w *world) {
				events := w.run("go", nil)
				end := last(t, events)
				if end.Outcome != pipeline.Failed || end.Error.Kind != "idle_timeout" || end.Steps != 2 {
					t.Errorf("the turn ended as %+v", end)
				}
				mustSay(t, end.Error.Message, "1m0s")
				if n := len(w.requests()); n != 1+4 {
					t.Errorf("%d requests, want 5", n)
				}
				for _, r := range w.server.Requests()[1:] {
					if d := cmp.Diff([]string{"user", "assistant first", "tool first"}, callShape(r.Decoded.Messages)); d != "" {
						t.Errorf("a try asked (-want +got):\n%s", d)
					}
				}
				if _, n := tool.calls(); n != 1 {
					t.Errorf("%d calls ran, want the first", n)
				}
			})
		})
	}
}

// B124: cached tokens are inside the input, whatever the vendor counts; a
// stream that tells no usage is told as one, and usage is asked for.
func TestB124UsageMeansTheSameInBothDialects(t *testing.T) {
	told := map[string]string{
		"openai":    `{"prompt_tokens":100,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":80},"completion_tokens_details":{"reasoning_tokens":3}}`,
		"anthropic": `{"input_tokens":15,"cache_read_input_tokens":80,"cache_creation_input_tokens":5,"output_tokens":7}`,
	}
	want := map[string]*provider.Usage{
		"openai":    {Input: 100, Output: 7, CacheRead: 80, Reasoning: 3},
		"anthropic": {Input: 100, Output: 7, CacheRead: 80, CacheWrite: 5},
	}
	for _, dialect := range dialects {
		u := newRawServer(t, sse(answerIn(dialect, []string{"hello"}, nil, told[dialect])...), sse(answerIn(dialect, []string{"hello"}, nil, "")...))
		s := open(t, u.client(t, dialect), pipeline.Config{})
		events := run(t, s, "go")
		if d := cmp.Diff(want[dialect], message(t, events).Usage); d != "" {
			t.Errorf("%s (-want +got):\n%s", dialect, d)
		}
		if d := cmp.Diff(*want[dialect], last(t, events).Usage); d != "" {
			t.Errorf("%s, the turn (-want +got):\n%s", dialect, d)
		}
		if got := message(t, run(t, s, "again")).Usage; got != nil {
			t.Errorf("%s: a stream without usage told %+v", dialect, got)
		}
		if dialect == "openai" {
			mustSay(t, u.sent()[0], `"include_usage":true`)
		}
	}
}

// B127, B128: the path asked is the same however the base URL is written.
func TestB127TheBaseURLMayBeWrittenInAnyForm(t *testing.T) {
	paths := map[string]string{"openai": "/v1/chat/completions", "anthropic": "/v1/messages"}
	for _, dialect := range dialects {
		u := newRawServer(t, sse(answerIn(dialect, []string{"hello"}, nil, "")...))
		for _, form := range []string{"", "/", "/v1", "/v1/", "//v1//", paths[dialect], paths[dialect] + "/"} {
			c, err := adapter(dialect, u.http.URL+form, time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			if end := last(t, run(t, open(t, c, pipeline.Config{}), "go")); end.Text != "hello" {
				t.Errorf("%s%s: the turn ended as %+v", dialect, form, end)
			}
			c.Close()
		}
		for _, got := range u.paths {
			if got != paths[dialect] {
				t.Errorf("asked %s, want %s", got, paths[dialect])
			}
		}
	}
}
