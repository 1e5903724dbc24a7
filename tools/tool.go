package tools

import (
	"context"
	"encoding/json"
	"time"
)

// Class says what a call may do, and so what may run beside it.
type Class uint8

// The classes. Consecutive ReadOnly calls run side by side; a Mutating or Exec
// call runs alone, in call order.
const (
	ReadOnly Class = iota
	Mutating
	Exec
)

// String returns the class as the event contract spells it.
func (c Class) String() string {
	switch c {
	case ReadOnly:
		return "read_only"
	case Mutating:
		return "mutating"
	case Exec:
		return "exec"
	default:
		panic("tools: a class of no known value")
	}
}

// Spec is what is fixed about a tool.
type Spec struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON Schema of the arguments, an object
	Class       Class
	// Timeout ends a call that runs longer; 0 means the runtime's limit.
	Timeout time.Duration
}

// Tool is something a model may call. Its methods may be called from several
// goroutines at once.
type Tool interface {
	Spec() Spec
	// Run does the call and returns when all of it has ended. It must end soon
	// after ctx does. What went wrong is for the model to read: an error
	// Result. A panic becomes one too. call.Arguments have been validated.
	Run(ctx context.Context, call Call) Result
}

// Summarizer is a Tool that can say a call in a few words for a person, such
// as the command of a shell call. Without it the summary is made from the
// arguments.
type Summarizer interface {
	Summary(arguments json.RawMessage) string
}

// Call is one request of a model to run a tool.
type Call struct {
	Turn      string
	ID        string
	Name      string
	Arguments json.RawMessage // a JSON object
	// Scope is what the tools of this session share. Never nil.
	Scope *Scope
	// Output shows a piece of live output to the person. It never blocks; what
	// does not fit is left out of the live view. Never nil.
	Output func(text string)
	// Pending is nil for a call that counts for certain; see [Call.Lasting].
	Pending *Pending
}

// ErrorKind says why a call did not do what was asked; the values are those of
// `tool_finished.error_kind` in the event contract.
type ErrorKind string

// The kinds of failed calls. A tool itself returns Failed, TimedOut,
// BadArgument, or Canceled if its context ended before it had; the others come
// from the registry, the policy and the runtime.
const (
	UnknownTool ErrorKind = "unknown_tool"
	BadArgument ErrorKind = "bad_arguments"
	Denied      ErrorKind = "denied"
	TimedOut    ErrorKind = "timeout"
	Canceled    ErrorKind = "canceled"
	Interrupted ErrorKind = "interrupted"
	NotRun      ErrorKind = "not_run"
	Panicked    ErrorKind = "panic"
	Failed      ErrorKind = "failed"
)

// Result is what the model gets. Text is whole up to the tool's own cap.
type Result struct {
	Text string
	// Kind is empty when the call did what was asked.
	Kind ErrorKind
	// Truncated says that a byte that was asked for is not in Text.
	Truncated bool
	// Background names the processes the call left running. They must be held
	// by the Scope.
	Background []int
	// Images go to the model beside Text.
	Images []Image
}

// Image is a picture for the model.
type Image struct {
	MediaType string
	Data      []byte
}

// OK reports whether the call did what was asked.
func (r Result) OK() bool { return r.Kind == "" }
