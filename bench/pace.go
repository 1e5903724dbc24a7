package bench

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Pace is streams at once, each of tokens with a gap between them.
type Pace struct {
	Streams, Tokens int // Tokens 0: as many as come
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

// paced is what all streams of a run say together.
type paced struct {
	mu     sync.Mutex
	all    *readings
	added  *Times // from the server's socket to the reader
	inside *Times // from our socket to the reader
	behind *Times // the server, behind its schedule
	hidden hidden // of the server's schedule
	kept   float64
	track  *track
	gone   lost
}

// measure reads all streams and takes for every token the time from the
// server's socket to the reader.
func (p Pace) measure(ctx context.Context, t Trial) ([]Sample, error) {
	var (
		wg sync.WaitGroup
		w  window
		a  = paced{all: newReadings(), added: NewTimes(), inside: NewTimes(), behind: NewTimes(), track: newTrack("added to a token", "µs"), gone: lost{trial: t}}
	)
	server, err := t.serverCost(ctx, "µs/token", time.Microsecond)
	if err != nil {
		return nil, err
	}
	w.begun.Add(p.Streams)
	for range p.Streams {
		wg.Go(func() {
			err := p.stream(ctx, t, &w, &a)
			a.mu.Lock()
			defer a.mu.Unlock()
			a.gone.add(err)
		})
	}
	w.open()
	wg.Wait()
	failed, err := a.gone.samples(ctx)
	if err != nil {
		return nil, err
	}
	t.Plot.add(a.track.series())
	cost, err := server(float64(w.tokens.Load()))
	return slices.Concat(a.samples(p, &w), cost, failed), err
}

func (a *paced) samples(p Pace, w *window) []Sample {
	out := []Sample{a.inside.sample("inside")}
	if a.added.h.TotalCount() > 0 {
		out = []Sample{a.added.sample("added"), a.inside.sample("inside").aside(), a.behind.sample("server late"), a.hidden.sample()}
	}
	out = append(out,
		a.all.first.sample("first"), a.all.itl.sample("itl"), a.all.tpot.sample("tpot").aside(),
		Sample{Name: "cpu", Unit: "µs/token", Less: true, Value: float64(w.cpu) / float64(time.Microsecond) / float64(max(1, w.to-w.from))},
	)
	if p.Gap > 0 {
		out = append(out, Sample{Name: "pace kept", Unit: "%", Value: 100 * a.kept / float64(p.Streams)})
	}
	return out
}

// stream reads one answer and adds what it says to a.
func (p Pace) stream(ctx context.Context, t Trial, w *window, a *paced) error {
	begun := sync.OnceFunc(w.begun.Done)
	defer begun() // also if nothing comes
	s, err := t.Client.Session()
	if err != nil {
		return err
	}
	defer s.Close()
	question := t.question()
	stamps := t.Tap.Of(question)
	got := make([]passed, 0, p.Tokens)
	r, err := ask(ctx, s, question, time.Now(), func(now time.Time, bytes int) {
		begun()
		n := stamps.passed(bytes, func(at times) { got = append(got, passed{at, now}) })
		w.tokens.Add(int64(n))
	})
	begun() // also if nothing has come: close waits for all
	w.close()
	switch {
	case err != nil:
		return err
	case p.Tokens > 0 && r.bytes != p.Tokens*len(word):
		return fmt.Errorf("%s has %d bytes, not %d", question, r.bytes, p.Tokens*len(word))
	case p.Tokens > 0 && len(got) != p.Tokens:
		return fmt.Errorf("%s: %d of %d tokens have a stamp", question, len(got), p.Tokens)
	}
	a.take(p, r, got, stamps)
	a.stalled(t.Plot, s)
	return nil
}

func (a *paced) stalled(p *Plot, s Session) {
	a.mu.Lock()
	defer a.mu.Unlock()
	p.stalled(s)
}

// passed is a token and when the reader had it.
type passed struct {
	times
	now time.Time
}

func (a *paced) take(p Pace, r reading, got []passed, stamps *Stamps) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, tok := range got {
		now := stamps.clock.At(tok.now)
		added := time.Duration(now - tok.read)
		a.inside.Add(added)
		if tok.sent != 0 {
			added = time.Duration(now - tok.sent)
			a.added.Add(added)
			a.behind.Add(time.Duration(tok.sent - tok.due))
			a.hidden.add(time.Duration(tok.sent-tok.due), time.Duration(now-tok.due))
		}
		a.track.add(tok.now, micros(added))
	}
	a.all.add(r, stamps.tokens())
	if took := r.last.Sub(r.first); took > 0 { // else all came at once: no pace at all
		a.kept += float64(time.Duration(p.Tokens-1)*p.Gap) / float64(took)
	}
}
