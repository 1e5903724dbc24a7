package bench_test

import (
	"slices"
	"testing"
	"time"

	"github.com/weir-agents/weir/bench"
	"github.com/weir-agents/weir/provider/script"
	"github.com/weir-agents/weir/provider/sim"
)

// BenchmarkFirstToken is the time from a question to the first text of its
// answer, where the model takes none: from a script in this process, and from a
// server over loopback HTTP.
func BenchmarkFirstToken(b *testing.B) {
	src := bench.Answer(3, 0, 0)
	answer, err := script.Parse([]byte(src))
	if err != nil {
		b.Fatal(err)
	}
	u := start(b, src, sim.Config{})
	for from, source := range map[string]bench.Source{
		"script": {Provider: script.New(answer)},
		"http":   {URL: u.URL, Transport: bench.Transport(1)},
	} {
		for _, s := range bench.Subjects() {
			if s.Raw && source.Provider != nil {
				continue
			}
			b.Run(from+"/"+s.Name, func(b *testing.B) { untilFirst(b, open(b, s, source)) })
		}
	}
}

func untilFirst(b *testing.B, c bench.Client) {
	var all []time.Duration
	for b.Loop() {
		d, err := bench.FirstToken(b.Context(), c)
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, d)
	}
	slices.Sort(all)
	b.ReportMetric(float64(all[len(all)/2])/float64(time.Microsecond), "p50-µs")
}

// BenchmarkBackpressure is what a reader costs that has stopped in the middle of
// an answer, beside a twin of plain channels and one of unbounded mailboxes.
func BenchmarkBackpressure(b *testing.B) {
	const tokens = 1_000_000 // far more than the kernel's buffers hold
	src := bench.Answer(tokens, 0, 0)
	answer, err := script.Parse([]byte(src))
	if err != nil {
		b.Fatal(err)
	}
	u := start(b, src, sim.Config{})
	for from, source := range map[string]bench.Source{
		"script": {Provider: script.New(answer)},
		"http":   {URL: u.URL, Transport: bench.Transport(1)},
	} {
		for _, s := range bench.Subjects() {
			if s.Raw || s.Name == "adapter" {
				continue
			}
			b.Run(from+"/"+s.Name, func(b *testing.B) { frozenReader(b, open(b, s, source), tokens) })
		}
	}
}

func frozenReader(b *testing.B, c bench.Client, tokens int) {
	var sum bench.Frozen
	for b.Loop() {
		f, err := bench.FrozenReader(b.Context(), c, nil, tokens, tokens/20, 300*time.Millisecond, 200*time.Millisecond)
		if err != nil {
			b.Fatal(err)
		}
		sum.Heap += f.Heap
		sum.Cores += f.Cores
		sum.Leave += f.Leave
	}
	n := float64(b.N)
	b.ReportMetric(float64(sum.Heap)/n/(1<<20), "heap-MiB")
	b.ReportMetric(sum.Cores/n, "frozen-cores")
	b.ReportMetric(float64(sum.Leave)/n/float64(time.Millisecond), "leave-ms")
}
