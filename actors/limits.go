package actors

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Limits bounds every queue, loop, wait and size of a session (I10). The zero
// value of a field means its default, given in its comment; a negative value
// is refused by Validate.
type Limits struct {
	// LineBytes is the longest line a model may send; beyond it the step fails
	// as too_large. Default 16 MiB. The provider is told by whoever makes it.
	LineBytes int
	// HopBatches and HopBytes are the window of each hop of the data plane: the
	// sender stops when either is spent. Defaults 64 and 128 KiB.
	HopBatches, HopBytes int
	// MessageBytes caps one assistant message; beyond it the step fails as
	// too_large, for good. Default 64 MiB.
	MessageBytes int
	// CallsMax caps the calls of one message; beyond it the step fails as
	// too_large. Default 128.
	CallsMax int
	// OutputBytes caps the result of one call; what is beyond is cut out of its
	// middle and the result says so. Default 256 KiB.
	OutputBytes int
	// LiveBytes caps what a call may have waiting to be shown live; beyond it
	// live output is dropped, the result stays whole. Default 16 KiB.
	LiveBytes int
	// ReaderWindow is how many events may be on their way to the controlling
	// reader. Default 64. 1 is lockstep: no tool runs before the reader has
	// taken the event before it.
	ReaderWindow int
	// ReaderPatience is how long the controlling reader may read nothing while
	// events wait for it; then the turn fails as reader_stalled. Default 0:
	// for ever, since a person may sit in a pager.
	ReaderPatience time.Duration
	// CancelRead is how long a reader may read nothing after a cancel; then the
	// rest of that turn is lost to it. Default 1 s.
	CancelRead time.Duration
	// Prompts is how many accepted prompts may wait; a further one is refused
	// as busy, and so is one while the ends of four times as many turns wait for
	// a reader, or as many events about prompts, or more text of either than
	// fits one prompt. PromptBytes caps one, with its attachments, and those that
	// wait have no more than twice that together. Defaults 16, 32 MiB.
	Prompts, PromptBytes int
	// Steps caps the model requests of a turn; calls asked for in the last one
	// are answered not_run and the outcome is limit (steps). Default 50.
	Steps int
	// Attempts caps the tries of one step. Default 4.
	Attempts int
	// RetryBase and RetryCap shape the wait before try n+1: a random part of
	// RetryBase·2ⁿ, at most RetryCap. Defaults 1 s and 30 s.
	RetryBase, RetryCap time.Duration
	// RetryAfterMax is the longest wait a server may ask for; beyond it the
	// step fails at once and says when to come back. Default 60 s.
	RetryAfterMax time.Duration
	// TurnTime ends a turn as limit (time); waiting for approval does not
	// count. Default 0: none.
	TurnTime time.Duration
	// Tokens ends a turn as limit (tokens) once its requests have used more.
	// Default 0: none.
	Tokens int
	// Cost ends a turn as limit (cost), in the unit of Pricing. Default 0: none.
	Cost float64
	// Pricing is the price of a token, for Cost.
	Pricing Pricing
	// Repeats ends a turn as limit (repeats) after so many steps in a row whose
	// calls and results were the same. Default 10.
	Repeats int
	// Failures ends a turn as limit (failures) after so many steps in a row in
	// which every call failed. Default 10.
	Failures int
	// Pauses is how often a turn is asked to go on after the model paused; then
	// limit (steps). Default 5.
	Pauses int
	// ParallelCalls caps how many read-only calls run side by side. Default 8.
	ParallelCalls int
	// CallTime ends a call that names no time of its own. Default 10 min, above
	// the cap of any built-in tool's own.
	CallTime time.Duration
	// ApprovalWait is how long a call may wait for consent; then it is denied
	// (timeout). Default 0: for ever.
	ApprovalWait time.Duration
	// StopGrace is how long what was told to stop may take to end: a call, a
	// model's stream, a hook. Then it is given up: a call is reported canceled,
	// with a result that says so; what a late one returns is dropped. Default 5 s.
	StopGrace time.Duration
	// HookTime ends the context of a hook that runs longer, and how long a policy
	// may take over one call, and the journal over one write. What has not ended
	// StopGrace later is given up: a hook before a step fails the turn, a call the
	// policy did not judge is not run, and nothing is saved any more. Default 60 s.
	HookTime time.Duration
	// CompactTime ends the context of a compaction that takes longer, which is
	// given up StopGrace later; the history stays as it was. Default 10 min.
	CompactTime time.Duration
	// Eager starts a permitted read-only call while the model still streams. What
	// it changes in the session waits until its message is complete; see
	// [tools.Call.Lasting]. Off by default.
	Eager bool
}

// Pricing is the price of one token of each kind.
type Pricing struct{ Input, Output, CacheRead, CacheWrite float64 }

