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
		{"flood", "streams without gaps: what a token costs, and whether that grows with the answer", floodCases, nil, gapless},
		{"first-token", "from the question to the first text: one stream at a time, and questions at fixed moments", firstCases, firstRemote, ""},
		{"pace", "streams with gaps between their tokens: what is added to each token's way", paceCases, paceRemote, ""},
		{"frozen-reader", "a reader that stops in the middle: memory, processor, and the way out", frozenCases, nil, gapless},
		{"slow-reader", "a reader slower than the model: memory, how far the server runs ahead, and the way out", slowCases, nil, gapless},
		{"flapping-reader", "a reader that reads and rests by turns", flappingCases, nil, gapless},
		{"tools", "turns with calls: side by side, out of order, with large results, and eager", toolCases, nil, scripted},
		{"cancel", "from a cancel at any point until nothing runs any more", cancelCases, cancelRemote, ""},
		{"sessions", "sessions and streams that are open at once: memory and cost of each, every text whole, and whether each gets its share", sessionCases, nil, scripted},
		{"long-session", "one session of thousands of turns: whether a turn gets dearer", longCases, nil, scripted},
	}
}

// Why a scenario cannot be measured at an endpoint.
const (
	gapless  = "a server that sends without gaps"
	scripted = "a server that plays a script"
)

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
	server, err := t.serverCost(ctx, "ns/token", time.Nanosecond)
	if err != nil {
		return nil, err
	}
	for sum.Tokens < min(20_000, 5*n) {
		f, err := readAll(ctx, t.Client, n, t.Plot)
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
	cost, err := server(tokens)
	return append([]Sample{
		{Name: "per core", Unit: "tokens/s", Value: sum.PerCore()},
		{Name: "cpu", Unit: "ns/token", Less: true, Value: float64(sum.CPU) / tokens},
		{Name: "wall", Unit: "tokens/s", Value: tokens / sum.Wall.Seconds()},
		{Name: "allocs", Unit: "1/token", Less: true, Value: float64(sum.Allocs) / tokens},
		{Name: "bytes", Unit: "B/token", Less: true, Value: float64(sum.Bytes) / tokens},
	}, cost...), err
}

func firstCases(short bool) []Case {
	answers := pick(short, 400, 3)
	rate := pick(short, 200.0, 1000)
	return []Case{
		{
			Name: fmt.Sprintf("%d answers, the server takes no time", answers), Script: Answer(3, 0, 0),
			Measure: func(ctx context.Context, t Trial) ([]Sample, error) { return closed(ctx, t, answers) },
		},
		{
			Name:   fmt.Sprintf("open loop: %d answers, %g a second, 20 tokens 2ms apart", answers, rate),
			Script: Answer(20, 2*time.Millisecond, 2*time.Millisecond), Streams: answers,
			Measure: func(ctx context.Context, t Trial) ([]Sample, error) { return arrivals(ctx, t, answers, rate) },
		},
	}
}

func firstRemote(e Endpoint, short bool) []Case {
	n := pick(short, e.Requests, min(2, e.Requests))
	return []Case{
		{
			Name: fmt.Sprintf("%d answers, one after the other", n), Subjects: payable, Questions: n,
			Measure: func(ctx context.Context, t Trial) ([]Sample, error) { return closed(ctx, t, n) },
		},
		{
			Name: fmt.Sprintf("open loop: %d answers, %g a second", n, e.Rate), Streams: n, Subjects: payable, Questions: n,
			Measure: func(ctx context.Context, t Trial) ([]Sample, error) { return arrivals(ctx, t, n, e.Rate) },
		},
	}
}

// payable are the subjects that are worth a real server's tokens.
var payable = []string{"floor", "adapter", "weir", "openai-go"}

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
			Measure: Pace{s.streams, s.tokens, s.gap}.measure,
		})
	}
	return cases
}

func paceRemote(e Endpoint, _ bool) []Case {
	var cases []Case
	for _, n := range e.Streams {
		cases = append(cases, Case{
			Name: fmt.Sprintf("%d streams", n), Streams: n, Subjects: payable, Questions: n, Measure: Pace{Streams: n}.measure,
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
			Subjects: reluctantSubjects,
			Measure: func(ctx context.Context, t Trial) ([]Sample, error) {
				return freeze(ctx, t, n, n*percent/100, settle, watch)
			},
		})
	}
	return cases
}

func freeze(ctx context.Context, t Trial, n, at int, settle, watch time.Duration) ([]Sample, error) {
	s, err := t.Client.Session()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	f, err := frozen(ctx, t.Client, s, t.Server, n, at, settle, watch)
	t.Plot.stalled(s)
	return []Sample{
		{Name: "heap", Unit: "MiB", Less: true, Value: float64(f.Heap) / (1 << 20)},
		{Name: "cpu", Unit: "cores", Less: true, Value: f.Cores},
		{Name: "server felt it", Unit: "ms", Less: true, Value: ms(f.Felt)},
		{Name: "server ahead", Unit: "tokens", Less: true, Value: f.Ahead},
		{Name: "leave", Unit: "ms", Less: true, Value: ms(f.Leave)},
	}, err
}

// reluctantSubjects are those whose stages a slow reader can be told by.
var reluctantSubjects = []string{"floor", "weir", "channels", "unbounded", "bounded"}

func slowCases(short bool) []Case {
	n, rate := pick(short, 200_000, 1_000), pick(short, 100_000, 50_000)
	return []Case{{
		Name: fmt.Sprintf("%d tokens, read at %d a second", n, rate), Script: Answer(n, 0, 0),
		Subjects: reluctantSubjects, Measure: reluctant{tokens: n, drag: slowly(rate)}.measure,
	}}
}

func flappingCases(short bool) []Case {
	n := pick(short, 500_000, 2_000)
	on, off := pick(short, 20*time.Millisecond, time.Millisecond), pick(short, 80*time.Millisecond, time.Millisecond)
	return []Case{{
		Name: fmt.Sprintf("%d tokens, read for %v of every %v", n, on, on+off), Script: Answer(n, 0, 0),
		Subjects: reluctantSubjects, Measure: reluctant{tokens: n, drag: flapping(on, off)}.measure,
	}}
}
