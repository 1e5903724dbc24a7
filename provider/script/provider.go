package script

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/weir-agents/weir/provider"
)

// requestsMax is how many requests a provider remembers, and how many different
// ones it counts attempts of; the oldest are forgotten first.
const requestsMax = 10_000

// Provider plays a script. It is safe for several goroutines at once.
type Provider struct {
	script Script

	mu       sync.Mutex
	gates    map[string]*gate
	next     int // of BySequence
	attempts map[[sha256.Size]byte]int
	counted  [][sha256.Size]byte // the keys of attempts, oldest first
	requests []provider.Request
}

// gate is a named place to wait at.
type gate struct{ opened, reached chan struct{} }

// New returns a provider that plays s. It panics if [Script.Check] finds fault
// with s; [Parse] has checked what it returns.
func New(s Script) *Provider {
	if err := s.Check(); err != nil {
		panic(err.Error())
	}
	return &Provider{script: s, gates: map[string]*gate{}, attempts: map[[sha256.Size]byte]int{}}
}

// Models returns the names in the script.
func (p *Provider) Models(context.Context) ([]string, error) {
	if len(p.script.Models) == 0 {
		return []string{"script"}, nil
	}
	return slices.Clone(p.script.Models), nil
}

// Requests returns the requests streamed so far, at most the last 10,000.
func (p *Provider) Requests() []provider.Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

func (p *Provider) record(req provider.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.requests) >= requestsMax {
		p.requests = slices.Delete(p.requests, 0, 1+requestsMax/10) // not one by one
	}
	p.requests = append(p.requests, req)
}

// Open lets the streams go on that wait at the gate, now and later. Opening it
// again does nothing.
func (p *Provider) Open(name string) {
	g := p.gate(name)
	p.mu.Lock()
	defer p.mu.Unlock()
	shut(g.opened)
}

// Reached returns a channel that is closed once a stream has come to the gate.
func (p *Provider) Reached(name string) <-chan struct{} { return p.gate(name).reached }

func (p *Provider) gate(name string) *gate {
	p.mu.Lock()
	defer p.mu.Unlock()
	g, ok := p.gates[name]
	if !ok {
		g = &gate{opened: make(chan struct{}), reached: make(chan struct{})}
		p.gates[name] = g
	}
	return g
}

// shut closes c unless it is closed. The caller holds the lock.
func shut(c chan struct{}) {
	select {
	case <-c:
	default:
		close(c)
	}
}

// Passes reports whether a stream would not wait for h now.
func (p *Provider) Passes(h Hold) bool {
	if h.Gate == "" {
		return false
	}
	select {
	case <-p.gate(h.Gate).opened:
		return true
	default:
		return false
	}
}

// Await waits as h says. It returns early with ctx's error.
func (p *Provider) Await(ctx context.Context, h Hold) error {
	if h.Gate != "" {
		g := p.gate(h.Gate)
		p.mu.Lock()
		shut(g.reached)
		p.mu.Unlock()
		select {
		case <-g.opened:
			return ctx.Err()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if h.For <= 0 {
		<-ctx.Done()
		return ctx.Err()
	}
	t := time.NewTimer(h.For)
	defer t.Stop()
	select {
	case <-t.C:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Choose returns the step that answers req, with its pacing resolved, and
// counts the request. Its error is a *provider.Error. A server that plays a
// script calls it once for each request; [Provider.Stream] does so itself.
func (p *Provider) Choose(req provider.Request) (Step, error) {
	n := answers(req)
	if p.script.Select == BySequence {
		p.mu.Lock()
		n = p.next
		p.next++
		p.mu.Unlock()
	}
	all := len(p.script.Steps)
	if n >= all {
		if p.script.Loop == "" || all == 0 {
			return Step{}, &provider.Error{
				Kind:    provider.ProviderError,
				Message: fmt.Sprintf("the script has no step %d, it ends after %d: add one or set \"loop\"", n+1, all),
			}
		}
		if p.script.Loop == LoopLast {
			n = all - 1
		}
		n %= all
	}
	s := p.script.Steps[n].within(Step{First: p.script.First, Gap: p.script.Gap, Split: p.script.Split})
	if k := len(s.Attempts); k > 0 {
		s = s.Attempts[min(p.attempt(n, req), k-1)].within(s)
	}
	if s.Func == nil {
		return s, nil
	}
	made := s.Func(req).within(s)
	if err := made.check(fmt.Sprintf("made for step %d", n+1)); err != nil {
		return Step{}, &provider.Error{Kind: provider.ProviderError, Message: err.Error()}
	}
	return made, nil
}

// within returns s with the pacing of outer where it has none of its own.
func (s Step) within(outer Step) Step {
	if s.First == 0 {
		s.First = outer.First
	}
	if s.Gap == 0 {
		s.Gap = outer.Gap
	}
	if s.Split == 0 {
		s.Split = outer.Split
	}
	return s
}

// attempt returns how often req's messages have been seen at step n before.
func (p *Provider) attempt(n int, req provider.Request) int {
	h := sha256.New()
	fmt.Fprintf(h, "%d\n", n)
	w := json.NewEncoder(h)
	for _, m := range req.Messages {
		_ = w.Encode(m) // what cannot be encoded (bad raw JSON) does not tell requests apart
	}
	key := [sha256.Size]byte(h.Sum(nil))
	p.mu.Lock()
	defer p.mu.Unlock()
	seen, known := p.attempts[key]
	if !known {
		if len(p.counted) >= requestsMax {
			delete(p.attempts, p.counted[0])
			p.counted = p.counted[1:]
		}
		p.counted = append(p.counted, key)
	}
	p.attempts[key] = seen + 1
	return seen
}
