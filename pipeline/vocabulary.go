package pipeline

import "github.com/weir-agents/weir/actors"

// The vocabulary of a session, so that an embedder imports one package. Each is
// the type of the same name in package actors, documented there.
type (
	Event      = actors.Event
	Envelope   = actors.Envelope
	Limits     = actors.Limits
	Pricing    = actors.Pricing
	Meter      = actors.Meter
	FirstToken = actors.FirstToken
	Stage      = actors.Stage
	Hooks      = actors.Hooks
	Outcome    = actors.Outcome
	CancelMode = actors.CancelMode
	DeltaMode  = actors.DeltaMode
	TurnError  = actors.TurnError
	Fill       = actors.Fill

	SessionStarted    = actors.SessionStarted
	PromptQueued      = actors.PromptQueued
	PromptJoined      = actors.PromptJoined
	PromptDropped     = actors.PromptDropped
	TurnStarted       = actors.TurnStarted
	StepStarted       = actors.StepStarted
	ThinkingDelta     = actors.ThinkingDelta
	TextDelta         = actors.TextDelta
	ToolCallDelta     = actors.ToolCallDelta
	StreamFailed      = actors.StreamFailed
	RetryScheduled    = actors.RetryScheduled
	MessageCompleted  = actors.MessageCompleted
	ApprovalRequested = actors.ApprovalRequested
	ApprovalResolved  = actors.ApprovalResolved
	ToolStarted       = actors.ToolStarted
	ToolOutput        = actors.ToolOutput
	ToolFinished      = actors.ToolFinished
	Notice            = actors.Notice
	TurnEnded         = actors.TurnEnded
)

// The values of those types.
const (
	Completed = actors.Completed
	Canceled  = actors.Canceled
	Failed    = actors.Failed
	Limited   = actors.Limited

	CancelNow       = actors.CancelNow
	CancelAfterStep = actors.CancelAfterStep

	DeltasText  = actors.DeltasText
	DeltasTools = actors.DeltasTools
	DeltasNone  = actors.DeltasNone

	Streamer    = actors.Streamer
	Assembler   = actors.Assembler
	Turning     = actors.Turning
	Executor    = actors.Executor
	Reporter    = actors.Reporter
	Supervising = actors.Supervising
)

// The errors of Post and Compact; see package actors.
var (
	ErrBusy         = actors.ErrBusy
	ErrClosed       = actors.ErrClosed
	ErrStopped      = actors.ErrStopped
	ErrNoCompaction = actors.ErrNoCompaction
)

// AppendEvent appends e to b as one JSON object without a line end, in the form
// of the event contract.
func AppendEvent(b []byte, e Event) ([]byte, error) { return actors.AppendEvent(b, e) }
