package pipeline

import (
	"fmt"

	"github.com/weir-agents/weir/actors"
	"github.com/weir-agents/weir/provider"
)

const (
	roomMin      = 200  // tokens that system prompt and tools must leave for a conversation
	partMin      = 100  // the smallest part that is worth a request for a summary
	questionCost = 64   // tokens of the words around a part
	partSafety   = 0.75 // of what seems free in the window is used: the estimate may be wrong
)

// room is what a compaction may fill, in tokens as the model counts them. The
// parts of the new conversation together stay below the threshold of the next
// compaction.
type room struct {
	scale   float64 // tokens of the model for an estimated one
	tail    int     // the messages that stay
	quote   int     // the request that is being worked on, word for word
	summary int     // the answer of one request
	part    int     // what one request has of the conversation
}

func (c Compaction) room(req provider.Request, scale float64) (room, error) {
	fixed := req
	fixed.Messages = nil
	base := int(float64(EstimateTokens(fixed)) * scale)
	free := int(c.At*float64(c.ContextTokens)) - base
	if free < roomMin {
		return room{}, fmt.Errorf("the system prompt and the tools (about %d tokens) leave no room for a conversation in a window of %d tokens", base, c.ContextTokens)
	}
	r := room{scale: scale, tail: free / 2, quote: free / 8, summary: min(free/4, summaryTokens)}
	prompt := int(float64(EstimateTokens(provider.Request{System: c.Prompt})) * scale)
	r.part = int(partSafety * float64(c.ContextTokens-prompt-2*r.summary-questionCost))
	if r.part < partMin {
		return room{}, fmt.Errorf("a window of %d tokens has no room for a request for a summary", c.ContextTokens)
	}
	return r, nil
}

// bytes returns how much text a number of tokens is.
func (r room) bytes(tokens int) int { return int(float64(tokens) * 4 / r.scale) }

// tokens returns what m costs.
func (r room) tokens(m provider.Message) int {
	return int(float64(actors.MessageTokens(m)) * r.scale)
}

// working reports whether a turn is in the middle of its steps.
func working(messages []provider.Message) bool {
	return len(messages) > 0 && messages[len(messages)-1].Role == provider.Tool
}

// split returns where the part of a conversation begins that stays. Prompts at
// the end that nobody has answered stay whatever they cost. Before them it
// begins at a user's message, or, in the middle of a turn that is long by
// itself, at an assistant's: never between calls and their results. 0 means that nothing can go.
func (r room) split(messages []provider.Message, keep int) int {
	last, used := len(messages), 0
	for last > 0 && messages[last-1].Role == provider.User {
		last--
		used += r.tokens(messages[last])
	}
	cut, atUser := last, 0
	for i := last - 1; i > 0 && last-i <= keep; i-- {
		used += r.tokens(messages[i])
		if used > r.tail {
			break
		}
		switch messages[i].Role {
		case provider.User:
			atUser = i
		case provider.Assistant:
			if working(messages) {
				cut = i
			}
		case provider.Tool: // belongs to the message before it
		}
	}
	if atUser > 0 {
		cut = atUser
	}
	if cut == 1 && (isSummary(messages[0]) || r.tokens(messages[0]) <= r.tail/4) {
		return last // to summarize that one alone would save nothing
	}
	return cut
}
