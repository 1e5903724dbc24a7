package bench

import (
	"context"
	"time"

	"github.com/weir-agents/weir/provider"
)

// depth is how much stands between two stages of the bounded baselines: weir's
// own default window.
const depth = 64

// told is what the last stage of a baseline makes of a delta.
type told struct {
	seq  uint64
	at   time.Time
	text string
}

// channels is the adapter and weir's stages as goroutines with plain channels:
// one reads, one keeps the message, one stamps, and the caller takes. It has
// neither turns, limits in bytes, nor a cancel that waits.
type channels struct{ *adapter }

func openChannels(src Source) (Client, error) {
	c, err := openAdapter(src)
	if err != nil {
		return nil, err
	}
	return channels{c.(*adapter)}, nil
}

func (c channels) Session() (Session, error) { return stateless(c.read), nil }

func (c channels) read(ctx context.Context, question string, take func(string) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	read := make(chan provider.Delta, depth)
	kept := make(chan provider.Delta, depth)
	out := make(chan told, depth)
	failed := make(chan error, 1)
	go func() { // ends with the stream or ctx
		defer close(read)
		failed <- c.stream(ctx, question, read)
	}()
	go keep(ctx, read, kept)
	go stamp(ctx, kept, out)
	for t := range out {
		if !take(t.text) {
			return nil
		}
	}
	return <-failed
}

func (c channels) stream(ctx context.Context, question string, to chan<- provider.Delta) error {
	for d, err := range c.model.Stream(ctx, asked(c.source.modelName(), question)) {
		if err != nil {
			return err
		}
		if !pass(ctx, to, d) {
			return ctx.Err()
		}
	}
	return nil
}

// keep puts the message together. Ends when from is closed, or with ctx.
func keep(ctx context.Context, from <-chan provider.Delta, to chan<- provider.Delta) {
	defer close(to)
	var message provider.Assembly
	for d := range from {
		message.Add(d)
		if !pass(ctx, to, d) {
			return
		}
	}
}

// stamp numbers what the reader gets. Ends when from is closed, or with ctx.
func stamp(ctx context.Context, from <-chan provider.Delta, to chan<- told) {
	defer close(to)
	seq := uint64(0)
	for d := range from {
		if d.Kind != provider.TextDelta {
			continue
		}
		seq++
		if !pass(ctx, to, told{seq, time.Now(), d.Text}) {
			return
		}
	}
}

func pass[T any](ctx context.Context, to chan<- T, v T) bool {
	select {
	case to <- v:
		return true
	case <-ctx.Done():
		return false
	}
}
