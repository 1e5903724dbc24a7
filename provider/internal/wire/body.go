package wire

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/weir-agents/weir/provider"
)

const (
	// drainTime and drainBytes limit the reading after the end of an answer
	// that lets the connection be used again.
	drainTime  = 50 * time.Millisecond
	drainBytes = 64 << 10
	// settleTime is how long a stream is read after its finish reason.
	settleTime = 2 * time.Second
)

var (
	errIdle    = errors.New("no byte came for too long")
	errSettled = errors.New("the time after the finish reason is over")
)

// body is a response body whose reads are timed. One goroutine reads it.
type body struct {
	resp   *http.Response
	raw    io.ReadCloser
	plain  io.Reader // raw with its encoding undone
	cancel context.CancelCauseFunc
	detach func() bool // from then on the caller's context does not end it
	drains *drains
	idle   time.Duration
	first  time.Time // until then the first byte has to come; zero once it has
	until  time.Time // no read lasts longer; zero is no limit
	alarm  alarm
	failed error
	eof    bool
}

// newBody times the body of resp: its first byte has until first, however
// early its head came, since a server may send that before it has read a long
// prompt; after it no read lasts longer than idle.
func newBody(resp *http.Response, cancel context.CancelCauseFunc, first time.Time, idle time.Duration) *body {
	b := &body{
		resp: resp, raw: resp.Body, cancel: cancel, first: first, idle: idle,
		detach: func() bool { return true }, drains: &drains{},
		alarm: alarm{ring: func() { cancel(errIdle) }, from: time.Now()},
	}
	b.plain = timed{b}
	switch encoding := strings.ToLower(strings.TrimSpace(resp.Header.Get("Content-Encoding"))); encoding {
	case "", "identity":
	case "gzip", "x-gzip":
		b.plain = &unzipped{from: b.plain}
	default:
		b.plain = unreadable(encoding)
	}
	return b
}

// unreadable is a body in an encoding that nobody asked for.
type unreadable string

func (u unreadable) Read([]byte) (int, error) {
	return 0, &provider.Error{
		Kind:    provider.NotAStream,
		Message: fmt.Sprintf("the answer is encoded as %q, which was not asked for", string(u)),
	}
}

// Read reads the body with its encoding undone.
func (b *body) Read(p []byte) (int, error) { return b.plain.Read(p) }

// Close closes the connection unless the body was read to its end.
func (b *body) Close() error {
	b.alarm.stop()
	b.detach()
	err := b.raw.Close()
	b.cancel(nil)
	return err
}

// settle gives the body its last seconds: a finish reason has come.
func (b *body) settle() {
	if b.until.IsZero() {
		b.until = time.Now().Add(settleTime)
	}
}

// timed reads the bytes as they came and ends a read that lasts too long.
type timed struct{ b *body }

func (t timed) Read(p []byte) (int, error) {
	b := t.b
	if b.failed != nil {
		return 0, b.failed
	}
	wait, late := b.idle, errIdle
	if !b.first.IsZero() {
		wait, late = time.Until(b.first), errFirstByte
	}
	if !b.until.IsZero() {
		if left := time.Until(b.until); left < wait {
			wait, late = left, errSettled
		}
	}
	if wait <= 0 {
		b.failed = late
		return 0, late
	}
	b.alarm.set(wait)
	n, err := b.raw.Read(p)
	if b.alarm.off() { // it rang: the connection is gone
		b.failed = late
		if n > 0 {
			return n, nil
		}
		return 0, late
	}
	b.eof = err == io.EOF
	if n > 0 {
		b.first = time.Time{}
	}
	return n, err
}

// release gives the connection back without making anyone wait: what is left
// of the body is read in the background, at most drainBytes and drainTime. A
// caller that is done with its answer often ends its context at once; that is
// not to cost the connection.
func (b *body) release() {
	if b.eof || b.failed != nil || !b.detach() {
		_ = b.Close()
		return
	}
	b.drains.begin()
	// Ends after drainTime at the latest, or with the body.
	go func() {
		defer b.drains.end()
		late := time.AfterFunc(drainTime, func() { b.cancel(nil) })
		_, _ = io.CopyN(io.Discard, b.raw, drainBytes)
		late.Stop()
		_ = b.Close()
	}()
}

// drains counts the answers whose rest is being read.
type drains struct {
	mu    sync.Mutex
	open  int
	freed chan struct{} // closed and replaced whenever one has ended
}

// freshTime is how long a request waits for a connection that is being drained
// and so is all but free: less than a dial and a handshake take.
const freshTime = 2 * time.Millisecond

func (d *drains) begin() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open++
	if d.freed == nil {
		d.freed = make(chan struct{})
	}
}

func (d *drains) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open--
	close(d.freed)
	d.freed = make(chan struct{})
}

// wait waits until one of the drains that are under way has ended, at most
// freshTime; not at all if there is none.
func (d *drains) wait(ctx context.Context) {
	d.mu.Lock()
	open, freed := d.open, d.freed
	d.mu.Unlock()
	if open == 0 {
		return
	}
	late := time.NewTimer(freshTime)
	defer late.Stop()
	select {
	case <-freed:
	case <-late.C:
	case <-ctx.Done():
	}
}

// unzipped undoes gzip. The head is read with the first Read, since a server
// may send it late.
type unzipped struct {
	from io.Reader
	z    *gzip.Reader
}

func (u *unzipped) Read(p []byte) (int, error) {
	if u.z == nil {
		z, err := gzip.NewReader(u.from)
		if err != nil {
			return 0, err
		}
		u.z = z
	}
	return u.z.Read(p)
}
