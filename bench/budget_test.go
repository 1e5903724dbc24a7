package bench_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/weir-agents/weir/bench"
	"github.com/weir-agents/weir/provider"
)

// canned is a transport without a network: every request gets the same answer.
type canned struct{ body []byte }

func (c canned) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"text/event-stream"}},
		Body:   io.NopCloser(bytes.NewReader(c.body)),
	}, nil
}

const cannedTokens = 20_000

// answer is an answer of cannedTokens tokens as a server sends it.
func answer() []byte {
	const frame = `data: {"id":"c1","object":"chat.completion.chunk","created":1760000000,"model":"m","choices":[{"index":0,` +
		`"delta":{"content":" lighthouse"},"logprobs":null,"finish_reason":null}],"obfuscation":"pZ3kQm8"}` + "\n\n"
	const end = `data: {"id":"c1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
	return []byte(strings.Repeat(frame, cannedTokens) + end)
}

// What a token may cost in allocations on its whole way, in a flood. The bounds
// are two to three times what it costs, since how many deltas gather in a batch is
// up to the scheduler.
func TestBudgetOfAToken(t *testing.T) {
	body := answer()
	for _, s := range bench.Subjects() {
		budget := map[string]struct{ allocs, bytes float64 }{
			"adapter": {0.2, 30}, "weir": {0.7, 130},
		}[s.Name]
		if budget.allocs == 0 {
			continue
		}
		c := open(t, s, bench.Source{URL: "http://canned.invalid", Transport: canned{body}})
		var f bench.Flow
		for range 2 { // the first warms up
			var err error
			if f, err = bench.ReadAll(t.Context(), c, cannedTokens); err != nil {
				t.Fatal(err)
			}
		}
		if n := float64(f.Allocs) / cannedTokens; n > budget.allocs {
			t.Errorf("%s: %.2f allocations a token, the budget is %v", s.Name, n, budget.allocs)
		}
		if n := float64(f.Bytes) / cannedTokens; n > budget.bytes {
			t.Errorf("%s: %.0f bytes a token, the budget is %v", s.Name, n, budget.bytes)
		}
		t.Logf("%s: %.2f allocations and %.0f bytes a token", s.Name, float64(f.Allocs)/cannedTokens, float64(f.Bytes)/cannedTokens)
	}
}

func TestBudgetOfAFrame(t *testing.T) {
	body := answer()
	read := func() {
		r := provider.NewFrameReader(bytes.NewReader(body), 0)
		frames := 0
		for {
			_, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			frames++
		}
		if frames != cannedTokens+2 {
			t.Fatalf("%d frames", frames)
		}
	}
	if n := testing.AllocsPerRun(3, read); n > 8 { // the reader itself and its buffer
		t.Errorf("%v allocations for %d frames: a frame must cost none", n, cannedTokens)
	}
}
