package bench

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
)

// Tap is a transport that notes, for every answer that passes, when the server
// handed each token to its socket; sim.Config.Stamp writes that into the frames.
// Every subject reads through one, so its cost is in all numbers alike.
type Tap struct {
	Base http.RoundTripper

	mu   sync.Mutex
	asks map[string]*Stamps
}

// Stamps are the times of the tokens of one answer, in nanoseconds since 1970.
type Stamps struct {
	mu   sync.Mutex
	sent []int64
	line []byte // the end of what has come, without its line end
}

// Of returns the stamps of the answer to a question, which must be asked once.
func (t *Tap) Of(question string) *Stamps {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.asks == nil {
		t.asks = map[string]*Stamps{}
	}
	s := &Stamps{}
	t.asks[question] = s
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
	res, err := t.Base.RoundTrip(r)
	if err == nil && asked != nil {
		res.Body = &tapped{res.Body, asked}
	}
	return res, err
}

func (t *Tap) find(body []byte) *Stamps {
	t.mu.Lock()
	defer t.mu.Unlock()
	for question, s := range t.asks {
		if bytes.Contains(body, []byte(`"`+question+`"`)) {
			delete(t.asks, question)
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
	b.to.take(p[:n])
	return n, err
}

// take looks for stamps in what has come.
func (s *Stamps) take(b []byte) {
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
		if len(content(line)) > 0 {
			s.sent = append(s.sent, stampOf(line))
		}
		s.line, b = s.line[:0], rest
	}
}

// stampOf returns the stamp in a frame; 0 if it has none.
func stampOf(line []byte) int64 {
	_, tail, found := bytes.Cut(line, []byte(`"weir_sent_ns":`))
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

// each calls with for the stamps of the tokens from..to.
func (s *Stamps) each(from, to int, with func(sent int64)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sent := range s.sent[from:min(to, len(s.sent))] {
		with(sent)
	}
}
