package pipeline

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"

	"github.com/weir-agents/weir/actors"
	"github.com/weir-agents/weir/provider"
)

// ErrNothing says that a conversation holds nothing a summary would shorten.
var ErrNothing = errors.New("there is nothing to compact")

// compactPrompt is the system prompt of a summary.
//
//go:embed compact.md
var compactPrompt string

const (
	compactAt   = 0.85
	compactKeep = 10
)

// Compaction says how the conversation is kept inside the model's window: when
// a request would fill too much of it, the model is asked for a summary of the
// older messages, which then stands in their place. The zero value does so at
// 85 % of the window that ContextTokens knows for the model.
type Compaction struct {
	// ContextTokens is how many tokens the model takes. 0: by its name, else
	// 128,000.
	ContextTokens int
	// At is the share of the window at which the conversation is made shorter,
	// above 0 and at most 1. 0: 0.85.
	At float64
	// Keep is how many of the newest messages stay as they are, at most; fewer
	// where they are large. 0: 10.
	Keep int
	// Prompt is the system prompt of the request for a summary. Empty: weir's own.
	Prompt string
	// Off leaves the conversation as it is, and lets the model say when it is
	// too long.
	Off bool
}

func (c Compaction) validate() error {
	switch {
	case c.ContextTokens < 0:
		return fmt.Errorf("compaction: ContextTokens is %d, must not be negative", c.ContextTokens)
	case c.At < 0 || c.At > 1:
		return fmt.Errorf("compaction: At is %g, must be between 0 and 1", c.At)
	case c.Keep < 0:
		return fmt.Errorf("compaction: Keep is %d, must not be negative", c.Keep)
	default:
		return nil
	}
}

// withDefaults sets the zero fields for a model.
func (c Compaction) withDefaults(model string) Compaction {
	if c.ContextTokens == 0 {
		c.ContextTokens = ContextTokens(model)
	}
	if c.At == 0 {
		c.At = compactAt
	}
	if c.Keep == 0 {
		c.Keep = compactKeep
	}
	if c.Prompt == "" {
		c.Prompt = compactPrompt
	}
	return c
}

// session is what a session's actors are told.
func (c Compaction) session(p provider.Provider, model string) actors.Compaction {
	c = c.withDefaults(model)
	out := actors.Compaction{Window: c.ContextTokens, At: c.At}
	if !c.Off {
		out.Compact = func(ctx context.Context, req provider.Request, window int, scale float64) ([]provider.Message, provider.Usage, error) {
			c := c
			c.ContextTokens = window
			return c.compact(ctx, p, req, scale)
		}
	}
	return out
}

// Compact returns a shorter conversation for req, whose Messages are the one to
// shorten, and what the summary has used: first a user's message with a summary
// by req's model, then the newest messages, cut where no call loses its result.
// It asks p at most 32 requests, each at most 3 times and each inside the
// window. It changes nothing that it is given. Errors: ErrNothing, those of c,
// of p, ctx's; a window that is too small for any of it.
func Compact(ctx context.Context, p provider.Provider, req provider.Request, c Compaction) ([]provider.Message, provider.Usage, error) {
	if err := c.validate(); err != nil {
		return nil, provider.Usage{}, err
	}
	return c.withDefaults(req.Model).compact(ctx, p, req, 1)
}

func (c Compaction) compact(ctx context.Context, p provider.Provider, req provider.Request, scale float64) ([]provider.Message, provider.Usage, error) {
	room, err := c.room(req, scale)
	if err != nil {
		return nil, provider.Usage{}, err
	}
	cut := room.split(req.Messages, c.Keep)
	head, tail := req.Messages[:cut], req.Messages[cut:]
	if cut == 0 || cut == 1 && isSummary(head[0]) {
		return nil, provider.Usage{}, ErrNothing
	}
	w := summarizer{provider: p, request: summaryRequest(req, c.Prompt, room), room: room}
	text, err := w.summarize(ctx, head)
	if err != nil {
		return nil, w.usage, err
	}
	quote := ""
	if working(req.Messages) && (len(tail) == 0 || tail[0].Role != provider.User) {
		quote = cutMiddle(pending(head), room.bytes(room.quote))
	}
	return append([]provider.Message{summaryMessage(text, quote)}, tail...), w.usage, nil
}

// summaryRequest is req as a question for a summary: the same model, asked
// without tools and without what forces one.
func summaryRequest(req provider.Request, prompt string, r room) provider.Request {
	out := provider.Request{
		Model: req.Model, System: prompt, NoStream: req.NoStream, MaxTokens: r.summary, Temperature: req.Temperature,
		IDPrefix: "compact_",
	}
	if len(req.Extra) > 0 {
		out.Extra = maps.Clone(req.Extra)
		for _, name := range []string{"tools", "tool_choice", "parallel_tool_calls", "response_format"} {
			delete(out.Extra, name)
		}
	}
	return out
}
