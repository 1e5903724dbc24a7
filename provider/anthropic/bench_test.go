package anthropic

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/ssestream"

	"github.com/weir-agents/weir/provider"
)

// tokens is how many deltas the measured answer has.
const tokens = 10_000

// answerEvents returns the events of an answer as the vendor writes them, its
// padding included, one token each.
func answerEvents() []string {
	events := []string{"event: message_start\ndata: " + start + "\n\n"}
	for range tokens {
		events = append(events, `event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" a token"}          }

`)
	}
	return append(events, "event: message_delta\ndata: "+because("end_turn")+"\n\n", "event: message_stop\ndata: "+stopped+"\n\n")
}

// oneByOne gives one event a read, as a network does.
type oneByOne struct{ events []string }

func (o *oneByOne) Read(p []byte) (int, error) {
	if len(o.events) == 0 {
		return 0, io.EOF
	}
	n := copy(p, o.events[0])
	o.events = o.events[1:]
	return n, nil
}

func (o *oneByOne) Close() error { return nil }

// body makes the bodies of the answers that a client reads.
type bodies func() io.ReadCloser

func (b bodies) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: b(), Request: req}, nil
}

// readAll reads one whole answer and returns how many deltas it had.
func readAll(tb testing.TB, c *Client) int {
	n := 0
	for d, err := range c.Stream(tb.Context(), provider.Request{Model: "m"}) {
		if err != nil {
			tb.Fatal(err)
		}
		n += len(d.Text)
	}
	return n
}

func benchClient(tb testing.TB) *Client {
	events := answerEvents()
	c, err := New(Config{Transport: bodies(func() io.ReadCloser { return &oneByOne{events} })})
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// A token costs two allocations at most: the delta's text is one.
func TestATokenCostsTwoAllocations(t *testing.T) {
	c := benchClient(t)
	perAnswer := testing.AllocsPerRun(3, func() { readAll(t, c) })
	if perToken := perAnswer / tokens; perToken > 2 {
		t.Errorf("%.2f allocations a token", perToken)
	}
}

func BenchmarkToken(b *testing.B) {
	b.Run("weir", func(b *testing.B) {
		c := benchClient(b)
		perToken(b, func() { readAll(b, c) })
	})
	b.Run("sdk", func(b *testing.B) {
		events := answerEvents()
		perToken(b, func() {
			res := &http.Response{Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: &oneByOne{events}}
			s := ssestream.NewStream[sdk.MessageStreamEventUnion](ssestream.NewDecoder(res), nil)
			for s.Next() {
				_ = s.Current()
			}
			if s.Err() != nil {
				b.Fatal(s.Err())
			}
		})
	})
	b.Run("encoding-json", func(b *testing.B) {
		data := []byte(strings.TrimPrefix(strings.Split(answerEvents()[1], "\n")[1], "data: "))
		perToken(b, func() {
			for range tokens {
				var event struct {
					Type  string
					Index int
					Delta struct{ Type, Text string }
				}
				if err := json.Unmarshal(data, &event); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
}

func perToken(b *testing.B, answer func()) {
	b.ReportAllocs()
	for b.Loop() {
		answer()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/tokens, "ns/token")
}
