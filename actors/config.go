package actors

import (
	"context"

	"github.com/weir-agents/weir/journal"
	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/tools"
)

// Config is what a session is made of. Package pipeline documents the fields
// that an embedder sets.
type Config struct {
	ID       string
	Provider provider.Provider
	// Request holds what every request has in common: model, system prompt,
	// tool specs, vendor options.
	Request  provider.Request
	Tools    *tools.Registry
	Policy   tools.Policy
	Journal  journal.Journal
	Hooks    Hooks
	Limits   Limits // with its defaults set
	Deltas   DeltaMode
	Fallback []string
	// Compaction keeps the history inside the model's window; the zero value
	// leaves it alone.
	Compaction Compaction
	// Strict fails a step over a call whose arguments are malformed or invalid.
	Strict bool
	// Started is the first event of the session.
	Started SessionStarted
	// Ended is called once when the session's last actor has stopped.
	Ended func()
	// PanicOnRefusal makes a refused post panic where it was made. For tests.
	PanicOnRefusal bool
}

// Compaction says how much a model takes and who makes a history shorter.
type Compaction struct {
	// Window is how many tokens a request may have; 0: not known, nothing is
	// checked. At is the share of it at which a compaction is due.
	Window int
	At     float64
	// Compact returns a shorter history for req, whose Messages are the history,
	// and what that has used. Window is how much the model takes: less than the
	// field of that name if it has refused less. A corrected estimate is scale
	// times EstimateTokens. It runs in a goroutine of its own within
	// Limits.CompactTime and must end when ctx does. Nil: the history is never made shorter.
	Compact func(ctx context.Context, req provider.Request, window int, scale float64) ([]provider.Message, provider.Usage, error)
}

// Hooks are the points where an embedder comes in. Each runs in a goroutine of
// its own, within Limits.HookTime (BeforeCall and AfterCall within the time of
// their call), and is given up Limits.StopGrace later; nil ones cost nothing.
type Hooks struct {
	// BeforeStep may change the request of a step: reminders, compaction. What
	// it changes goes to the model only, not into the history. An error fails
	// the turn.
	BeforeStep func(ctx context.Context, req *provider.Request) error
	// BeforeCall may answer a call in the tool's place, by a Result; nil lets it run.
	BeforeCall func(ctx context.Context, call tools.Call) *tools.Result
	// AfterCall may change what the model gets.
	AfterCall func(ctx context.Context, call tools.Call, result tools.Result) tools.Result
	// AfterTurn is told of every turn that has ended.
	AfterTurn func(ctx context.Context, ended TurnEnded)
}
