package bench

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/weir-agents/weir/pipeline"
)

// FirstToken reads one answer in a session of its own and returns how long it
// took from the question to the first text.
func FirstToken(ctx context.Context, c Client) (time.Duration, error) {
	r, err := firstToken(ctx, c, plain, time.Now(), nil)
	return r.first.Sub(r.due), err
}

// firstToken reads an answer to a question that was due; it notes in by where the
// time went, if the subject knows.
func firstToken(ctx context.Context, c Client, question string, due time.Time, by *split) (reading, error) {
	s, err := c.Session()
	if err != nil {
		return reading{}, err
	}
	defer s.Close()
	begun, first := time.Now(), true
	return ask(ctx, s, question, due, func(now time.Time, _ int) {
		if m, ok := s.(metered); ok && first && by != nil {
			by.add(m.Meter(), begun, now)
		}
		first = false
	})
}

// closed asks one question after the other.
func closed(ctx context.Context, t Trial, answers int) ([]Sample, error) {
	all, before := newReadings(), CPU()
	var by split
	gone := lost{trial: t}
	opened := t.Tap.opened.Load()
	for range answers {
		question := t.question()
		stamps := t.Tap.Of(question)
		r, err := firstToken(ctx, t.Client, question, time.Now(), &by)
		if gone.add(err); err == nil {
			all.add(r, stamps.tokens())
		}
	}
	cpu := CPU() - before
	failed, err := gone.samples(ctx)
	return slices.Concat([]Sample{
		all.first.sample("first"),
		{Name: "cpu", Unit: "µs/answer", Less: true, Value: micros(cpu) / float64(answers)},
		{Name: "kept", Unit: "% of connections", Value: 100 * kept(answers, int(t.Tap.opened.Load()-opened))},
		all.itl.sample("itl").aside(), all.tpot.sample("tpot").aside(),
	}, failed, by.samples()), err
}

// kept is which share of answers left their connection for the next, which found
// it: each but the first opens one only where it did not.
func kept(answers, opened int) float64 {
	if answers < 2 {
		return 1
	}
	return 1 - float64(max(0, opened-1))/float64(answers-1)
}

// arrivals asks questions at moments that are fixed before: rate a second,
// whether or not those before have been answered. All times count from there.
func arrivals(ctx context.Context, t Trial, count int, rate float64) ([]Sample, error) {
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		all  = newReadings()
		over = newTrack("to the first text", "µs")
		gone = lost{trial: t}
	)
	begun, cpu := time.Now(), CPU()
	for i := range count {
		due := begun.Add(time.Duration(float64(i) / rate * float64(time.Second)))
		wait(ctx, time.Until(due))
		wg.Go(func() {
			question := t.question()
			stamps := t.Tap.Of(question)
			r, err := firstToken(ctx, t.Client, question, due, nil)
			mu.Lock()
			defer mu.Unlock()
			if gone.add(err); err == nil {
				all.add(r, stamps.tokens())
				over.add(r.first, micros(r.first.Sub(due)))
			}
		})
	}
	wg.Wait()
	failed, err := gone.samples(ctx)
	t.Plot.add(over.series())
	return append([]Sample{
		all.first.sample("first"), all.late.sample("asked late"), all.hidden.sample(),
		all.itl.sample("itl"), all.tpot.sample("tpot").aside(),
		{Name: "cpu", Unit: "µs/answer", Less: true, Value: micros(CPU()-cpu) / float64(count)},
	}, failed...), err
}

// split is where the time to the first text went, by stage of weir. What the
// stages do not account for is the way of the prompt to the turn.
type split struct{ turn, provider, assembler, reporter, reader, prompt *Times }

func (s *split) add(m *pipeline.Meter, begun, now time.Time) {
	if s.turn == nil {
		*s = split{NewTimes(), NewTimes(), NewTimes(), NewTimes(), NewTimes(), NewTimes()}
	}
	f := m.FirstToken()
	reader := now.Sub(f.Stamped)
	s.turn.Add(f.Turn)
	s.provider.Add(f.Provider)
	s.assembler.Add(f.Assembler)
	s.reporter.Add(f.Reporter)
	s.reader.Add(reader)
	s.prompt.Add(now.Sub(begun) - f.Turn - f.Provider - f.Assembler - f.Reporter - reader)
}

func (s *split) samples() []Sample {
	if s.turn == nil {
		return nil
	}
	return []Sample{
		s.prompt.sample("prompt"), s.turn.sample("turn"), s.provider.sample("provider"),
		s.assembler.sample("assembler"), s.reporter.sample("reporter"), s.reader.sample("reader"),
	}
}
