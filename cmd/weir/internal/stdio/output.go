package stdio

import (
	"bytes"
	"context"
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
// cancel only as long as the reader reads at all. Nothing is buffered, but for
// one piece of an aside in a hurry. It is safe for several goroutines at once.
type Output struct {
	w      io.Writer
	aside  bool
	pieces chan []byte
	done   chan error
	last   atomic.Int64 // when the reader last took something, in nanoseconds since began
	began  time.Time

	writing sync.Mutex
	dead    error // under writing: every write fails with it
	pending bool  // under writing: a piece of an aside is on its way

	mu    sync.Mutex
	hurry chan struct{} // closed while hurrying
	since time.Time     // of the hurry
}

// NewOutput returns an output on w. Its goroutine ends with [Output.Close], or
// with the process if a write never returns.
func NewOutput(w io.Writer) *Output { return newOutput(w, false) }

// NewAside returns an output for what is said beside an answer: where it cannot
// be written it is dropped without an error, and in a hurry a write does not
// wait for its reader, so that two readers that are stuck take one patience;
// [Output.Flush] does.
func NewAside(w io.Writer) *Output { return newOutput(w, true) }

func newOutput(w io.Writer, aside bool) *Output {
	o := &Output{
		w: w, aside: aside, pieces: make(chan []byte), done: make(chan error, 1), hurry: make(chan struct{}), began: time.Now(),
	}
	go o.drain()
	return o
}

func (o *Output) drain() {
	for p := range o.pieces {
		var err error
		for len(p) > 0 && err == nil {
			var n int
			n, err = o.w.Write(p[:min(len(p), pieceBytes)])
			o.took()
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
	if o.settle(); o.dead == nil && len(p) > 0 {
		piece := p
		if o.aside {
			piece = bytes.Clone(p) // it may be on its way for longer
		}
		o.took()
		o.pieces <- piece
		o.pending = true
		o.wait(o.aside)
	}
	if o.dead != nil && !o.aside {
		return 0, o.dead
	}
	return len(p), nil
}

// Flush ends the output at the end of the program: it waits for what a write
// has left on its way, as after [Output.Hurry].
func (o *Output) Flush() {
	o.Hurry()
	o.writing.Lock()
	defer o.writing.Unlock()
	o.settle()
}

// settle waits for the piece that a write has left on its way.
func (o *Output) settle() {
	if o.pending && o.dead == nil {
		o.wait(false)
	}
}

// wait returns when the piece on its way is written or given up; with leave
// also as soon as there is hurry.
func (o *Output) wait(leave bool) {
	hurry, _ := o.hurrying()
	if o.written(hurry) || leave {
		return
	}
	for {
		_, since := o.hurrying()
		if last := o.began.Add(time.Duration(o.last.Load())); last.After(since) {
			since = last
		}
		left := Patience - time.Since(since)
		ctx, cancel := context.WithTimeout(context.Background(), left)
		written := o.written(ctx.Done())
		cancel()
		if written {
			return
		}
		if left <= 0 {
			o.dead = ErrGaveUp
			return
		}
	}
}

// written reports whether the piece on its way is written, or failed, before stop.
func (o *Output) written(stop <-chan struct{}) bool {
	var err error
	select {
	case err = <-o.done:
	case <-stop:
		select { // both may be so
		case err = <-o.done:
		default:
			return false
		}
	}
	o.dead, o.pending = err, false
	return true
}

// took notes that the reader took something, or is offered something.
func (o *Output) took() { o.last.Store(int64(time.Since(o.began))) }

func (o *Output) hurrying() (hurry <-chan struct{}, since time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.hurry, o.since
}

// Hurry says that the turn was canceled: from now on a write, also one that is
// waiting, fails with [ErrGaveUp] when its reader reads nothing for [Patience].
func (o *Output) Hurry() {
	o.mu.Lock()
	defer o.mu.Unlock()
	select {
	case <-o.hurry:
	default:
		o.since = time.Now()
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
