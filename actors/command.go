package actors

import (
	"time"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/tools"
)

// Commands ask for work, facts state what happened. All are value structs,
// frozen once sent. Each stands under a line that says who sends it to whom.

// ---- a reader or host actor → the session (Session.PID)

// Prompt asks for a turn, or to join the one that runs.
type Prompt struct {
	ID   string // unique in the session, at most 256 bytes; made by the session if empty
	Text string
	// Attach holds images and files that go with the text.
	Attach []provider.Block
	// Wanted is asked once, right before the prompt is accepted: false says that
	// its sender has gone, and drops it without a reply. It must not block; nil
	// means yes.
	Wanted func() bool
	// Reply is told once whether the prompt was accepted: nil, [ErrBusy] or
	// [ErrClosed]. It must not block; nil is allowed.
	Reply func(error)
}

// Cancel asks for the end of the running turn and voids the prompts accepted
// before it.
type Cancel struct {
	Mode CancelMode
	// Turn limits the cancel to that turn; empty means whichever runs.
	Turn string
	// Prompt limits it to the turn that this prompt began or joined. If the
	// prompt still waits, it alone is dropped and no turn is canceled.
	Prompt string
	// Ended is told once how the turn ended, when it has ended inside; at once
	// with "" if none of those runs, with [Withdrawn] if the prompt was only
	// dropped. It must not block; nil is allowed.
	Ended func(Outcome)
}

// CancelMode says how soon a turn ends.
type CancelMode uint8

// The modes of a cancel.
const (
	CancelNow CancelMode = iota
	// CancelAfterStep lets the running step and its calls finish.
	CancelAfterStep
)

// Resolve answers an ApprovalRequested.
type Resolve struct {
	Turn     string // empty: the running turn
	Call     string
	Decision string // allow, allow_always or deny
	Note     string // a word for the model or the record
}

// Attach makes To the controlling reader, which gets [Batch]es of events and
// grants credit for them. With To nil the session has no reader and the events wait.
type Attach struct{ To Reader }

// Grant gives credit back to whoever sent batches. From a reader, Batches
// counts events; Turn, Step and Attempt of Ref are its epoch on inner hops.
type Grant struct {
	From    Stage // whose window is refilled
	Ref     Ref
	Batches int
	Bytes   int
}

// Stop ends the session: the turn is canceled, everything it started is ended.
type Stop struct{ Done func() }

// ---- supervisor → turn

// StartTurn begins a turn with its first prompt.
type StartTurn struct {
	Turn   string
	Prompt Prompt
}

// StepPrepared answers PrepareStep: the request, and the prompts that joined.
type StepPrepared struct {
	Ref     Ref
	Joined  []Prompt
	Request provider.Request
	// Err ends the turn: a hook refused or broke, or no window holds the request.
	Err error
	// Spent is what a compaction before the step has used, nil if none ran.
	Spent *provider.Usage
}

// CancelTurn is a Cancel that has found its turn. Control lane.
type CancelTurn struct {
	Turn string
	Mode CancelMode
}

// ReaderGone says that the controlling reader's patience ran out.
type ReaderGone struct{ Turn string }

// ---- turn → supervisor

// PrepareStep asks for the request of the next step.
type PrepareStep struct {
	Ref Ref
	// Overflow says that the model has refused the step as too long: the
	// history is made shorter first.
	Overflow bool
	// GiveUp says that nothing can make it shorter: what nobody has answered
	// leaves the history, and the step fails.
	GiveUp bool
}

// ---- turn, executor → supervisor (inside a Commit)

// MessageKept is the fact that an assistant message entered the history.
type MessageKept struct {
	Ref     Ref
	Message provider.Message
	Stop    provider.StopReason
	Usage   *provider.Usage
}

// PromptAccepted is the fact that a prompt was taken (supervisor's own).
type PromptAccepted struct{ Prompt Prompt }

// PromptWithdrawn is the fact that a prompt which waited was taken back by its
// sender (supervisor's own).
type PromptWithdrawn struct{ ID string }

// CancelAsked is the fact that a cancel was asked (supervisor's own).
type CancelAsked struct {
	Turn string
	Mode CancelMode
}

// PromptsJoined is the fact that prompts went with a step.
type PromptsJoined struct{ Prompts []Prompt }

// TurnClosed is the fact that a turn has ended.
type TurnClosed struct {
	Turn  string
	Ended TurnEnded
}

// CallApproved is the fact that a call was allowed, by whom.
type CallApproved struct {
	Ref  Ref
	Call string
	By   string
	Note string
	Rule string // remembered for the session, from allow_always
}

// CallStarted is the fact that a call is about to run.
type CallStarted struct {
	Ref   Ref
	Call  string
	Class tools.Class
}

// CallEnded is the fact that a call has its one result.
type CallEnded struct {
	Ref    Ref
	Result provider.ToolResult
	Event  ToolFinished
	Stack  string // of a panic in the tool
}

// ---- turn → streamer

// OpenStream asks for one try of a request.
type OpenStream struct {
	Ref     Ref
	Request provider.Request
}

// CloseStream ends a try: what is pending is handed over, then StreamClosed.
// Control lane.
type CloseStream struct{ Ref Ref }

// ---- streamer → assembler → reporter

// DeltaBatch carries deltas under credit, from the assembler on under its own.
type DeltaBatch struct {
	Ref    Ref
	Deltas []provider.Delta
	Bytes  int
	// Free marks the batch that a closing streamer hands over without credit.
	Free bool
}

