package sim_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/weir-agents/weir/provider/script"
	"github.com/weir-agents/weir/provider/sim"
)

// dialects are the paths with a request for each.
var dialects = map[string]string{"/v1/chat/completions": askOpenAI, "/v1/messages": askAnthropic}

// outcome is what a raw client sees of an answer.
type outcome struct {
	status int
	header http.Header
	body   string
	err    error // of the request or of reading the body
}

func (c *client) outcome(path, body string) outcome {
	resp, err := c.send(path, body)
	if err != nil {
		return outcome{err: err}
	}
	defer resp.Body.Close()
	all, err := io.ReadAll(resp.Body)
	return outcome{resp.StatusCode, resp.Header, string(all), err}
}

func TestStreamsEndInTheMiddle(t *testing.T) {
	text := script.Text{Text: "partial"}
	for path, ask := range dialects {
		for _, f := range []struct {
			fault script.Fault
			last  string // what the body ends with
			reset bool
		}{
			{script.Fault{Kind: script.Cut}, "\n\n", false},
			{script.Fault{Kind: script.Reset}, "\n\n", true},
			{script.Fault{Kind: script.Panic}, "\n\n", true},
			{script.Fault{Kind: script.BadJSON, Body: `{"a":`}, "data: {\"a\":\n\n", false},
		} {
			c := start(t, one(text, f.fault), sim.Config{})
			got := c.outcome(path, fmt.Sprintf(ask, true))
			if got.status != 200 || !strings.Contains(got.body, "partial") || !strings.HasSuffix(got.body, f.last) {
				t.Errorf("%s %s: %d %q", path, f.fault.Kind, got.status, got.body)
			}
			if errors.Is(got.err, syscall.ECONNRESET) != f.reset {
				t.Errorf("%s %s: %v", path, f.fault.Kind, got.err)
			}
			for _, end := range []string{"[DONE]", "message_stop", `"finish_reason":"`, "stop_reason\":\""} {
				if strings.Contains(got.body, end) {
					t.Errorf("%s %s: the answer has its end", path, f.fault.Kind)
				}
			}
		}
	}
}

func TestFaultsBeforeAnything(t *testing.T) {
	for path, ask := range dialects {
		for _, stream := range []bool{true, false} {
			body := fmt.Sprintf(ask, stream)
			if got := start(t, one(script.Fault{Kind: script.Cut}), sim.Config{}).outcome(path, body); got.status != 200 || got.body != "" || got.err != nil {
				t.Errorf("%s cut: %+v", path, got)
			}
			if got := start(t, one(script.Fault{Kind: script.Reset}), sim.Config{}).outcome(path, body); got.status != 0 || got.err == nil {
				t.Errorf("%s reset: %+v", path, got)
			}
			if got := start(t, one(script.Fault{Kind: script.HTML}), sim.Config{}).outcome(path, body); !strings.HasPrefix(got.body, "<!doctype html>") {
				t.Errorf("%s html: %+v", path, got)
			}
		}
	}
}

func TestErrorObjectsInBothDialects(t *testing.T) {
	fault := script.Fault{Kind: script.Errored, Type: "overloaded_error", Message: "Overloaded", Code: "529"}
	for path, ask := range dialects {
		for _, stream := range []bool{true, false} {
			got := start(t, one(script.Text{Text: "partial"}, fault), sim.Config{}).outcome(path, fmt.Sprintf(ask, stream))
			last := got.body
			if stream {
				all := datas(t, got.body)
				last = all[len(all)-1]
			}
			for at, want := range map[string]string{"type": `"overloaded_error"`, "message": `"Overloaded"`, "code": "529"} {
				if v := value(t, last, "error."+at); v != want {
					t.Errorf("%s streamed %v: %s is %s in %s", path, stream, at, v, last)
				}
			}
		}
	}
}

func TestStatusesCarryTheVendorsForm(t *testing.T) {
	fault := script.Fault{Kind: script.HTTP, Status: 429, RetryAfter: "7", RetryAfterMS: 6500}
	for path, ask := range dialects {
		got := start(t, one(fault), sim.Config{}).outcome(path, fmt.Sprintf(ask, true))
		if got.status != 429 || got.header.Get("Retry-After") != "7" || got.header.Get("Retry-After-Ms") != "6500" {
			t.Errorf("%s: %+v", path, got)
		}
		if v := value(t, got.body, "error.type"); v != `"rate_limit_error"` {
			t.Errorf("%s: type %s", path, v)
		}
		plain := script.Fault{Kind: script.HTTP, Status: 503, Body: "upstream is down"}
		if got := start(t, one(plain), sim.Config{}).outcome(path, fmt.Sprintf(ask, true)); got.status != 503 || got.body != plain.Body {
			t.Errorf("%s: %+v", path, got)
		}
	}
}

func TestBlockingAnswersBreakInTheMiddle(t *testing.T) {
	for path, ask := range dialects {
		for _, kind := range []script.FaultKind{script.Cut, script.Reset} {
			got := start(t, one(script.Text{Text: "partial"}, script.Fault{Kind: kind}), sim.Config{}).outcome(path, fmt.Sprintf(ask, false))
			if !strings.HasPrefix(got.body, "{") || strings.HasSuffix(got.body, "}\n") || (got.err != nil) != (kind == script.Reset) {
				t.Errorf("%s %s: %+v", path, kind, got)
			}
		}
	}
}

func TestAStallHoldsTheConnectionUntilTheClientGoes(t *testing.T) {
	for path, ask := range dialects {
		c := start(t, one(script.Text{Text: "a"}, script.Fault{Kind: script.Stall}), sim.Config{})
		ctx, cancel := context.WithCancel(t.Context())
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+path, strings.NewReader(fmt.Sprintf(ask, true)))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Anthropic-Version", "2023-06-01")
		resp, err := c.http.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		in := bufio.NewReader(resp.Body)
		for line := ""; !strings.Contains(line, `:"a"`); {
			if line, err = in.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
		}
		cancel() // goleak sees whether the server's goroutine ends
		resp.Body.Close()
	}
}
