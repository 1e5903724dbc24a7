package pipeline_test

import (
	"context"
	"iter"
	"strings"
	"testing"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider"
)

// brief is a model that keeps nothing of what it is asked.
type brief struct{}

func (brief) Stream(context.Context, provider.Request) iter.Seq2[provider.Delta, error] {
	return func(yield func(provider.Delta, error) bool) {
		_ = yield(provider.Delta{Kind: provider.TextDelta, Text: strings.Repeat("word ", 200)}, nil) &&
			yield(provider.Delta{Kind: provider.FinishDelta, Stop: provider.StopEnd}, nil)
	}
}

// TestTwoThousandTurnsLeaveTheHeapFlat talks for so long in a window that holds
// some of it: what 2,000 answers of 1 KiB would keep is four times what may stay.
func TestTwoThousandTurnsLeaveTheHeapFlat(t *testing.T) {
	s := open(t, brief{}, pipeline.Config{Compaction: pipeline.Compaction{ContextTokens: 8000}})
	var before uint64
	for turn := range 2000 {
		if turn == 200 {
			before = liveHeap()
		}
		if end := last(t, run(t, s, "go on")); end.Outcome != pipeline.Completed {
			t.Fatalf("turn %d ended as %+v", turn, end)
		}
	}
	if heap := liveHeap(); heap > before+512<<10 {
		t.Errorf("live heap is %d KiB over that of turn 200", (heap-before)>>10)
	}
}
