package bench

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Pace is streams at once, each of tokens with a gap between them.
type Pace struct {
	Streams, Tokens int
	Gap             time.Duration
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
	)
	before := Used()
	for i := range p.Streams {
		wg.Go(func() {
			late, pace, err := p.stream(ctx, t, i)
			mu.Lock()
			defer mu.Unlock()
			for _, d := range late {
				added.Add(d)
			}
			kept += pace
			failed = errors.Join(failed, err)
		})
	}
	wg.Wait()
	if failed != nil {
		return nil, failed
	}
	used := Used().Since(before)
	return []Sample{
		added.sample("added"),
		{Name: "cpu", Unit: "µs/token", Less: true, Value: float64(used.CPU.Microseconds()) / float64(p.Streams*p.Tokens)},
		{Name: "pace kept", Unit: "%", Value: 100 * kept / float64(p.Streams)},
	}, nil
}

// stream reads one answer and returns how late each token was, and how long the
// tokens should have taken by how long they took.
func (p Pace) stream(ctx context.Context, t Trial, i int) (late []time.Duration, pace float64, err error) {
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
		}
		last = now
		at := bytes / len(word)
		bytes += len(text)
		stamps.each(at, bytes/len(word), func(sent int64) { late = append(late, time.Duration(now.UnixNano()-sent)) })
		return true
	})
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
