package actors

// PURE: no clock, no goroutine, no lock, no I/O in this file.

import "github.com/weir-agents/weir/provider"

// history is the conversation of a session. Only whole messages enter it, and
// every call in it gets exactly one result, in call order (I5). Append-only:
// requests share its array.
type history struct {
	messages []provider.Message
	prompts  int                            // at its end, that nobody has answered
	open     []provider.ToolCall            // calls of the last message that miss a result
	results  map[string]provider.ToolResult // those that have come
	missing  int
}

// prompt adds a user message.
func (h *history) prompt(p Prompt) {
	h.messages = append(h.messages, p.message())
	h.prompts++
}

// shorten takes messages in the place of those it has, whose prompts at the end
// nobody has answered either.
func (h *history) shorten(messages []provider.Message) {
	prompts := 0
	for i := len(messages) - 1; i > 0 && prompts < h.prompts && messages[i].Role == provider.User; i-- {
		prompts++
	}
	*h = history{messages: messages[:len(messages):len(messages)], prompts: prompts}
}

// message returns the user message of a prompt: attachments first, as models
// read them best.
func (p Prompt) message() provider.Message {
	m := provider.Message{Role: provider.User, Blocks: append([]provider.Block(nil), p.Attach...)}
	if p.Text != "" || len(m.Blocks) == 0 {
		m.Blocks = append(m.Blocks, provider.Text{Text: p.Text})
	}
	return m
}

// keep adds an assistant message.
func (h *history) keep(m provider.Message) {
	h.messages, h.prompts = append(h.messages, m), 0
	h.open = m.Calls()
	h.missing = len(h.open)
	h.results = make(map[string]provider.ToolResult, len(h.open))
}

// result takes the result of a call of the last message; a second one and one
// of no open call are dropped.
func (h *history) result(r provider.ToolResult) {
	for _, c := range h.open {
		if c.ID != r.Call {
			continue
		}
		if _, twice := h.results[r.Call]; twice {
			return
		}
		h.results[r.Call] = r
		h.missing--
		break
	}
	if h.missing == 0 && len(h.open) > 0 {
		h.closeMessage()
	}
}

// closeMessage adds the results of the last message as one message, in call order.
func (h *history) closeMessage() {
	m := provider.Message{Role: provider.Tool}
	for _, c := range h.open {
		m.Blocks = append(m.Blocks, h.results[c.ID])
	}
	h.messages = append(h.messages, m)
	h.open, h.results = nil, nil
}

// unanswered returns the open calls that miss a result.
func (h *history) unanswered() []provider.ToolCall {
	var calls []provider.ToolCall
	for _, c := range h.open {
		if _, ok := h.results[c.ID]; !ok {
			calls = append(calls, c)
		}
	}
	return calls
}

// view returns the messages as they are now; the caller may append to the
// slice without touching the history.
func (h *history) view() []provider.Message {
	return h.messages[:len(h.messages):len(h.messages)]
}
