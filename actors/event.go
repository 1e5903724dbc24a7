package actors

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/weir-agents/weir/provider"
)

// Event is a fact of a session, told to its readers. The types below are the
// `type`s of the event contract in CamelCase. Values, frozen once sent.
type Event interface {
	// Head returns what every event carries.
	Head() Envelope
	// Type returns the `type` of the event contract.
	Type() string
	with(Envelope) Event
}

// Envelope is in every event.
type Envelope struct {
	// Seq is stamped when the event enters the reporter; it rises by 1 within a
	// session. 0 in lines made for one reader.
	Seq uint64 `json:"seq,omitempty"`
	// SeqFrom is the first seq of a merged replay, 0 otherwise.
	SeqFrom uint64 `json:"seq_from,omitempty"`
	Session string `json:"session"`
	Turn    string `json:"turn,omitempty"`
	// Step and Attempt count from 1; 0 before the first request of a turn.
	Step    int       `json:"step,omitempty"`
	Attempt int       `json:"attempt,omitempty"`
	At      time.Time `json:"at"`
}

// Head returns e itself, for the events that embed it.
func (e Envelope) Head() Envelope { return e }

// Ref returns the turn, step and attempt that e belongs to.
func (e Envelope) Ref() Ref { return Ref{e.Turn, e.Step, e.Attempt} }

// AppendEvent appends e to b as one JSON object without a line end, the form
// of the event contract.
func AppendEvent(b []byte, e Event) ([]byte, error) {
	buf := bytes.NewBuffer(b)
	buf.WriteString(`{"type":"` + e.Type() + `",`)
	at := buf.Len()
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		return b, err
	}
	out := buf.Bytes()
	// The object's own brace goes: its members stand behind the type.
	out = append(out[:at], out[at+1:len(out)-1]...)
	return out, nil
}

// SessionStarted is the first event of a session.
type SessionStarted struct {
	Envelope
	Version  string   `json:"version"`
	Provider string   `json:"provider"`
	Model    string   `json:"model"`
	Cwd      string   `json:"cwd"`
	Tools    []string `json:"tools"`
	Resumed  bool     `json:"resumed"`
}

// PromptQueued says that a prompt sent while a turn runs was accepted.
type PromptQueued struct {
	Envelope
	PromptID string `json:"prompt_id"`
	Text     string `json:"text"`
}

// PromptJoined says that a queued prompt goes with the next step of the turn.
type PromptJoined struct {
	Envelope
	PromptID string `json:"prompt_id"`
	Text     string `json:"text"`
}

// PromptDropped says that an accepted prompt was voided.
type PromptDropped struct {
	Envelope
	PromptID string `json:"prompt_id"`
	Text     string `json:"text"`
	Reason   string `json:"reason,omitempty"`
}

// TurnStarted begins a turn.
type TurnStarted struct {
	Envelope
	Prompt   string `json:"prompt"`
	PromptID string `json:"prompt_id"`
}

// StepStarted says that a model request is sent.
type StepStarted struct{ Envelope }

// ThinkingDelta is a piece of the model's thinking; Block is its index in the
// blocks of the message.
type ThinkingDelta struct {
	Envelope
	Text  string `json:"text"`
	Block int    `json:"block"`
}

// TextDelta is a piece of the answer, never empty. The pieces of one block
// concatenate to its text exactly.
type TextDelta struct {
	Envelope
	Text  string `json:"text"`
	Block int    `json:"block"`
}

