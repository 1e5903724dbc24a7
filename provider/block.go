package provider

import "encoding/json"

// Role says who speaks in a [Message].
type Role string

// The roles of a conversation. The system prompt is not a message: it is
// [Request.System].
const (
	User      Role = "user"
	Assistant Role = "assistant"
	// Tool marks a message that holds only [ToolResult] blocks, one for each
	// call of the assistant message before it, in call order.
	Tool Role = "tool"
)

// Message is one entry of a conversation. It is frozen once built: whoever
// holds one may share it, nobody may change it.
type Message struct {
	Role   Role
	Blocks []Block
}

// Block is one finished piece of a message: [Text], [Thinking], [ToolCall],
// [ToolResult], [Image], [File] or [Opaque].
type Block interface{ block() }

// Text is words for the reader. An assistant's empty Text only keeps the
// numbering of the blocks after it; adapters leave it out of requests.
type Text struct{ Text string }

// Thinking is the model's reasoning or a summary of it.
type Thinking struct {
	Text string
	// Signature is the vendor's seal over Text; it goes back unchanged.
	Signature string
	// Redacted is the vendor's encrypted data of a block that has no text.
	Redacted string
}

// ToolCall is a request of the model to run a tool.
type ToolCall struct {
	// ID matches the call with its [ToolResult]. Never empty: the reader makes
	// one up where the model sent none.
	ID   string
	Name string
	// Arguments is the JSON object the model sent, nil if its text is none.
	// A call without Arguments must never be run.
	Arguments json.RawMessage
	// Raw is the argument text as it came, surrounding blanks trimmed.
	Raw string
	// Extra holds vendor members of the call that must be sent back with it.
	Extra map[string]json.RawMessage
}

// ToolResult answers the ToolCall that has the same ID.
type ToolResult struct {
	Call    string // the id of the call
	Name    string // the name of its tool
	Text    string
	IsError bool
	// Images go to the model beside Text where the vendor allows it.
	Images []Image
}

// Image is a picture in a user message or a tool result.
type Image struct {
	MediaType string // such as image/png
	Data      []byte // not encoded
}

// File is a document in a user message.
type File struct {
	Name      string
	MediaType string // such as application/pdf
	Data      []byte // not encoded
}

// Opaque is a block that weir does not interpret. It goes back unchanged to
// the dialect that sent it and to no other.
type Opaque struct {
	Dialect string // openai or anthropic
	Raw     json.RawMessage
	// Unknown tells a block whose type the adapter has never heard of from one
	// it knows and only passes through, such as a provider-run tool.
	Unknown bool
}

func (Text) block()       {}
func (Thinking) block()   {}
func (ToolCall) block()   {}
func (ToolResult) block() {}
func (Image) block()      {}
func (File) block()       {}
func (Opaque) block()     {}

// Calls returns the tool calls of m, in order. It allocates only if there are any.
func (m Message) Calls() []ToolCall {
	var calls []ToolCall
	for _, b := range m.Blocks {
		if c, ok := b.(ToolCall); ok {
			calls = append(calls, c)
		}
	}
	return calls
}

// Text returns the words of m: its Text blocks, joined with nothing between.
func (m Message) Text() string {
	var all []byte
	for _, b := range m.Blocks {
		t, ok := b.(Text)
		if !ok || t.Text == "" {
			continue
		}
		if all == nil && len(m.Blocks) == 1 {
			return t.Text
		}
		all = append(all, t.Text...)
	}
	return string(all)
}

// Empty reports whether m has neither text nor call nor opaque block. Such a
// message never enters a history.
func (m Message) Empty() bool {
	for _, b := range m.Blocks {
		switch b := b.(type) {
		case Text:
			if b.Text != "" {
				return false
			}
		case Thinking: // thinking alone answers nothing
		default:
			return false
		}
	}
	return true
}
