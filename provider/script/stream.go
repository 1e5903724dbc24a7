package script

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/weir-agents/weir/provider"
)

// Stream plays the step that answers req as an adapter would bring it,
// [provider.Delta.More] included. It makes nothing up to be read ahead of the
// loop body: while the body runs the script stands still.
func (p *Provider) Stream(ctx context.Context, req provider.Request) iter.Seq2[provider.Delta, error] {
	return func(yield func(provider.Delta, error) bool) {
		p.record(req)
		step, err := p.Choose(req)
		if err != nil {
			yield(provider.Delta{}, err)
			return
		}
		if req.NoStream {
			p.blocking(ctx, step, req, yield)
			return
		}
		out := teller{yield: yield}
		err = p.perform(ctx, step, req, out.tell, out.pause)
		if errors.Is(err, errLeft) {
			return
		}
		if out.pause() && err != nil {
			yield(provider.Delta{}, err)
		}
	}
}

// errLeft says that the reader has left the loop.
var errLeft = errors.New("the reader has left")

// teller yields deltas one late, so that it can say whether more follow.
type teller struct {
	yield func(provider.Delta, error) bool
	late  provider.Delta
	held  bool
}

// tell takes d and yields the delta before it, which has More.
func (t *teller) tell(d provider.Delta) bool {
	ok := true
	if t.held {
		t.late.More = true
		ok = t.yield(t.late, nil)
	}
	t.late, t.held = d, ok
	return ok
}

// pause yields what is held, since a wait or an end follows.
func (t *teller) pause() bool {
	if !t.held {
		return true
	}
	t.held = false
	return t.yield(t.late, nil)
}

// blocking waits out the whole step and yields it a block at a time.
func (p *Provider) blocking(ctx context.Context, step Step, req provider.Request, yield func(provider.Delta, error) bool) {
	var whole provider.Assembly
	add := func(d provider.Delta) bool { whole.Add(d); return true }
	if err := p.perform(ctx, step, req, add, func() bool { return true }); err != nil {
		yield(provider.Delta{}, err)
		return
	}
	stop, usage := whole.Stop(), whole.Usage()
	for d := range provider.Deltas(whole.Message()) {
		if !yield(d, nil) {
			return
		}
	}
	yield(provider.Delta{Kind: provider.FinishDelta, Stop: stop, Usage: usage}, nil)
}

// perform turns the acts of step into deltas for tell, and calls pause before
// each wait. It returns nil after the finish, else a *provider.Error, ctx's
// error, or errLeft when tell or pause returned false.
func (p *Provider) perform(ctx context.Context, step Step, req provider.Request, tell func(provider.Delta) bool, pause func() bool) error {
	f := folder{req: req}
	for a := range step.Acts(req) {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch a.Kind {
		case ActHold:
			if p.Passes(a.Hold) {
				continue
			}
			if !pause() {
				return errLeft
			}
			if err := p.await(ctx, a.Hold, f.began); err != nil {
				return err
			}
		case ActFault:
			if a.Fault.Kind == Panic {
				panic("script: the script says panic")
			}
			return a.Fault.failure(f.began, time.Now())
		default:
			for _, d := range f.fold(a) {
				if !tell(d) {
					return errLeft
				}
			}
			if f.err != nil {
				return f.err
			}
		}
	}
	return nil
}

// await waits as h says; a stall beyond the idle timeout is an error.
func (p *Provider) await(ctx context.Context, h Hold, began bool) error {
	limit := p.script.IdleTimeout
	if !h.Stall || limit <= 0 || h.For > 0 && h.For <= limit {
		return p.Await(ctx, h)
	}
	if err := p.Await(ctx, Hold{For: limit}); err != nil {
		return err
	}
	return timedOut(began, limit)
}
