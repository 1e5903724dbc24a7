package bench_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/weir-agents/weir/bench"
	"github.com/weir-agents/weir/provider/sim"
)

// The test binary is the simulated server where it is called as `weir bench serve`
// would be.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "bench" {
		os.Exit(bench.Run(context.Background(), os.Args[2:], bench.Host{Out: os.Stdout, Err: os.Stderr}))
	}
	os.Exit(m.Run())
}

// start starts a server in a process of its own.
func start(tb testing.TB, src string, cfg sim.Config) *bench.Upstream {
	tb.Helper()
	u, err := bench.Start([]string{os.Args[0], "bench", "serve"}, src, cfg)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := u.Close(); err != nil {
			tb.Error(err)
		}
	})
	return u
}

// open opens a subject's client.
func open(tb testing.TB, s bench.Subject, src bench.Source) bench.Client {
	tb.Helper()
	c, err := s.Open(src)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(c.Close)
	return c
}

// BenchmarkFlood is what a token costs each subject when they come without gaps.
func BenchmarkFlood(b *testing.B) {
	const tokens = 20_000
	u := start(b, bench.Answer(tokens, 0, 0), sim.Config{})
	for _, s := range bench.Subjects() {
		b.Run(s.Name, func(b *testing.B) {
			c := open(b, s, bench.Source{URL: u.URL, Transport: bench.Transport(1)})
			var sum bench.Flow
			for b.Loop() {
				f, err := bench.ReadAll(b.Context(), c, tokens)
				if err != nil {
					b.Fatal(err)
				}
				sum.Tokens += f.Tokens
				sum.Texts += f.Texts
				sum.CPU += f.CPU
				sum.Allocs += f.Allocs
				sum.Bytes += f.Bytes
			}
			n := float64(sum.Tokens)
			b.ReportMetric(sum.PerCore(), "tokens/cpu-s")
			b.ReportMetric(float64(sum.CPU)/n/float64(time.Nanosecond), "cpu-ns/token")
			b.ReportMetric(float64(sum.Allocs)/n, "allocs/token")
			b.ReportMetric(float64(sum.Bytes)/n, "B/token")
			b.ReportMetric(n/float64(sum.Texts), "tokens/text")
		})
	}
}