// ToolCallDelta is a raw piece of a call's arguments, for display only.
type ToolCallDelta struct {
	Envelope
	Block     int    `json:"block"`
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// StreamFailed says that the model stream broke or was malformed.
type StreamFailed struct {
	Envelope
	Kind      provider.ErrorKind `json:"kind"`
	Message   string             `json:"message"`
	Retryable bool               `json:"retryable"`
	Status    int                `json:"status,omitempty"`
	Tool      string             `json:"tool,omitempty"`
	Raw       string             `json:"raw_arguments,omitempty"`
}

// RetryScheduled says that the step will be asked again. With Discard all text
// and thinking of this step shown so far are void.
type RetryScheduled struct {
	Envelope
	NextAttempt int    `json:"next_attempt"`
	DelayMS     int64  `json:"delay_ms"`
	Reason      string `json:"reason"`
	Discard     bool   `json:"discard"`
}

// MessageCompleted is the whole assistant message; only now is it in the
// history. Usage is nil if the stream told none.
type MessageCompleted struct {
	Envelope
	Role   provider.Role       `json:"role"`
	Blocks []provider.Block    `json:"blocks"`
	Stop   provider.StopReason `json:"stop"`
	Usage  *provider.Usage     `json:"usage"`
}

// ApprovalRequested says that a call waits for consent.
type ApprovalRequested struct {
	Envelope
	Call           string          `json:"call"`
	Name           string          `json:"name"`
	Arguments      json.RawMessage `json:"arguments"`
	Reason         string          `json:"reason"`
	RuleSuggestion string          `json:"rule_suggestion,omitempty"`
}

// ApprovalResolved says what was decided, and by what.
type ApprovalResolved struct {
	Envelope
	Call     string `json:"call"`
	Decision string `json:"decision"` // allow, allow_always or deny
	By       string `json:"by"`       // user, rule, mode, timeout or cancel
	Note     string `json:"note,omitempty"`
}

// ToolStarted is shown when the call's turn in the order has come.
type ToolStarted struct {
	Envelope
	Call      string          `json:"call"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Summary   string          `json:"summary"`
	Class     string          `json:"class"`
}

// ToolOutput is live output of a long tool, capped.
type ToolOutput struct {
	Envelope
	Call string `json:"call"`
	Text string `json:"text"`
}

// ToolFinished ends a call: exactly one for each call of a completed message,
// in call order.
type ToolFinished struct {
	Envelope
	Call      string `json:"call"`
	Name      string `json:"name"`
	OK        bool   `json:"ok"`
	Text      string `json:"text"` // what the model gets
	Truncated bool   `json:"truncated"`
	// StartedAt is when it really began; nil for a call that never ran.
	StartedAt  *time.Time `json:"started_at,omitempty"`
	WaitMS     int64      `json:"wait_ms"`
	DurationMS int64      `json:"duration_ms"`
	ErrorKind  string     `json:"error_kind,omitempty"`
	Background []int      `json:"background,omitempty"`
}

// Notice is anything a person should know. Code says what; the other fields
// are set by code.
type Notice struct {
	Envelope
	Level  string `json:"level"` // info or warn
	Code   string `json:"code"`
	Text   string `json:"text"`
	From   uint64 `json:"from,omitempty"`
	To     uint64 `json:"to,omitempty"`
	Model  string `json:"model,omitempty"`
	Got    string `json:"got,omitempty"`
	Server string `json:"server,omitempty"`
}

// Outcome is how a turn ended.
type Outcome string

// The outcomes of a turn.
const (
	Completed Outcome = "completed"
	Canceled  Outcome = "canceled"
	Failed    Outcome = "failed"
	Limited   Outcome = "limit"
)

// Withdrawn is what a [Cancel] by prompt is told when no turn had to end. No
// turn has this outcome.
const Withdrawn Outcome = "withdrawn"

// TurnError says why a turn failed.
type TurnError struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

// TurnEnded is the last event of its turn.
type TurnEnded struct {
	Envelope
	Outcome    Outcome             `json:"outcome"`
	Limit      string              `json:"limit,omitempty"`
	Stop       provider.StopReason `json:"stop"` // of the last message; null when none came
	Text       string              `json:"text"` // of the last completed message
	Steps      int                 `json:"steps"`
	Usage      provider.Usage      `json:"usage"` // summed, failed attempts included
	DurationMS int64               `json:"duration_ms"`
	TTFTMS     *int64              `json:"ttft_ms"` // null when no delta came
	Stalls     map[string]int64    `json:"stalls"`
	Error      *TurnError          `json:"error,omitempty"`
}
