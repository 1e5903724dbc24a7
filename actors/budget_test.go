package actors

import (
	"testing"

	"github.com/weir-agents/weir/provider"
)

// What a hop may allocate. A hop that needs more than its budget is slower for
// every token of every session; one that needs less should have its budget cut.
func TestBudgetOfEachHop(t *testing.T) {
	busy := &later{}
	full, _ := boxOf(busy, 64)
	idle, _ := boxOf(here{}, 1)
	waiting, _ := boxOf(&later{}, 1)
	var batch, grant any = DeltaBatch{}, Grant{From: Streamer, Batches: 1, Bytes: 1}
	waiting.PostUserMessage(grant)
	window, refill := newWindow(64, 128<<10), newRefill(64, 128<<10)
	assembled, merged := newStepper(1), newStepper(16)
	batching := newBatcher(Ref{"t1", 1, 1}, Limits{}.Default())
	reader := newTaker()
	var post any = DeltaBatch{Ref: Ref{"t1", 1, 1}, Deltas: []provider.Delta{piece}, Bytes: len(piece.Text)}

	for _, hop := range []struct {
		name   string
		budget float64
		run    func()
	}{
		{"credit: a batch spent, passed and granted", 0, func() {
			window.Spend(100)
			if n, bytes := refill.Passed(100); n > 0 {
				window.Grant(n, bytes)
			}
		}},
		{"mailbox: 64 posts to an actor that runs, received", 1, func() { // the run itself
			for range 64 {
				full.PostUserMessage(batch)
			}
			busy.run()
		}},
		{"mailbox: a post that wakes its actor, received", 1, func() { idle.PostUserMessage(batch) }},
		{"mailbox: a grant summed with one that waits", 1, func() { waiting.PostUserMessage(grant) }},
		{"assembler: a batch of one delta", 0, assembled.step},
		{"assembler: a batch of 16 deltas", 0, merged.step},
		{"batcher: 16 deltas merged and taken", 5, func() { sixteen(batching) }},
		{"reporter: one delta stamped, handed over, granted", 2, func() { reader.post(post) }},
		{"resequencer: eight calls in reverse", 33, func() { reversed() }},
	} {
		if got := testing.AllocsPerRun(1000, hop.run); got > hop.budget {
			t.Errorf("%s: %v allocations, the budget is %v", hop.name, got, hop.budget)
		}
	}
}
