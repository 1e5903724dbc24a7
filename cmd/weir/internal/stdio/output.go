package stdio

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// pieceBytes is the most that goes out in one write, so that a reader that
	// reads slowly is told from one that does not read.
	pieceBytes = 16 << 10
	// Patience is how long a reader may read nothing after a cancel.
	Patience = time.Second
)

// ErrGaveUp is returned by writes after the reader of the stream read nothing
// for [Patience] after [Output.Hurry].
var ErrGaveUp = errors.New("the reader has stopped reading")

// Output writes to a stream that somebody reads. A write lasts as long as the
// reader takes, which is how a slow reader slows a turn down; but after a
// cancel only as long as the reader reads at all. Nothing is buffered. It is
// safe for several goroutines at once.
type Output struct {
	w        io.Writer
	pieces   chan []byte
	done     chan error
	progress atomic.Int64

	writing sync.Mutex
	dead    error // under writing: every write fails with it

	mu    sync.Mutex
	hurry chan struct{} // closed while hurrying
}

// NewOutput returns an output on w. Its goroutine ends with [Output.Close], or
// with the process if a write never returns.
func NewOutput(w io.Writer) *Output {
	o := &Output{w: w, pieces: make(chan []byte), done: make(chan error, 1), hurry: make(chan struct{})}
	go o.drain()
	return o
}

func (o *Output) drain() {
	for p := range o.pieces {
		var err error
		for len(p) > 0 && err == nil {
			var n int
			n, err = o.w.Write(p[:min(len(p), pieceBytes)])
			o.progress.Add(int64(n))
			p = p[n:]
		}
		o.done <- err
	}
}

// Write writes p, which must not be changed any more if the error is
// [ErrGaveUp]. After an error every further write returns the same.
func (o *Output) Write(p []byte) (int, error) {
	o.writing.Lock()
	defer o.writing.Unlock()
	if o.dead != nil || len(p) == 0 {
		return 0, o.dead
	}
	o.pieces <- p
	o.dead = o.wait()
	if o.dead != nil {
		return 0, o.dead
	}
	return len(p), nil
}

// wait returns when the piece is written or given up.
func (o *Output) wait() error {
	select {
	case err := <-o.done:
		return err
	case <-o.hurrying():
	}
	t := time.NewTimer(Patience)
	defer t.Stop()
	for seen := o.progress.Load(); ; {
		select {
		case err := <-o.done:
			return err
		case <-t.C:
		}
		now := o.progress.Load()
		if now == seen {
			return ErrGaveUp
		}
		seen = now
		t.Reset(Patience)
	}
}

func (o *Output) hurrying() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.hurry
}

// Hurry says that the turn was canceled: from now on a write, also one that is
// waiting, fails with [ErrGaveUp] when its reader reads nothing for [Patience].
func (o *Output) Hurry() {
	o.mu.Lock()
	defer o.mu.Unlock()
	select {
	case <-o.hurry:
	default:
		close(o.hurry)
	}
}

// Relax takes Hurry back for the writes to come.
func (o *Output) Relax() {
	o.mu.Lock()
	defer o.mu.Unlock()
	select {
	case <-o.hurry:
		o.hurry = make(chan struct{})
	default:
	}
}

// Close ends the goroutine. No write may be running or follow.
func (o *Output) Close() { close(o.pieces) }
