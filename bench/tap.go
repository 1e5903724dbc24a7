package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/weir-agents/weir/provider/sim"
)

// Tap is a transport that notes, for every answer that passes, when each token
// was due, when the server handed it to its socket, and when it was read from
// ours. The first two sim.Config.Stamp writes into the frames; another server
// leaves them out. Every subject reads through one, so its cost is in all
// numbers alike.
type Tap struct {
	Base  http.RoundTripper
	Clock sim.Clock

	opened atomic.Int64 // connections

	mu   sync.Mutex
	asks map[string]*Stamps
}

// Stamps are the times of the tokens of one answer.
type Stamps struct {
	clock sim.Clock
	mu    sync.Mutex
	list  []times
	next  int    // the first that the reader has not got
	line  []byte // the end of what has come, without its line end
}

// times is when a token came by, in nanoseconds of sim.Clock; due and sent are 0
// where the server does not tell.
type times struct {
	due, sent, read int64
	end             int // bytes of text up to here
}

// Of returns the stamps of the answer to a question, which must be asked once:
// its last word tells it from others.
func (t *Tap) Of(question string) *Stamps {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.asks == nil {
		t.asks = map[string]*Stamps{}
	}
	s := &Stamps{clock: t.Clock}
	t.asks[question[strings.LastIndexByte(question, ' ')+1:]+`"`] = s
	return s
}

// RoundTrip implements http.RoundTripper. An answer to a question that nobody
// waits for passes as it is.
func (t *Tap) RoundTrip(r *http.Request) (*http.Response, error) {
	var asked *Stamps
	if r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, fmt.Errorf("read the request: %w", err)
		}
		_ = r.Body.Close() // It has been read to its end.
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(bytes.NewReader(body))
		asked = t.find(body)
	}
	res, err := t.Base.RoundTrip(r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{
		GotConn: func(c httptrace.GotConnInfo) {
			if !c.Reused {
				t.opened.Add(1)
			}
		},
	})))
	if err == nil && asked != nil {
		res.Body = &tapped{res.Body, asked}
	}
	return res, err
}

func (t *Tap) find(body []byte) *Stamps {
	t.mu.Lock()
	defer t.mu.Unlock()
	for word, s := range t.asks {
		if bytes.Contains(body, []byte(" "+word)) {
			delete(t.asks, word)
			return s
		}
	}
	return nil
}

type tapped struct {
	io.ReadCloser
	to *Stamps
}

func (b *tapped) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.to.take(p[:n], b.to.clock.Now())
	return n, err
}

// take looks for tokens in what has come.
func (s *Stamps) take(b []byte, now int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		line, rest, whole := bytes.Cut(b, []byte("\n"))
		if len(s.line) > 0 || !whole {
			s.line = append(s.line, line...)
			line = s.line
		}
		if !whole {
			return
		}
		if n := textBytes(line); n > 0 {
			if len(s.list) > 0 {
				n += s.list[len(s.list)-1].end
			}
			tail := line[max(0, len(line)-stampRoom):]
			s.list = append(s.list, times{number(tail, `"weir_due_ns":`), number(tail, `"weir_sent_ns":`), now, n})
		}
		s.line, b = s.line[:0], rest
	}
}

// stampRoom is how far from the end of a frame its stamps begin, at most: the Tap
// must cost little beside what is measured.
const stampRoom = 96

// number returns the number behind key in a frame; 0 if it has none.
func number(line []byte, key string) int64 {
	_, tail, found := bytes.Cut(line, []byte(key))
	if !found {
		return 0
	}
	n := 0
	for n < len(tail) && tail[n] >= '0' && tail[n] <= '9' {
		n++
	}
	ns, _ := strconv.ParseInt(string(tail[:n]), 10, 64) // Digits only; 0 if there are too many.
	return ns
}

// textBytes returns how long the text of a frame is, 0 if it has none.
func textBytes(line []byte) int {
	text := content(line)
	if bytes.IndexByte(text, '\\') < 0 {
		return len(text)
	}
	// The first quote was perhaps not the last.
	_, raw, _ := bytes.Cut(line, []byte(`"content":`))
	var s string
	if json.NewDecoder(bytes.NewReader(raw)).Decode(&s) != nil {
		return len(text)
	}
	return len(s)
}

// tokens returns how many have come so far.
func (s *Stamps) tokens() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.list)
}

// passed calls with for the tokens that the reader has only now, since it has so
// many bytes of text, and returns how many they are.
func (s *Stamps) passed(bytes int, with func(times)) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	from := s.next
	for s.next < len(s.list) && s.list[s.next].end <= bytes {
		with(s.list[s.next])
		s.next++
	}
	return s.next - from
}
