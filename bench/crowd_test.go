package bench_test

import (
	"bytes"
	"io"
	"net/http"
	"sync"
	"testing"

	"github.com/weir-agents/weir/bench"
)

// crowd is a transport whose answers get a frame each in turn: many paced streams
// without a network or a timer. What belongs to one of them has left the caches
// when its next token comes, and that is most of what such a token costs.
type crowd struct {
	frame, end []byte
	opened     chan *member
}

func newCrowd(streams int) *crowd {
	all := answer()
	at := bytes.Index(all, []byte("\n\n")) + 2
	return &crowd{frame: all[:at], end: all[at*cannedTokens:], opened: make(chan *member, streams)}
}

func (c *crowd) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := canned{}.RoundTrip(r)
	m := &member{crowd: c, next: make(chan []byte, 1)}
	res.Body = m
	c.opened <- m
	return res, err
}

// member is the body of one answer.
type member struct {
	*crowd
	next chan []byte // closed at the end of the answer
	over bool
}

func (m *member) Read(p []byte) (int, error) {
	frame, ok := <-m.next
	switch {
	case ok:
		return copy(p, frame), nil
	case m.over:
		return 0, io.EOF
	}
	m.over = true
	return copy(p, m.end), nil
}

func (*member) Close() error { return nil }

// crowded opens streams at once and returns what reads the next token of each,
// and what ends them.
func crowded(tb testing.TB, s bench.Subject, streams int) (round, end func()) {
	tb.Helper()
	c := newCrowd(streams)
	client := open(tb, s, bench.Source{URL: "http://crowd.invalid", Transport: c})
	var reading, taken sync.WaitGroup
	for range streams {
		reading.Go(func() {
			session, err := client.Session()
			if err != nil {
				tb.Error(err)
				return
			}
			defer session.Close()
			if err := session.Read(tb.Context(), "What is on the rock?", func(string) bool { taken.Done(); return true }); err != nil {
				tb.Error(err)
			}
		})
	}
	var members []*member
	for range streams {
		members = append(members, <-c.opened)
	}
	round = func() {
		taken.Add(streams)
		for _, m := range members {
			m.next <- c.frame
		}
		taken.Wait()
	}
	end = func() {
		for _, m := range members {
			close(m.next)
		}
		reading.Wait()
	}
	return round, end
}

// BenchmarkCrowd is what a token of one among a thousand paced streams costs each
// subject.
func BenchmarkCrowd(b *testing.B) {
	const streams = 1000
	for _, s := range bench.Subjects() {
		b.Run(s.Name, func(b *testing.B) {
			round, end := crowded(b, s, streams)
			round() // warms up
			before := bench.Used()
			for b.Loop() {
				round()
			}
			used, n := bench.Used().Since(before), float64(b.N*streams)
			end()
			b.ReportMetric(float64(used.CPU)/n, "cpu-ns/token")
			b.ReportMetric(float64(used.Allocs)/n, "allocs/token")
			b.ReportMetric(float64(used.Bytes)/n, "B/token")
		})
	}
}
