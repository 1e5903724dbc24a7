package script

import (
	"encoding/json"
	"time"

	"github.com/weir-agents/weir/provider"
)

// Select says which step answers a request.
type Select string

// The ways to select a step.
const (
	// ByHistory plays the step whose number is how many assistant messages the
	// request holds. It keeps no state, so any number of sessions may share a
	// provider. It is what an empty Select means.
	ByHistory Select = "history"
	// BySequence gives each request the next step, whoever sends it.
	BySequence Select = "sequence"
)

// Loop says what a request beyond the last step gets.
type Loop string

// The ways to go on. The empty Loop answers with an error.
const (
	LoopLast Loop = "last" // the last step again
	LoopAll  Loop = "all"  // from the first step again
)

// Script is what a model will say. Its zero value has no step: every request
// is an error.
type Script struct {
	Select Select
	Loop   Loop
	// First, Gap and Split pace the steps that do not say it themselves; their
	// zero values mean no wait and token-like pieces. See [Step].
	First, Gap time.Duration
	Split      int
	// IdleTimeout is how long a [Provider] lets a stall last before it fails as
	// an adapter does, with idle_timeout or first_byte_timeout; 0 waits until
	// the caller's context ends. A simulated server does not use it.
	IdleTimeout time.Duration
	// Models are the names the provider or server lists; none means "script".
	Models []string
	Steps  []Step
}

// Whole is the Split that sends each block's text as one piece.
const Whole = -1

// None is the First or Gap of a step that does not wait though its script does.
const None time.Duration = -1

// Step is what one request gets.
type Step struct {
	// First is the wait before anything of the answer is sent, Gap that between
	// its pieces. 0 takes the script's, [None] does not wait.
	First, Gap time.Duration
	// Split is how many characters a piece of running text has. 0 takes the
	// script's, and where that is 0 too cuts as a model's tokens would be: a
	// word with the blank before it, or punctuation. [Whole] does not cut.
	Split int
	// Blocks are played in order.
	Blocks []Block
	// Stop is why the model stops; empty means tool_calls if there are calls,
	// else stop.
	Stop provider.StopReason
	// Usage is what the answer cost; nil counts it roughly.
	Usage *provider.Usage
	// NoUsage leaves usage out of the answer.
	NoUsage bool
	// Attempts, if any, replace all the above but the pacing: the k-th request
	// with the same messages gets the k-th, and the last one repeats. Sessions
	// that share a provider share this count if their messages are the same.
	Attempts []Step
	// Func, if not nil, replaces all the above but the pacing with the step it
	// returns. It may be called by several goroutines at once.
	Func func(provider.Request) Step
}

// Block is an entry of a step: a [Text], [Thinking], [Call] or [Opaque], an
// [Interleave] of them, or a [Gate], [Wait] or [Fault] between them.
type Block interface{ block() }

// Piece is an entry of an explicit split: a [Say] or [Repeat], or a [Gate],
// [Wait] or [Fault] between them.
type Piece interface{ piece() }

// Text is an answer block: Text cut by the step's Split, or else Pieces.
type Text struct {
	Text   string
	Pieces []Piece
}

// Thinking is a block of reasoning, written as a [Text] is.
type Thinking struct {
	Text      string
	Pieces    []Piece
	Signature string
	// Redacted is encrypted data in the place of text.
	Redacted string
}

// Call is a tool call.
type Call struct {
	// ID is made of the step's place in the history if it is empty.
	ID string
	// NoID sends no id, as some servers do; the reader makes one.
	NoID bool
	Name string
	// Arguments is the argument text, which need not be JSON, or else Pieces.
	Arguments string
	Pieces    []Piece
	// Extra are vendor members sent with the call in the OpenAI dialect.
	Extra map[string]json.RawMessage
}

// Opaque is a block that weir does not interpret. Dialect "" is anthropic. A
// server leaves it out of answers in another dialect.
type Opaque struct {
	Dialect string
	Raw     json.RawMessage // an object
	// Unknown is what [provider.Opaque] says of it.
	Unknown bool
}

// Interleave plays its blocks piece by piece in turns. It holds Text, Thinking
// and Call only.
type Interleave []Block

// Say is one piece, sent as it is.
type Say string

// Repeat is Text over and over up to Bytes bytes (less where a character would
// be cut), made while it is played and cut by the step's Split.
type Repeat struct {
	Text  string
	Bytes int64
}

// Gate holds the stream until [Provider.Open] is called with its name.
type Gate string

// Wait holds the stream for a time.
type Wait time.Duration

func (Text) block()       {}
func (Thinking) block()   {}
func (Call) block()       {}
func (Opaque) block()     {}
func (Interleave) block() {}
func (Gate) block()       {}
func (Wait) block()       {}
func (Fault) block()      {}

func (Say) piece()    {}
func (Repeat) piece() {}
func (Gate) piece()   {}
func (Wait) piece()   {}
func (Fault) piece()  {}
