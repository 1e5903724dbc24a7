package tools

import "sync"

// Pending holds back what a call changes in its session while it is open
// whether the call counts. Its methods may be called from any goroutine.
type Pending struct {
	mu      sync.Mutex
	settled bool
	kept    bool
	effects []func()
}

// Keep does what was held back, in order: the call counts.
func (p *Pending) Keep() { p.settle(true) }

// Drop forgets what was held back: the call is void.
func (p *Pending) Drop() { p.settle(false) }

func (p *Pending) settle(keep bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.settled {
		return
	}
	p.settled, p.kept = true, keep
	for _, effect := range p.effects {
		if keep {
			effect()
		}
	}
	p.effects = nil
}

// Lasting does effect once the call counts. That is now, unless it began while
// the model still streamed; then it is when its message is complete, and never
// if the model asked for something else in the end. A ReadOnly tool must change
// state of its session in no other way. effect must not block.
func (c Call) Lasting(effect func()) {
	p := c.Pending
	if p == nil {
		effect()
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case !p.settled:
		p.effects = append(p.effects, effect)
	case p.kept:
		effect()
	}
}
