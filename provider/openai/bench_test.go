package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"testing"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/weir-agents/weir/provider"
)

const benchTokens = 2000

// tokens returns a stream of n text deltas, each with all the members that
// OpenAI pads its chunks with.
func tokens(n int) []byte {
	var b bytes.Buffer
	const chunk = `data: {"id":"chatcmpl-Cz8kQm3nT5vR1xW7yJ2pL9dF4gH6","object":"chat.completion.chunk","created":1760000000,` +
		`"model":"harbor-1-2026-01-15","service_tier":"default","system_fingerprint":"fp_8a4f2c91d7","choices":[{"index":0,` +
		`"delta":%s,"logprobs":null,"finish_reason":%s}],"usage":null,"obfuscation":"aZ3kQ9"}` + "\n\n"
	fmt.Fprintf(&b, chunk, `{"role":"assistant","content":"","refusal":null}`, "null")
	for range n {
		fmt.Fprintf(&b, chunk, `{"content":" lighthouse"}`, "null")
	}
	fmt.Fprintf(&b, chunk, `{}`, `"stop"`)
	b.WriteString("data: [DONE]\n\n")
	return b.Bytes()
}

// arguments returns a stream of one call whose arguments come in n pieces.
func arguments(n int) []byte {
	var b bytes.Buffer
	const chunk = `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,` +
		`%s"function":{%s"arguments":%q}}]},"finish_reason":null}]}` + "\n\n"
	fmt.Fprintf(&b, chunk, `"id":"call_1","type":"function",`, `"name":"write_file",`, `{"text":"`)
	for range n {
		fmt.Fprintf(&b, chunk, "", "", "All hands. ")
	}
	fmt.Fprintf(&b, chunk, "", "", `"}`)
	b.WriteString(`data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n\n")
	return b.Bytes()
}

// byFrame reads one frame at a time, the worst case: no two deltas are merged.
type byFrame struct{ rest []byte }

func (f *byFrame) Read(p []byte) (int, error) {
	if len(f.rest) == 0 {
		return 0, io.EOF
	}
	end := bytes.Index(f.rest, []byte("\n\n")) + 2
	n := copy(p, f.rest[:end])
	f.rest = f.rest[n:]
	return n, nil
}

func drain(tb testing.TB, c *Client, body io.Reader) (deltas int) {
	tb.Helper()
	all := 0
	for _, err := range c.Stream(withBody(tb, body), provider.Request{Model: "any", IDPrefix: "a"}) {
		if err != nil {
			tb.Fatal(err)
		}
		all++
	}
	return all
}

func TestDecodingATokenAllocatesAtMostTwice(t *testing.T) {
	c := reader(t, Config{})
	for name, body := range map[string][]byte{"text": tokens(benchTokens), "arguments": arguments(benchTokens)} {
		once := testing.AllocsPerRun(3, func() {
			if n := drain(t, c, &byFrame{body}); n < benchTokens {
				t.Fatalf("%d deltas of %d tokens", n, benchTokens)
			}
		})
		// The request and the message's end cost about 400, whatever the length.
		if once > 2*benchTokens {
			t.Errorf("%s: %.2f allocations a token", name, once/benchTokens)
		}
	}
}

func TestTextThatIsHereAlreadyIsMerged(t *testing.T) {
	c := reader(t, Config{})
	body := tokens(benchTokens)
	if n := drain(t, c, bytes.NewReader(body)); n > benchTokens/4 {
		t.Errorf("%d deltas for %d tokens that came at once", n, benchTokens)
	}
}

func BenchmarkOpenAI(b *testing.B) {
	for name, body := range map[string][]byte{"text": tokens(benchTokens), "arguments": arguments(benchTokens)} {
		b.Run(name+"/weir", func(b *testing.B) {
			c := reader(b, Config{})
			perToken(b, func() { drain(b, c, &byFrame{body}) })
		})
		b.Run(name+"/weir-flood", func(b *testing.B) {
			c := reader(b, Config{})
			perToken(b, func() { drain(b, c, bytes.NewReader(body)) })
		})
		b.Run(name+"/openai-go", func(b *testing.B) {
			perToken(b, func() {
				resp := &http.Response{Header: http.Header{}, Body: io.NopCloser(&byFrame{body})}
				s := ssestream.NewStream[sdk.ChatCompletionChunk](ssestream.NewDecoder(resp), nil)
				for s.Next() {
					_ = s.Current()
				}
			})
		})
		b.Run(name+"/encoding-json", func(b *testing.B) {
			perToken(b, func() { unmarshalAll(b, body) })
		})
	}
}

// unmarshalAll reads only what text needs, with encoding/json.
func unmarshalAll(b *testing.B, body []byte) {
	f := provider.NewFrameReader(&byFrame{body}, 0)
	for {
		frame, err := f.Next()
		if err != nil || frame.Done() {
			return
		}
		var c struct {
			Choices []struct {
				Delta struct {
					Content   string
					ToolCalls []struct {
						Index    int
						ID       string
						Function struct{ Name, Arguments string }
					} `json:"tool_calls"`
				}
				FinishReason string `json:"finish_reason"`
			}
		}
		if err := json.Unmarshal(frame.Data, &c); err != nil {
			b.Fatal(err)
		}
	}
}

func perToken(b *testing.B, run func()) {
	b.ReportAllocs()
	for b.Loop() {
		run()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchTokens, "ns/token")
}

// BenchmarkLongArguments shows that the cost of a piece does not grow with the
// length of what came before it.
func BenchmarkLongArguments(b *testing.B) {
	for _, n := range []int{1000, 20000} {
		body := arguments(n)
		c := reader(b, Config{})
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				drain(b, c, &byFrame{body})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/piece")
		})
	}
}
