package actors

// PURE: no clock, no goroutine, no lock, no I/O in this file.

import "fmt"

// Window is the sender's side of a hop: how much it may still send. Both counts
// must be positive to send; a batch may overdraw the bytes once, so that a
// batch larger than the window passes alone (I2).
type Window struct {
	batches, bytes       int
	batchesMax, bytesMax int
}

// newWindow returns a full window.
func newWindow(batches, bytes int) Window {
	return Window{batches, bytes, batches, bytes}
}

// Spend takes one batch of size bytes and reports whether there was credit.
func (w *Window) Spend(size int) bool {
	if !w.Open() {
		return false
	}
	w.batches--
	w.bytes -= size
	return true
}

// Open reports whether a batch may be sent.
func (w *Window) Open() bool { return w.batches > 0 && w.bytes > 0 }

// Full reports whether everything sent has been granted back.
func (w *Window) Full() bool { return w.batches == w.batchesMax && w.bytes == w.bytesMax }

// Grant gives credit back. More than was spent is a bug of ours.
func (w *Window) Grant(batches, bytes int) {
	w.batches += batches
	w.bytes += bytes
	if batches < 0 || bytes < 0 || w.batches > w.batchesMax || w.bytes > w.bytesMax {
		panic(fmt.Sprintf("actors: credit: a grant of %d batches and %d bytes overfills the window to %d of %d and %d of %d",
			batches, bytes, w.batches, w.batchesMax, w.bytes, w.bytesMax))
	}
}

// Refill is the receiver's side of a hop: what it has passed on and not yet
// granted back. It grants in halves, since a grant for every batch would cost a
// message each, and everything at once when nothing is left to come.
type Refill struct {
	batches, bytes int
	batchesHalf    int
	bytesHalf      int
}

func newRefill(batches, bytes int) Refill {
	return Refill{batchesHalf: max(1, batches/2), bytesHalf: max(1, bytes/2)}
}

// Passed notes that a batch has been passed on, and returns what to grant now;
// zeros mean not yet.
func (r *Refill) Passed(size int) (batches, bytes int) {
	r.batches++
	r.bytes += size
	if r.batches < r.batchesHalf && r.bytes < r.bytesHalf {
		return 0, 0
	}
	return r.Flush()
}

// Flush returns all that is still to be granted.
func (r *Refill) Flush() (batches, bytes int) {
	batches, bytes = r.batches, r.bytes
	r.batches, r.bytes = 0, 0
	return batches, bytes
}