// Default returns l with its zero fields set to their defaults.
func (l Limits) Default() Limits {
	set := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	wait := func(v *time.Duration, d time.Duration) {
		if *v == 0 {
			*v = d
		}
	}
	set(&l.LineBytes, 16<<20)
	set(&l.HopBatches, 64)
	set(&l.HopBytes, 128<<10)
	set(&l.MessageBytes, 64<<20)
	set(&l.CallsMax, 128)
	set(&l.OutputBytes, 256<<10)
	set(&l.LiveBytes, 16<<10)
	set(&l.ReaderWindow, 64)
	set(&l.Prompts, 16)
	set(&l.PromptBytes, 32<<20)
	set(&l.Steps, 50)
	set(&l.Attempts, 4)
	set(&l.Repeats, 10)
	set(&l.Failures, 10)
	set(&l.Pauses, 5)
	set(&l.ParallelCalls, 8)
	wait(&l.CancelRead, time.Second)
	wait(&l.RetryBase, time.Second)
	wait(&l.RetryCap, 30*time.Second)
	wait(&l.RetryAfterMax, time.Minute)
	wait(&l.CallTime, 10*time.Minute)
	wait(&l.StopGrace, 5*time.Second)
	wait(&l.HookTime, time.Minute)
	wait(&l.CompactTime, 10*time.Minute)
	return l
}

// idBytes is the longest id of a prompt; a longer one is refused.
const idBytes = 256

// callersMax is how many cancels, and how many stops, may wait for the end of
// one turn. A further one is answered at once, as one that finds its lane full.
const callersMax = 1024

// toldMax is how many events of the session's own (prompts queued and dropped,
// notices) may wait beyond their window; then no prompt and no compaction is
// taken. A cancel may add one for each prompt that waits.
func (l Limits) toldMax() int { return 4 * l.Prompts }

// endsMax is how many turns may have an end that no reader has taken; then no
// prompt is taken. What comes of a canceled turn needs no credit (I7), so
// nothing else bounds it.
func (l Limits) endsMax() int { return 4 * l.Prompts }

// queueBytes is how much the prompts that wait may have together; then no
// further one is taken.
func (l Limits) queueBytes() int { return 2 * l.PromptBytes }

// turnsBytes is how much text of such turns may wait; then no prompt is taken.
func (l Limits) turnsBytes() int { return l.PromptBytes + 4*l.HopBytes }

// recordBytes is how much may wait for a journal that nobody waits for; beyond
// it the session is no longer recorded, and a notice says so.
func (l Limits) recordBytes() int { return l.MessageBytes }

// hopBatches is the window of one hop toward the reporter: 1 in lockstep.
func (l Limits) hopBatches() int {
	if l.ReaderWindow == 1 {
		return 1
	}
	return l.HopBatches
}

// Validate returns an error naming the first field whose value is out of range,
// or whose value lets senders have more under way than a mailbox holds, or more
// bytes than can be counted.
func (l Limits) Validate() error {
	ints := []struct {
		name     string
		v, least int
	}{
		{"LineBytes", l.LineBytes, 1},
		{"HopBatches", l.HopBatches, 1},
		{"HopBytes", l.HopBytes, 16},
		{"MessageBytes", l.MessageBytes, 1},
		{"CallsMax", l.CallsMax, 1},
		{"OutputBytes", l.OutputBytes, 64},
		{"LiveBytes", l.LiveBytes, 16},
		{"ReaderWindow", l.ReaderWindow, 1},
		{"Prompts", l.Prompts, 1},
		{"PromptBytes", l.PromptBytes, 1},
		{"Steps", l.Steps, 1},
		{"Attempts", l.Attempts, 1},
		{"Repeats", l.Repeats, 1},
		{"Failures", l.Failures, 1},
		{"Pauses", l.Pauses, 1},
		{"ParallelCalls", l.ParallelCalls, 1},
		{"Tokens", l.Tokens, 0},
		{"ReaderPatience", int(l.ReaderPatience), 0},
		{"CancelRead", int(l.CancelRead), 1},
		{"RetryBase", int(l.RetryBase), 1},
		{"RetryCap", int(l.RetryCap), 1},
		{"RetryAfterMax", int(l.RetryAfterMax), 1},
		{"TurnTime", int(l.TurnTime), 0},
		{"CallTime", int(l.CallTime), 1},
		{"ApprovalWait", int(l.ApprovalWait), 0},
		{"StopGrace", int(l.StopGrace), 1},
		{"HookTime", int(l.HookTime), 1},
		{"CompactTime", int(l.CompactTime), 1},
	}
	for _, f := range ints {
		if f.v < f.least {
			return fmt.Errorf("limit %s is %d, must be at least %d", f.name, f.v, f.least)
		}
	}
	if l.Cost < 0 {
		return fmt.Errorf("limit Cost is %g, must not be negative", l.Cost)
	}
	if l.ReaderWindow > grantMost {
		return fmt.Errorf("limit ReaderWindow is %d, must be at most %d: no grant gives back more", l.ReaderWindow, grantMost)
	}
	if err := l.prove(l.rooms()); err != nil {
		return err
	}
	if l.Ceiling() == math.MaxInt {
		return errors.New("the limits in bytes come to more than can be counted: make the largest of them smaller")
	}
	return nil
}
