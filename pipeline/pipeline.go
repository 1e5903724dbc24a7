// Package pipeline is the front door of weir: an embedder makes a [Pipeline]
// of a provider and a [Config], opens sessions, and ranges over what happens.
//
//	p, err := pipeline.New(provider, pipeline.Config{Tools: registry})
//	s, err := p.Open("")
//	for event, err := range s.Run(ctx, "what is in this folder?") { … }
//
// The range loop is the demand: a loop body that takes its time slows the
// model's socket down and fills no queue.
package pipeline

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/weir-agents/weir/actors"
	"github.com/weir-agents/weir/journal"
	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/tools"
)

// Config says how sessions work. The zero value is a plain conversation
// without tools.
type Config struct {
	// Model is passed to the provider; some need it.
	Model string
	// System is the system prompt.
	System string
	// Tools are what the model may call. Nil: none.
	Tools *tools.Registry
	// Policy decides what a call may do. Nil: reading is allowed, the rest denied.
	Policy tools.Policy
	// Limits bounds everything; zero fields are the defaults told there.
	Limits Limits
	// Journal keeps the facts of the session. Nil: none.
	Journal journal.Journal
	// Compaction keeps the conversation inside the model's window. Zero: before
	// a step that would fill 85 % of it.
	Compaction Compaction
	// Hooks are called at the insertion points.
	Hooks Hooks
	// ActorSystem is where the actors live. Nil: one that all pipelines without
	// their own share, made at first use (2.9 MB, 14 ms).
	ActorSystem *actor.ActorSystem
	// Deltas says which deltas the reader gets; text and thinking by default.
	Deltas DeltaMode
	// StrictArguments fails a step over a call with bad arguments instead of
	// telling the model.
	StrictArguments bool
	// Fallback models are tried in order when the attempts of a step are spent.
	Fallback []string
	// NoStream, MaxTokens, Temperature, Effort, Thinking and Extra go into every
	// request; see provider.Request.
	NoStream    bool
	MaxTokens   int
	Temperature *float64
	Effort      string
	Thinking    bool
	Extra       map[string]json.RawMessage
	// Version, ProviderName and Cwd are told in SessionStarted.
	Version, ProviderName, Cwd string
	// PanicOnRefusal makes a bug of ours in flow control panic at once instead
	// of failing the turn. For tests.
	PanicOnRefusal bool
}

// Pipeline makes sessions. Its methods may be called from any goroutine.
type Pipeline struct {
	provider provider.Provider
	config   Config
	system   *actor.ActorSystem

	mu       sync.Mutex
	sessions map[*Session]struct{}
	closed   bool
}

// New returns a Pipeline over p. It is cheap; errors are those of the config.
func New(p provider.Provider, c Config) (*Pipeline, error) {
	if p == nil {
		return nil, errors.New("pipeline: no provider given")
	}
	if c.Tools == nil {
		empty, err := tools.NewRegistry()
		if err != nil {
			return nil, fmt.Errorf("pipeline: make an empty registry: %w", err)
		}
		c.Tools = empty
	}
	c.Limits = c.Limits.Default()
	if err := c.Compaction.validate(); err != nil {
		return nil, fmt.Errorf("pipeline: %w", err)
	}
	if err := c.Limits.Validate(); err != nil {
		return nil, fmt.Errorf("pipeline: %w", err)
	}
	system := c.ActorSystem
	if system == nil {
		system = shared()
	}
	return &Pipeline{provider: p, config: c, system: system, sessions: map[*Session]struct{}{}}, nil
}

// shared is the process's own actor system: one costs 2.9 MB, so that one for
// each pipeline would be waste. Its log is silent: an embedder that wants
// protoactor's passes its own system.
var shared = sync.OnceValue(func() *actor.ActorSystem { return NewActorSystem() })

// NewActorSystem returns a system that logs nothing, with the settings weir
// wants. It costs 2.9 MB and 14 ms.
func NewActorSystem() *actor.ActorSystem {
	return actor.NewActorSystem(
		actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return slog.New(slog.DiscardHandler) }),
		// A dead letter starts a goroutine that sleeps for this long.
		actor.WithDeadLetterThrottleInterval(time.Millisecond),
	)
}

// Open starts a session; an empty id gets one made. It costs five actors,
// their supervisor and no goroutine: about what docs/PERFORMANCE.md says an idle
// session does.
func (p *Pipeline) Open(id string) (*Session, error) {
	if id == "" {
		id = "s-" + strings.ToLower(rand.Text()[:12])
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	s := newSession(p, id)
	pid, meter, err := actors.Spawn(p.system, p.sessionConfig(id, s))
	if err != nil {
		return nil, fmt.Errorf("open session %s: %w", id, err)
	}
	s.pid, s.meter = pid, meter
	p.sessions[s] = struct{}{}
	s.attach()
	return s, nil
}

func (p *Pipeline) sessionConfig(id string, s *Session) actors.Config {
	c := p.config
	return actors.Config{
		ID: id, Provider: p.provider, Tools: c.Tools, Policy: c.Policy, Journal: c.Journal, Hooks: c.Hooks,
		Limits: c.Limits, Deltas: c.Deltas, Fallback: c.Fallback, Strict: c.StrictArguments,
		PanicOnRefusal: c.PanicOnRefusal, Ended: s.ended,
		Compaction: c.Compaction.session(p.provider, c.Model),
		Request: provider.Request{
			Model: c.Model, System: c.System, Tools: specs(c.Tools), NoStream: c.NoStream, MaxTokens: c.MaxTokens,
			Temperature: c.Temperature, Effort: c.Effort, Thinking: c.Thinking, Extra: c.Extra,
		},
		Started: SessionStarted{
			Version: c.Version, Provider: c.ProviderName, Model: c.Model, Cwd: c.Cwd, Tools: c.Tools.Names(),
		},
	}
}

// specs tells the model about the tools.
func specs(r *tools.Registry) []provider.ToolSpec {
	var out []provider.ToolSpec
	for _, s := range r.Specs() {
		out = append(out, provider.ToolSpec{Name: s.Name, Description: s.Description, Schema: s.Schema})
	}
	return out
}

// Close closes all sessions and waits for them. The actor system lives on.
func (p *Pipeline) Close() {
	p.mu.Lock()
	p.closed = true
	open := make([]*Session, 0, len(p.sessions))
	for s := range p.sessions {
		open = append(open, s)
	}
	p.mu.Unlock()
	var wg sync.WaitGroup
	for _, s := range open {
		wg.Go(s.Close)
	}
	wg.Wait()
}

func (p *Pipeline) forget(s *Session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.sessions, s)
}
