package bench

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Frozen is what a reader costs that stops in the middle of an answer.
type Frozen struct {
	Heap  int64         // bytes of live heap over what there was before the answer
	Cores float64       // processor time by time, while nothing was read
	Leave time.Duration // until Read had returned when the reader left
	// Felt is when the server wrote its last byte after the reader had stopped,
	// and Ahead how many tokens it had written by then that the reader had not.
	Felt  time.Duration
	Ahead float64
}

// FrozenReader reads an answer of n tokens and stops at the token at: it waits
// for settle, looks at the heap, and counts processor time for watch. Then it
// reads on, and fails if a byte is missing. In a second answer it leaves there.
// A nil u has no server to look at.
func FrozenReader(ctx context.Context, c Client, u *Upstream, n, at int, settle, watch time.Duration) (Frozen, error) {
	s, err := c.Session()
	if err != nil {
		return Frozen{}, err
	}
	defer s.Close()
	return frozen(ctx, c, s, u, n, at, settle, watch)
}

func frozen(ctx context.Context, c Client, s Session, u *Upstream, n, at int, settle, watch time.Duration) (f Frozen, err error) {
	var start, stuck, end state
	if u != nil {
		if start, err = u.state(ctx); err != nil {
			return f, err
		}
	}
	var failed error
	got, before, stopped := 0, Heap(), 0
	err = s.Read(ctx, plain, func(text string) bool {
		stop := got/len(word) < at && (got+len(text))/len(word) >= at
		got += len(text)
		if !stop {
			return true
		}
		stopped = got / len(word)
		if u != nil {
			begun, last := time.Now(), time.Time{}
			last, stuck, failed = u.still(ctx, 10*settle+time.Second)
			f.Felt = last.Sub(begun)
		}
		wait(ctx, settle)
		f.Heap = int64(Heap()) - int64(before)
		cpu, begun := CPU(), time.Now()
		wait(ctx, watch)
		f.Cores = float64(CPU()-cpu) / float64(time.Since(begun))
		return true
	})
	if err = errors.Join(err, failed); err != nil {
		return f, err
	}
	if got != n*len(word) {
		return f, fmt.Errorf("after the reader went on %d bytes had come, not %d", got, n*len(word))
	}
	if u != nil {
		if end, err = u.state(ctx); err != nil {
			return f, err
		}
		frame := float64(end.Written-start.Written) / float64(n)
		f.Ahead = float64(stuck.Written-start.Written)/frame - float64(stopped)
	}
	f.Leave, err = leaveAt(ctx, c, at, settle)
	return f, err
}

// leaveAt leaves an answer at a token, in a session of its own, which does not
// send the answer before it back, and returns how long that took.
func leaveAt(ctx context.Context, c Client, at int, settle time.Duration) (time.Duration, error) {
	s, err := c.Session()
	if err != nil {
		return 0, err
	}
	defer s.Close()
	var left time.Time
	got := 0
	err = s.Read(ctx, plain, func(text string) bool {
		if got += len(text); got/len(word) < at {
			return true
		}
		wait(ctx, settle)
		left = time.Now()
		return false
	})
	return time.Since(left), err
}

// wait returns after d, or when ctx ends.
func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
