package actors

import "github.com/weir-agents/weir/provider"

// The commands and facts about the history; command.go has the others.

// ---- a reader or host actor → the session (Session.PID)

// ReadHistory asks for the history and for what fills the window. While a turn
// runs the results of the last message's calls may be missing.
type ReadHistory struct {
	// Reply is told once. It must not block; the messages are frozen.
	Reply func([]provider.Message, Fill, error)
}

// ReplaceHistory makes Messages the history, if no turn runs and
// [provider.CheckHistory] finds no fault with them.
type ReplaceHistory struct {
	Messages []provider.Message
	// Ended is the last turn whose end the caller has read: it does not count
	// as running.
	Ended string
	// Reply is told once: nil, an error that is [ErrBusy], [ErrClosed], or what
	// is wrong with the messages. It must not block.
	Reply func(error)
}

// CompactHistory asks for a shorter history, if no turn runs.
type CompactHistory struct {
	ID    string // for StopCompaction
	Ended string // as in ReplaceHistory
	// Reply is told once, when it is done or why it is not. It must not block.
	Reply func(error)
}

// StopCompaction gives up the compaction that the CompactHistory of that ID
// began. Control lane.
type StopCompaction struct{ ID string }

// UseModel has Model asked from the next step on, also for summaries. It takes
// Window tokens; 0: that is not known.
type UseModel struct {
	Model  string
	Window int
	// Reply is told once: nil or an error that is [ErrBusy] or [ErrClosed]. It
	// must not block.
	Reply func(error)
}

// ---- turn → supervisor

// DropStep says that the turn is ending and the step it waits for not wanted. It
// may come before the PrepareStep, which waits for credit (I7).
type DropStep struct{ Ref Ref }

// ---- supervisor → journal

// HistoryReplaced is the fact that the history is another one (supervisor's own).
type HistoryReplaced struct{ Messages []provider.Message }
