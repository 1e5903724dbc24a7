package bench

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"time"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider"
)

// longTokens is how long each answer of a long session is.
const longTokens = 20

// flat is a model in this process that takes no time and looks at nothing: what a
// turn costs is then the session's own.
type flat struct{}

// Stream implements provider.Provider.
func (flat) Stream(ctx context.Context, _ provider.Request) iter.Seq2[provider.Delta, error] {
	return func(yield func(provider.Delta, error) bool) {
		for range longTokens {
			if err := ctx.Err(); err != nil {
				yield(provider.Delta{}, err)
				return
			}
			if !yield(provider.Delta{Kind: provider.TextDelta, Text: word}, nil) {
				return
			}
		}
		yield(provider.Delta{Kind: provider.FinishDelta, Stop: provider.StopEnd}, nil)
	}
}

// long is one session of many turns.
type long struct {
	turns int
	here  bool // the model is flat
}

// measure compares the first tenth of the turns with the last.
func (l long) measure(ctx context.Context, t Trial) ([]Sample, error) {
	src := t.source
	if l.here {
		src.Provider = flat{}
	}
	turn, end, err := l.talk(t, src)
	if err != nil {
		return nil, err
	}
	defer end()
	all, over := NewTimes(), newTrack("a turn", "µs")
	tenth := max(1, l.turns/10)
	var head, tail time.Duration
	heap, cpu := Heap(), CPU()
	var headCPU, tailCPU time.Duration
	for i := range l.turns {
		if i == l.turns-tenth {
			tailCPU = CPU()
		}
		begun := time.Now()
		if err := turn(ctx); err != nil {
			return nil, fmt.Errorf("turn %d: %w", i+1, err)
		}
		now := time.Now()
		d := now.Sub(begun)
		all.Add(d)
		over.add(now, micros(d))
		if i < tenth {
			head += d
		}
		if i == tenth-1 {
			headCPU = CPU() - cpu
		}
		if i >= l.turns-tenth {
			tail += d
		}
	}
	tailCPU = CPU() - tailCPU
	cpu = CPU() - cpu
	grown := float64(int64(Heap())-int64(heap)) / 1024
	runtime.KeepAlive(turn) // what it keeps is in the heap
	t.Plot.add(over.series())
	return []Sample{
		all.sample("turn"),
		{Name: "first tenth", Unit: "µs/turn", Less: true, Value: micros(head) / float64(tenth)},
		{Name: "last tenth", Unit: "µs/turn", Less: true, Value: micros(tail) / float64(tenth)},
		{Name: "growth", Unit: "×", Less: true, Value: float64(tailCPU) / float64(max(headCPU, time.Microsecond))},
		{Name: "cpu", Unit: "µs/turn", Less: true, Value: micros(cpu) / float64(l.turns)},
		{Name: "memory", Unit: "KiB/turn", Less: true, Value: grown / float64(l.turns)},
	}, nil
}

// talk returns what does a turn: in a session of weir, or in a loop that keeps
// its own history and asks the adapter.
func (l long) talk(t Trial, src Source) (turn func(context.Context) error, end func(), err error) {
	m, err := src.model()
	if err != nil {
		return nil, nil, err
	}
	if t.Subject.Name != "weir" {
		req := provider.Request{Model: src.modelName()}
		return func(ctx context.Context) error {
			req.Messages = append(req.Messages, asked(req.Model, plain).Messages...)
			answer, err := provider.Complete(ctx, m, req)
			req.Messages = append(req.Messages, answer)
			return errors.Join(err, longWhole(len(answer.Text())))
		}, func() {}, nil
	}
	p, err := pipeline.New(m, pipeline.Config{Model: src.modelName(), Compaction: whole})
	if err != nil {
		return nil, nil, err
	}
	w := &weir{src, p}
	s, err := w.Session()
	if err != nil {
		return nil, nil, err
	}
	return func(ctx context.Context) error {
		r, err := ask(ctx, s, plain, time.Now(), nil)
		return errors.Join(err, longWhole(r.bytes))
	}, w.Close, nil
}

func longWhole(bytes int) error {
	if bytes != longTokens*len(word) {
		return fmt.Errorf("the answer has %d bytes, not %d", bytes, longTokens*len(word))
	}
	return nil
}

func longCases(short bool) []Case {
	turns, posted := pick(short, 5_000, 20), pick(short, 500, 5)
	subjects := []string{"adapter", "weir"}
	return []Case{
		{
			Name: fmt.Sprintf("%d turns, the model is in this process", turns), Script: Answer(longTokens, 0, 0),
			Subjects: subjects, Measure: long{turns: turns, here: true}.measure,
		},
		{
			Name: fmt.Sprintf("%d turns over HTTP: each sends the whole conversation", posted), Script: Answer(longTokens, 0, 0),
			Rounds: 3, Subjects: subjects, Measure: long{turns: posted}.measure,
		},
	}
}