// StreamEnded is in-band and the last of a try: Err is nil after a FinishDelta,
// errClosed after a CloseStream.
type StreamEnded struct {
	Ref Ref
	Err error
}

// ---- assembler → turn

// MessageAssembled says that a whole message came and all its events are with
// the reporter (I11).
type MessageAssembled struct {
	Ref     Ref
	Message provider.Message
	Stop    provider.StopReason
	Usage   *provider.Usage
}

// StreamBroke says that a try failed; Shown tells whether text or thinking of
// it was passed on. Usage is what the failed try told, if anything.
type StreamBroke struct {
	Ref   Ref
	Err   *provider.Error
	Shown bool
}

// StreamClosed answers CloseStream.
type StreamClosed struct{ Ref Ref }

// ---- assembler → executor

// CallReady says that the arguments of a call are final while the model still
// streams. Only sent with Limits.Eager.
type CallReady struct {
	Ref   Ref
	Block int
	Call  provider.ToolCall
}

// ---- turn → executor

// RunCalls asks for the results of all calls of a message. With Refuse none
// runs and each gets that result.
type RunCalls struct {
	Ref    Ref
	Calls  []provider.ToolCall
	Refuse *Refusal
}

// Refusal is why calls are not run.
type Refusal struct {
	Kind tools.ErrorKind
	Text string // for the model
}

// VoidCalls gives up the calls that began before their message was complete:
// the try has failed. Only sent with Limits.Eager.
type VoidCalls struct{ Ref Ref }

// CloseCalls ends the calls that are open: what runs is stopped and awaited,
// each gets its result, then CallsClosed. Control lane.
type CloseCalls struct {
	Ref  Ref
	Kind tools.ErrorKind // of the results: canceled or interrupted
	Text string
}

// ---- executor → turn

// CallFinished says that a call has its result and all its events are with the
// reporter (I11). They come in call order.
type CallFinished struct {
	Ref    Ref
	Result provider.ToolResult
	Event  ToolFinished
}

// ApprovalWaiting says whether calls of the turn wait for consent: that time
// does not count toward TurnTime.
type ApprovalWaiting struct {
	Ref     Ref
	Waiting bool
}

// CallsVoided answers VoidCalls: nothing of the try runs any more.
type CallsVoided struct{ Ref Ref }

// CallsClosed answers CloseCalls.
type CallsClosed struct{ Ref Ref }

// ---- goroutines of the executor → executor

// CallChecked says whether a call may run.
type CallChecked struct {
	Ref     Ref
	Index   int
	Tool    tools.Tool
	Spec    tools.Spec
	Summary string
	// Refused is the result of a call that cannot run: unknown, malformed, denied.
	Refused *tools.Result
	Verdict tools.Verdict
}

// CallOutput says that live output waits in the call's tail.
type CallOutput struct {
	Ref   Ref
	Index int
	Text  string
}

// CallDone says that a tool has returned.
type CallDone struct {
	Ref       Ref
	Index     int
	Result    tools.Result
	StartedAt time.Time
	Duration  time.Duration // of the tool itself, without the hooks around it
	Stack     string
	// Stopped says that its context had been canceled when it returned.
	Stopped bool
}

// ScopeEnded says that the background processes of a canceled turn are gone.
type ScopeEnded struct{ Ref Ref }

// ---- assembler, executor, turn, supervisor → reporter

// Post carries events, or deltas to make events of, under the poster's credit.
// All events of a session come this way (I11).
type Post struct {
	From   Stage
	Ref    Ref
	Events []Event
	Deltas []provider.Delta
	Bytes  int
	// Free marks what a stage hands over without credit when it ends.
	Free bool
}

// ---- reporter → supervisor

// TurnDone says that a turn has ended inside; its TurnEnded, here as readers
// get it, is with the reporter.
type TurnDone struct {
	Turn    string
	Outcome Outcome
	Ended   TurnEnded
}

// ---- reporter → a reader

// Batch is a piece of the event stream. The reader grants len(Events) back,
// in one or more Grants, as it takes them.
type Batch struct{ Events []Event }

// Reader takes the events of a session, under the credit it has granted.
type Reader interface {
	// Take is called by the reporter's actor with at most as many events as
	// there is credit for. It must not block.
	Take(Batch)
}

// ---- a machine → its own host

// Tick is a timer that a machine asked for with SetTimer.
type Tick struct{ Epoch int }

// Committed acknowledges the facts of a Commit.
type Committed struct{ Gen int }

// ---- any actor → supervisor

// Crashed says that an actor's machine panicked and is inert from now on.
type Crashed struct {
	Stage  Stage
	Gen    int // which set of five
	Reason string
	Stack  string
}

// Send is one effect a machine asks of its host: In goes To that stage.
type Send struct {
	To Stage
	In any
}

// Commit is an effect: the facts are recorded first, then the sends are done
// (I9). It stands in Send.In with To Supervising.
type Commit struct {
	From  Stage // set by the host; it gets the Committed of a durable journal
	Gen   int   // set by the host: which set of five it belongs to
	Facts []any
	Then  []Send
}

// SetTimer asks the host for one Tick with Epoch at At; a later one replaces
// it, a zero At clears it.
type SetTimer struct {
	At    time.Time
	Epoch int
}
