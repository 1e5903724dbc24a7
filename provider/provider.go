package provider

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
)

// Provider is a client of a model.
type Provider interface {
	// Stream sends req once and yields what comes back. It starts nothing until
	// it is ranged over, never retries, and ends with exactly one FinishDelta
	// or one error (an *[Error], or ctx's error when ctx ended it). Breaking
	// out of the loop closes the connection. While the loop body runs nothing
	// is read, so a slow body slows the server. The idle timeout counts only
	// time spent reading.
	Stream(ctx context.Context, req Request) iter.Seq2[Delta, error]
}

// Lister is a Provider that can name its models.
type Lister interface {
	// Models asks the server for the names it serves.
	Models(ctx context.Context) ([]string, error)
}

// Request is one request to a model. Frozen once sent.
type Request struct {
	Model    string
	System   string
	Messages []Message
	Tools    []ToolSpec
	// NoStream asks a streaming provider for the blocking answer.
	NoStream bool
	// MaxTokens caps the answer; 0 leaves it to the adapter.
	MaxTokens int
	// Temperature is left out of the request if nil.
	Temperature *float64
	// Effort is the reasoning effort in the vendor's words; left out if empty.
	Effort string
	// Thinking asks for the model's thinking to be shown as a summary.
	Thinking bool
	// IDPrefix starts every call id that the reader has to make up. The runtime
	// gives each attempt its own, so that made ids are unique in a session.
	// At most 40 characters of [A-Za-z0-9_-].
	IDPrefix string
	// Extra members are added to the request body as they are.
	Extra map[string]json.RawMessage
}

// ToolSpec tells a model about one tool.
type ToolSpec struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON Schema of the arguments, an object
}

// Generator is a model that cannot stream.
type Generator interface {
	// Generate sends req once and returns the whole answer. Usage is nil if it
	// is not known.
	Generate(ctx context.Context, req Request) (Message, StopReason, *Usage, error)
}

// Complete sends req and returns the whole message, silently: for summaries
// and judges. A stream that breaks returns its error and no message.
func Complete(ctx context.Context, p Provider, req Request) (Message, error) {
	var a Assembly
	for d, err := range p.Stream(ctx, req) {
		if err != nil {
			return Message{}, err
		}
		a.Add(d)
	}
	if !a.Finished() {
		return Message{}, &Error{Kind: TruncatedStream, Message: "the stream ended without a finish", Retryable: true}
	}
	return a.Message(), nil
}

// FromGenerator makes g a Provider whose stream has one delta a block.
func FromGenerator(g Generator) Provider { return generated{g} }

type generated struct{ g Generator }

func (p generated) Stream(ctx context.Context, req Request) iter.Seq2[Delta, error] {
	return func(yield func(Delta, error) bool) {
		m, stop, usage, err := p.g.Generate(ctx, req)
		if err != nil {
			yield(Delta{}, err)
			return
		}
		for d := range Deltas(m) {
			if !yield(d, nil) {
				return
			}
		}
		yield(Delta{Kind: FinishDelta, Stop: stop, Usage: usage}, nil)
	}
}

// Deltas yields m as a stream would have brought it, one delta a block and no
// FinishDelta. All have More set, since a finish follows.
func Deltas(m Message) iter.Seq[Delta] {
	return func(yield func(Delta) bool) {
		for i, b := range m.Blocks {
			for _, d := range blockDeltas(i, b) {
				if !yield(d) {
					return
				}
			}
		}
	}
}

func blockDeltas(i int, b Block) []Delta {
	switch b := b.(type) {
	case Text:
		if b.Text == "" {
			return nil
		}
		return []Delta{{Kind: TextDelta, More: true, Block: i, Text: b.Text}}
	case Thinking:
		var ds []Delta
		if b.Text != "" {
			ds = append(ds, Delta{Kind: ThinkingDelta, More: true, Block: i, Text: b.Text})
		}
		if b.Signature != "" || b.Redacted != "" {
			b.Text = "" // it has come as a ThinkingDelta
			ds = append(ds, Delta{Kind: BlockDelta, More: true, Block: i, Done: b})
		}
		return ds
	case ToolCall:
		return []Delta{
			{Kind: ToolCallDelta, More: true, Block: i, ID: b.ID, Name: b.Name, Text: b.Raw},
			{Kind: BlockDelta, More: true, Block: i, Done: b},
		}
	default:
		return []Delta{{Kind: BlockDelta, More: true, Block: i, Done: b}}
	}
}

// ErrNoModel is returned by adapters for a request that names no model.
var ErrNoModel = errors.New("no model named: pass one with --model or Request.Model")
