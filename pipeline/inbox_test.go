package pipeline

import (
	"testing"

	"github.com/weir-agents/weir/actors"
)

// A loop that is always one event behind keeps no more than its window: what it
// has taken does not pile up in front of what is to come.
func TestTheInboxForgetsWhatItsLoopHas(t *testing.T) {
	b := inbox{signal: make(chan struct{}, 1), limits: Limits{}.Default()}
	b.Take(actors.Batch{Events: []Event{TextDelta{}}})
	for range 10_000 {
		b.Take(actors.Batch{Events: []Event{TextDelta{}}})
		if _, ok, _ := b.pop(); !ok {
			t.Fatal("nothing to take")
		}
	}
	if n := cap(b.events); n > 64 {
		t.Errorf("room for %d events", n)
	}
}
