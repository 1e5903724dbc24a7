package bench

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// drag says how long a reader waits before it takes more: it has so many tokens,
// the time since it began.
type drag func(tokens int, since time.Duration) time.Duration

// slowly reads so many tokens a second.
func slowly(perSecond int) drag {
	return func(tokens int, since time.Duration) time.Duration {
		return time.Duration(tokens)*time.Second/time.Duration(perSecond) - since
	}
}

// flapping reads as fast as it can for on, and then nothing for off.
func flapping(on, off time.Duration) drag {
	return func(_ int, since time.Duration) time.Duration {
		if in := since % (on + off); in >= on {
			return on + off - in
		}
		return 0
	}
}

// lookTimes is how often in an answer a reluctant reader looks at the memory.
const lookTimes = 10

// reluctant is a reader that takes its time.
type reluctant struct {
	trial  Trial
	tokens int
	drag   drag

	begun   time.Time
	got     int           // bytes
	before  uint64        // heap
	heap    int64         // the most there was over that
	looking time.Duration // processor time of the looks
	ahead   []struct{ written, got int64 }
}

// measure reads one answer to its end, which must be whole, and leaves another
// one in its middle.
func (r reluctant) measure(ctx context.Context, t Trial) ([]Sample, error) {
	s, err := t.Client.Session()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	r.trial = t
	start, err := t.Server.mark(ctx)
	if err != nil {
		return nil, err
	}
	r.before = Heap()
	cpu := CPU()
	peak := watchMemory()
	r.begun = time.Now()
	begun := t.Tap.Clock.At(r.begun)
	err = s.Read(ctx, plain, func(text string) bool { return r.take(ctx, text, true) == nil })
	took := time.Since(r.begun)
	most := peak().most()
	cpu = CPU() - cpu - r.looking
	switch {
	case err != nil:
		return nil, err
	case r.got != r.tokens*len(word):
		return nil, fmt.Errorf("the answer has %d bytes, not %d", r.got, r.tokens*len(word))
	}
	t.Plot.stalled(s)
	end, err := t.Server.state(ctx)
	if err != nil {
		return nil, err
	}
	leave, err := r.leave(ctx)
	out := []Sample{
		{Name: "heap", Unit: "MiB", Less: true, Value: float64(r.heap) / (1 << 20)},
		{Name: "peak", Unit: "MiB", Less: true, Value: most},
		{Name: "cpu", Unit: "ns/token", Less: true, Value: float64(cpu) / float64(r.tokens)},
		{Name: "server ahead", Unit: "tokens", Less: true, Value: r.serverAhead(start, end)},
		{Name: "took", Unit: "ms", Less: true, Value: ms(took)},
		{Name: "server held", Unit: "%", Value: 100 * float64(end.Held) / float64(took)},
		{Name: "leave", Unit: "ms", Less: true, Value: ms(leave)},
	}
	if end.HeldAt != 0 { // else all of it fit into buffers
		felt := Sample{Name: "server felt it", Unit: "ms", Value: ms(time.Duration(end.HeldAt - begun))}
		out = slices.Insert(out, 3, felt)
	}
	return out, err
}

// take takes a piece, looks at the memory now and then, and waits.
func (r *reluctant) take(ctx context.Context, text string, look bool) error {
	step := r.tokens * len(word) / lookTimes
	due := r.got/step != (r.got+len(text))/step
	r.got += len(text)
	if due && look {
		if err := r.look(ctx); err != nil {
			return err
		}
	}
	if d := r.drag(r.got/len(word), time.Since(r.begun)); d > 0 {
		wait(ctx, d)
	}
	return nil
}

func (r *reluctant) look(ctx context.Context) error {
	cpu := CPU()
	defer func() { r.looking += CPU() - cpu }()
	s, err := r.trial.Server.state(ctx)
	if err != nil {
		return err
	}
	r.ahead = append(r.ahead, struct{ written, got int64 }{s.Written, int64(r.got)})
	r.heap = max(r.heap, int64(Heap())-int64(r.before))
	return nil
}

// serverAhead is how many tokens the server had written, at most, that the reader
// had not taken: they are in buffers, the kernel's included.
func (r *reluctant) serverAhead(start, end state) float64 {
	most, frame := 0.0, float64(end.Written-start.Written)/float64(r.tokens)
	for _, a := range r.ahead {
		most = max(most, float64(a.written-start.Written)/frame-float64(a.got)/float64(len(word)))
	}
	return most
}

// leave leaves an answer after a tenth of it, and returns how long that took.
func (r *reluctant) leave(ctx context.Context) (time.Duration, error) {
	s, err := r.trial.Client.Session() // a new one, which does not send the first answer back
	if err != nil {
		return 0, err
	}
	defer s.Close()
	r.got, r.begun = 0, time.Now()
	var left time.Time
	err = s.Read(ctx, plain, func(text string) bool {
		if r.take(ctx, text, false) != nil || r.got*10 > r.tokens*len(word) {
			left = time.Now()
			return false
		}
		return true
	})
	return time.Since(left), err
}
