package openai

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/weir-agents/weir/provider"
)

func zipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, text)
	_ = z.Close()
	return b.String()
}

// What broke is told as what it is: what happened, what to do, and where.
func TestABrokenAnswerSaysWhatBroke(t *testing.T) {
	const called = `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}}]}` + "\n\ndata: [DONE]\n\n"
	tests := map[string]struct {
		body     string
		encoding string
		end      error // after the body, if it does not just end
		kind     provider.ErrorKind
		again    bool
		happened string
		todo     string
		broke    bool // there is a cause
	}{
		"labelled gzip":      {finished, "gzip", nil, provider.NotAStream, false, "labelled as gzip and is not", "check the base URL", true},
		"gzip cut at once":   {zipped(finished)[:5], "gzip", nil, provider.EmptyResponse, true, "the connection broke before the first event", "log", true},
		"gzip damaged":       {zipped(finished)[:30] + strings.Repeat("\xff", 99), "gzip", nil, provider.TruncatedStream, true, "the compressed answer is damaged", "proxies", true},
		"gzip of nothing":    {"", "gzip", nil, provider.EmptyResponse, true, "ended without any event", "has the model", false},
		"another encoding":   {finished, "br", nil, provider.NotAStream, false, `encoded as "br"`, "check the base URL", false},
		"nothing":            {"", "", nil, provider.EmptyResponse, true, "ended without any event", "has the model", false},
		"keep-alives":        {": x\n\n", "", nil, provider.EmptyResponse, true, "ended without any event", "has the model", false},
		"reset at once":      {"", "", syscall.ECONNRESET, provider.EmptyResponse, true, "the connection broke before the first event of the answer: connection reset by peer", "log", true},
		"reset after alive":  {": x\n\n", "", syscall.ECONNRESET, provider.EmptyResponse, true, "connection reset by peer", "log", true},
		"cut before events":  {": x\n\n", "", io.ErrUnexpectedEOF, provider.EmptyResponse, true, "the connection broke before the first event", "log", true},
		"reset within":       {aye, "", syscall.ECONNRESET, provider.TruncatedStream, true, "the connection broke before the answer's finish reason: connection reset by peer", "proxies", true},
		"cut within":         {aye + "data: {", "", nil, provider.TruncatedStream, true, "the answer broke off", "proxies", true},
		"ended":              {aye, "", nil, provider.TruncatedStream, true, "ended before its finish reason", "proxies", false},
		"garbage":            {"data: aye\n\n", "", nil, provider.BadJSON, true, "no JSON object: aye", "speaks this API", false},
		"a page":             {"<title>Hello</title>", "", nil, provider.NotAStream, false, "a web page, not an event stream: Hello", "check the base URL", false},
		"a nameless call":    {called, "", nil, provider.BadToolCall, true, "did not name", "speaks this API", false},
		"a final error":      {`{"error":{"message":"No.","code":400}}`, "", nil, provider.ProviderError, false, "No.", "asking the same again does not help", false},
		"an error for later": {`{"error":{"message":"Busy.","code":503}}`, "", nil, provider.ProviderError, true, "Busy. (status 200", "", false},
		"an outer status":    {`{"status":400,"error":{"message":"No."}}`, "", nil, provider.ProviderError, false, "No.", "asking the same again does not help", false},
		"one in an event":    {`data: {"status":400,"error":{"message":"No."}}` + "\n\n", "", nil, provider.ProviderError, false, "No.", "asking the same again does not help", false},
		"words alone":        {`{"message":"No such model"}`, "", nil, provider.EmptyResponse, true, "the server says: No such model", "has the model", false},
		"a list of words":    {`{"detail":[{"loc":["body"],"msg":"field required"}]}`, "", nil, provider.EmptyResponse, true, "the server says: field required", "has the model", false},
		"words in an event":  {aye + `data: {"detail":"worker lost"}` + "\n\n", "", nil, provider.TruncatedStream, true, "the server says: worker lost", "proxies", false},
		"an event of words":  {`data: {"detail":"worker lost"}` + "\n\ndata: [DONE]\n\n", "", nil, provider.EmptyResponse, true, "the server says: worker lost", "has the model", false},
		"too long":           {"data: " + strings.Repeat("x", 9000), "", nil, provider.TooLarge, false, "longer than 5000 bytes", "ask for less", false},
	}
	for name, tt := range tests {
		c := client(t, Config{
			BaseURL: "http://harbor-key@host/v1?sig=harbor-sig", LineBytes: 5000,
			Transport: answers(func(*http.Request) *http.Response {
				resp := reply(200, "", "Content-Encoding", tt.encoding)
				body := io.Reader(strings.NewReader(tt.body))
				if tt.end != nil {
					body = io.MultiReader(body, iotest.ErrReader(tt.end))
				}
				resp.Body = io.NopCloser(body)
				return resp
			}),
		})
		const at = "http://host/v1/chat/completions"
		e := provider.AsError(send(t, c).Err)
		if e.Kind != tt.kind || e.Retryable != tt.again || e.Status != 200 || e.URL != at || (e.Err != nil) != tt.broke {
			t.Errorf("%s: %+v", name, e)
		}
		if tt.end != nil && !errors.Is(e, tt.end) {
			t.Errorf("%s: the cause is %v", name, e.Err)
		}
		for _, want := range []string{tt.happened, tt.todo, "(status 200, " + at + ")"} {
			if !strings.Contains(e.Message, want) || strings.Count(e.Message, at) != 1 {
				t.Errorf("%s: %q lacks %q", name, e.Message, want)
			}
		}
	}
}
