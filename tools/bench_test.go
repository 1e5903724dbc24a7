package tools

import (
	"os"
	"strings"
	"sync"
	"testing"
)

// benchFiles is the size of the tree that BenchmarkGrep searches; with -short
// a tenth of it.
const benchFiles = 50_000

// BenchmarkGrep searches a large tree four times, one after the other and at
// once. B/op is what they hold over their time, not at a time.
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
			for range 4 {
				grep()
			}
		}
	})
	b.Run("parallel", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(grep)
			}
			wg.Wait()
		}
	})
}
