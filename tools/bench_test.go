package tools

import (
	"os"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// benchFiles is the size of the tree that BenchmarkGrep searches; with -short
// a tenth of it.
const benchFiles = 50_000

// BenchmarkGrep searches a large tree four times, one after the other and at
// once. B/op is what they hold over their time, not at a time; that is told by
// the run which does both by turns, with the median of how they compare.
func BenchmarkGrep(b *testing.B) {
	dir, err := os.MkdirTemp(b.TempDir(), "tree")
	if err != nil {
		b.Fatal(err)
	}
	ws, err := OpenWorkspace(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer ws.Close()
	n := benchFiles
	if testing.Short() {
		n /= 10
	}
	plantTree(b, dir, n)
	tool := (&builtin{ws: ws}).grep()
	grep := func() {
		call := Call{Arguments: []byte(`{"pattern":"needle [0-9]*99$","limit":5000}`), Scope: NewScope()}
		if r := tool.Run(b.Context(), call); !r.OK() || !strings.Contains(r.Text, "match") {
			b.Error(r.Text)
		}
	}
	b.Run("series", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			inSeries(grep)
		}
	})
	b.Run("parallel", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			atOnce(grep)
		}
	})
	b.Run("ratio", func(b *testing.B) {
		var ratios []float64
		peak := uint64(0)
		for b.Loop() {
			series, inUse := measured(func() { inSeries(grep) })
			parallel, more := measured(func() { atOnce(grep) })
			ratios = append(ratios, parallel.Seconds()/series.Seconds())
			peak = max(peak, inUse, more)
		}
		slices.Sort(ratios)
		b.ReportMetric(ratios[len(ratios)/2], "parallel/series")
		b.ReportMetric(float64(peak)/(1<<20), "peak-heap-MiB")
	})
}

func inSeries(grep func()) {
	for range 4 {
		grep()
	}
}

func atOnce(grep func()) {
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(grep)
	}
	wg.Wait()
}

// measured returns how long do takes, and the most bytes of the heap that were
// seen taken up meanwhile, garbage that has not been collected included.
func measured(do func()) (took time.Duration, peak uint64) {
	runtime.GC()
	done := make(chan struct{})
	begun := time.Now()
	go func() {
		defer close(done)
		do()
		took = time.Since(begun)
	}()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	for {
		metrics.Read(sample)
		peak = max(peak, sample[0].Value.Uint64())
		select {
		case <-done:
			return took, peak
		case <-tick.C:
		}
	}
}
