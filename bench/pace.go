package bench

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Pace is streams at once, each of tokens with a gap between them.
type Pace struct {
	Streams, Tokens int
	Gap             time.Duration
}

// window is the part of a run in which all streams are open: processor time is
// counted there, so that connecting is not in it.
type window struct {
	tokens      atomic.Int64
	begun       sync.WaitGroup // streams without a first token
	first, last sync.Once
	cpu         time.Duration
	from, to    int64
}

// open begins the window once all streams have begun. The first to know does it.
func (w *window) open() {
	w.begun.Wait()
	w.first.Do(func() { w.from, w.cpu = w.tokens.Load(), CPU() })
}

// close ends the window when the first stream does.
func (w *window) close() {
	w.open()
	w.last.Do(func() { w.to, w.cpu = w.tokens.Load(), CPU()-w.cpu })
}

// measure reads all streams and takes for every token the time from the
// server's socket to the reader.
func (p Pace) measure(ctx context.Context, t Trial) ([]Sample, error) {
	var (
		wg     sync.WaitGroup
		mu     sync.Mutex
		added  = NewTimes()
		kept   float64
		failed error
		w      window
	)
	w.begun.Add(p.Streams)
	for i := range p.Streams {
		wg.Go(func() {
			late, pace, err := p.stream(ctx, t, i, &w)
			mu.Lock()
			defer mu.Unlock()
			for _, d := range late {
				added.Add(d)
			}
			kept += pace
			failed = errors.Join(failed, err)
		})
	}
	w.open()
	wg.Wait()
	if failed != nil {
		return nil, failed
	}
	return []Sample{
		added.sample("added"),
		{Name: "cpu", Unit: "µs/token", Less: true, Value: float64(w.cpu) / float64(time.Microsecond) / float64(max(1, w.to-w.from))},
		{Name: "pace kept", Unit: "%", Value: 100 * kept / float64(p.Streams)},
	}, nil
}

// stream reads one answer and returns how late each token was, and how long the
// tokens should have taken by how long they took.
func (p Pace) stream(ctx context.Context, t Trial, i int, w *window) (late []time.Duration, pace float64, err error) {
	begun := sync.OnceFunc(w.begun.Done)
	defer begun() // also if nothing comes
	s, err := t.Client.Session()
	if err != nil {
		return nil, 0, err
	}
	defer s.Close()
	question := fmt.Sprintf("stream %d", i)
	stamps := t.Tap.Of(question)
	late = make([]time.Duration, 0, p.Tokens)
	bytes := 0
	var first, last time.Time
	err = s.Read(ctx, question, func(text string) bool {
		now := time.Now()
		if first.IsZero() {
			first = now
			begun()
		}
		last = now
		at := bytes / len(word)
		bytes += len(text)
		w.tokens.Add(int64(bytes/len(word) - at))
		stamps.each(at, bytes/len(word), func(sent int64) { late = append(late, time.Duration(now.UnixNano()-sent)) })
		return true
	})
	w.close()
	switch {
	case err != nil:
		return nil, 0, err
	case bytes != p.Tokens*len(word):
		return nil, 0, fmt.Errorf("stream %d has %d bytes, not %d", i, bytes, p.Tokens*len(word))
	case len(late) != p.Tokens:
		return nil, 0, fmt.Errorf("stream %d: %d of %d tokens have a stamp", i, len(late), p.Tokens)
	}
	return late, float64(time.Duration(p.Tokens-1)*p.Gap) / float64(last.Sub(first)), nil
}
