package bench_test

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/weir-agents/weir/bench"
)

// stepped is a transport whose body gives one frame a read, and the next only
// when the reader has taken the one before: a paced stream without its waits, so
// that nothing gathers and every token pays for all its wake-ups.
type stepped struct {
	frames [][]byte
	taken  chan struct{}
}

func newStepped() *stepped {
	return &stepped{frames: bytes.SplitAfter(answer(), []byte("\n\n")), taken: make(chan struct{}, 1)}
}

func (s *stepped) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := canned{}.RoundTrip(r)
	res.Body = &steps{stepped: s}
	return res, err
}

type steps struct {
	*stepped
	next int
}

func (s *steps) Read(p []byte) (int, error) {
	if s.next == len(s.frames) {
		return 0, io.EOF
	}
	if s.next > 0 && s.next <= cannedTokens {
		<-s.taken
	}
	s.next++
	return copy(p, s.frames[s.next-1]), nil
}

func (*steps) Close() error { return nil }

// readSteps reads one answer, a token at a time.
func readSteps(tb testing.TB, c bench.Client, s *stepped) bench.Usage {
	tb.Helper()
	session, err := c.Session()
	if err != nil {
		tb.Fatal(err)
	}
	defer session.Close()
	texts, before := 0, bench.Used()
	err = session.Read(tb.Context(), "What is on the rock?", func(string) bool {
		texts++
		s.taken <- struct{}{}
		return true
	})
	used := bench.Used().Since(before)
	if err != nil || texts != cannedTokens {
		tb.Fatalf("%d of %d tokens: %v", texts, cannedTokens, err)
	}
	return used
}

// BenchmarkPaced is what a token costs each subject when it comes alone.
func BenchmarkPaced(b *testing.B) {
	for _, s := range bench.Subjects() {
		b.Run(s.Name, func(b *testing.B) {
			body := newStepped()
			c := open(b, s, bench.Source{URL: "http://stepped.invalid", Transport: body})
			var cpu, allocs, size float64
			for b.Loop() {
				u := readSteps(b, c, body)
				cpu, allocs, size = cpu+float64(u.CPU), allocs+float64(u.Allocs), size+float64(u.Bytes)
			}
			n := float64(b.N) * cannedTokens
			b.ReportMetric(cpu/n, "cpu-ns/token")
			b.ReportMetric(allocs/n, "allocs/token")
			b.ReportMetric(size/n, "B/token")
		})
	}
}

// What a token may cost that comes alone, so that nothing of it is shared.
func TestBudgetOfAPacedToken(t *testing.T) {
	for _, s := range bench.Subjects() {
		if s.Name != "weir" {
			continue
		}
		body := newStepped()
		c := open(t, s, bench.Source{URL: "http://stepped.invalid", Transport: body})
		readSteps(t, c, body) // warms up
		u := readSteps(t, c, body)
		if n := float64(u.Allocs) / cannedTokens; n > 7 {
			t.Errorf("%.1f allocations a token, the budget is 7", n)
		}
		t.Logf("%.2f allocations and %.0f bytes a token", float64(u.Allocs)/cannedTokens, float64(u.Bytes)/cannedTokens)
	}
}
