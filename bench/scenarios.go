package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/weir-agents/weir/provider/sim"
)

// Scenarios are all there are.
func Scenarios() []Scenario {
	return []Scenario{
		{"flood", "streams without gaps: what a token costs, and whether that grows with the answer", floodCases},
		{"first-token", "one stream at a time: from the question to the first text", firstCases},
		{"pace", "streams with gaps between their tokens: what is added to each token's way", paceCases},
		{"frozen-reader", "a reader that stops in the middle: memory, processor, and the way out", frozenCases},
		{"sessions", "streams that are open at once: memory of each, and every text whole", sessionCases},
	}
}

// pick returns the first of two, or the second of a short run.
func pick[T any](short bool, full, brief T) T {
	if short {
		return brief
	}
	return full
}

func floodCases(short bool) []Case {
	var cases []Case
	for _, n := range pick(short, []int{2_000, 20_000, 200_000}, []int{200}) {
		cases = append(cases, Case{
			Name: fmt.Sprintf("%d tokens", n), Script: Answer(n, 0, 0),
			Measure: func(ctx context.Context, t Trial) ([]Sample, error) { return flood(ctx, t, n) },
		})
	}
	return cases
}

// flood reads so many answers that the clock of the processor, which ticks in
// milliseconds on some systems, says something.
func flood(ctx context.Context, t Trial, n int) ([]Sample, error) {
	var sum Flow
	for sum.Tokens < min(20_000, 5*n) {
		f, err := ReadAll(ctx, t.Client, n)
		if err != nil {
			return nil, err
		}
		sum.Tokens += f.Tokens
		sum.Texts += f.Texts
		sum.CPU += f.CPU
		sum.Wall += f.Wall
		sum.Allocs += f.Allocs
		sum.Bytes += f.Bytes
	}
	tokens := float64(sum.Tokens)
	return []Sample{
		{Name: "per core", Unit: "tokens/s", Value: sum.PerCore()},
		{Name: "cpu", Unit: "ns/token", Less: true, Value: float64(sum.CPU) / tokens},
		{Name: "wall", Unit: "tokens/s", Value: tokens / sum.Wall.Seconds()},
		{Name: "allocs", Unit: "1/token", Less: true, Value: float64(sum.Allocs) / tokens},
		{Name: "bytes", Unit: "B/token", Less: true, Value: float64(sum.Bytes) / tokens},
	}, nil
}

func firstCases(short bool) []Case {
	answers := pick(short, 400, 3)
	return []Case{{
		Name: fmt.Sprintf("%d answers, the server takes no time", answers), Script: Answer(3, 0, 0),
		Measure: func(ctx context.Context, t Trial) ([]Sample, error) {
			times, before := NewTimes(), CPU()
			var by split
			for range answers {
				d, err := firstToken(ctx, t.Client, &by)
				if err != nil {
					return nil, err
				}
				times.Add(d)
			}
			cpu := CPU() - before
			return append([]Sample{
				times.sample("first"),
				{Name: "cpu", Unit: "µs/answer", Less: true, Value: float64(cpu) / float64(time.Microsecond) / float64(answers)},
			}, by.samples()...), nil
		},
	}}
}

func paceCases(short bool) []Case {
	type size struct {
		streams, tokens int
		gap             time.Duration
	}
	var cases []Case
	for _, s := range pick(short,
		[]size{{1, 1000, 2 * time.Millisecond}, {64, 500, 2 * time.Millisecond}, {1000, 200, 20 * time.Millisecond}},
		[]size{{2, 10, time.Millisecond}}) {
		cases = append(cases, Case{
			Name:   fmt.Sprintf("%d streams, %v between tokens", s.streams, s.gap),
			Script: Answer(s.tokens, s.gap, s.gap), Server: sim.Config{Stamp: true}, Streams: s.streams,
			Subjects: []string{"floor", "adapter", "weir", "channels", "openai-go"},
			Measure: func(ctx context.Context, t Trial) ([]Sample, error) {
				return Pace{s.streams, s.tokens, s.gap}.measure(ctx, t)
			},
		})
	}
	return cases
}

func frozenCases(short bool) []Case {
	n := pick(short, 1_000_000, 2_000)
	settle, watch := pick(short, 300*time.Millisecond, time.Millisecond), pick(short, 300*time.Millisecond, time.Millisecond)
	var cases []Case
	for _, percent := range []int{5, 95} {
		cases = append(cases, Case{
			Name: fmt.Sprintf("%d MB, stops at %d %%", n*len(word)/1_000_000, percent), Script: Answer(n, 0, 0),
			Subjects: []string{"floor", "weir", "channels", "unbounded", "bounded"},
			Measure: func(ctx context.Context, t Trial) ([]Sample, error) {
				f, err := FrozenReader(ctx, t.Client, n, n*percent/100, settle, watch)
				return []Sample{
					{Name: "heap", Unit: "MiB", Less: true, Value: float64(f.Heap) / (1 << 20)},
					{Name: "cpu", Unit: "cores", Less: true, Value: f.Cores},
					{Name: "leave", Unit: "ms", Less: true, Value: float64(f.Leave) / float64(time.Millisecond)},
				}, err
			},
		})
	}
	return cases
}

func sessionCases(short bool) []Case {
	var cases []Case
	for _, n := range pick(short, []int{1, 100, 1000}, []int{3}) {
		cases = append(cases, Case{
			Name: fmt.Sprintf("%d at once", n), Script: halfway, Streams: n,
			Subjects: []string{"floor", "adapter", "weir", "channels", "unbounded", "openai-go"},
			Measure:  func(ctx context.Context, t Trial) ([]Sample, error) { return crowd(ctx, t, n) },
		})
	}
	return cases
}
