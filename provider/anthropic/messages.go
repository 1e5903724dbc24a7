package anthropic

import (
	"encoding/json"
	"slices"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/param"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/internal/wire"
)

// history turns a conversation into one the vendor accepts: roles alternate,
// no message is empty, and each call has one result, in call order, at the
// head of the user message after it.
type history struct {
	out   []sdk.MessageParam
	ids   callIDs
	calls []sentCall // of the last assistant message, not answered yet
	// results and rest are the user message being put together.
	results []sdk.ContentBlockParamUnion
	rest    []sdk.ContentBlockParamUnion
}

// sentCall is a call as the vendor will see it.
type sentCall struct {
	id   string // as the conversation has it
	wire string // as it is sent
	done *provider.ToolResult
}

func encodeMessages(messages []provider.Message) ([]sdk.MessageParam, error) {
	h := history{ids: callIDs{}}
	for _, m := range messages {
		if m.Role == provider.Assistant {
			h.flush()
			h.assistant(m)
			continue
		}
		for _, b := range m.Blocks {
			if err := h.user(b); err != nil {
				return nil, err
			}
		}
	}
	h.flush()
	h.trimEnd()
	return h.out, nil
}

// assistant adds m, joined to the message before it if that is one too. What
// holds nothing but thinking answers nothing and is left out.
func (h *history) assistant(m provider.Message) {
	var blocks []sdk.ContentBlockParamUnion
	answers := false
	for _, b := range m.Blocks {
		block, ok := h.assistantBlock(b)
		if !ok {
			continue
		}
		answers = answers || block.OfThinking == nil && block.OfRedactedThinking == nil
		blocks = append(blocks, block)
	}
	if !answers {
		return
	}
	if n := len(h.out); n > 0 && h.out[n-1].OfAssistant != nil {
		last := h.out[n-1].OfAssistant
		last.Content = append(last.Content, blocks...)
		return
	}
	h.out = append(h.out, sdk.NewAssistantMessage(blocks...))
}

func (h *history) assistantBlock(b provider.Block) (block sdk.ContentBlockParamUnion, ok bool) {
	switch b := b.(type) {
	case provider.Text:
		return sdk.NewTextBlock(b.Text), !blank(b.Text)
	case provider.Thinking:
		if b.Redacted != "" {
			return sdk.NewRedactedThinkingBlock(b.Redacted), true
		}
		// The vendor refuses thinking that it has not sealed.
		return sdk.NewThinkingBlock(b.Signature, b.Text), b.Signature != ""
	case provider.ToolCall:
		wire := h.ids.use(b.ID)
		h.calls = append(h.calls, sentCall{id: b.ID, wire: wire})
		return toolUse(b, wire), true
	case provider.Opaque:
		return opaque(b)
	case provider.ToolResult, provider.Image, provider.File: // only users send these
		return block, false
	default:
		panic("anthropic: a block of no known kind")
	}
}

// toolUse gives the call back. One whose arguments are no object goes as {}:
// its result quotes what the model wrote.
func toolUse(c provider.ToolCall, id string) sdk.ContentBlockParamUnion {
	input := c.Arguments
	if !wire.IsObject(string(input)) {
		input = json.RawMessage("{}")
	}
	use := sdk.ContentBlockParamUnion{OfToolUse: &sdk.ToolUseBlockParam{ID: id, Name: c.Name, Input: input}}
	extra := make(map[string]json.RawMessage, len(c.Extra))
	for name, value := range c.Extra {
		if !strangeMembers[name] && json.Valid(value) {
			extra[name] = value
		}
	}
	if len(extra) == 0 {
		return use
	}
	raw, err := json.Marshal(use)
	if err == nil {
		raw, err = addMembers(raw, extra)
	}
	if err != nil { // all of it is known to be JSON
		panic("anthropic: " + err.Error())
	}
	return param.Override[sdk.ContentBlockParamUnion](json.RawMessage(raw))
}

// strangeMembers are extras of calls that another dialect sent, which this
// vendor refuses, and members that stand for themselves.
var strangeMembers = map[string]bool{
	"extra_content": true, "function": true, "index": true,
	"type": true, "id": true, "name": true, "input": true, "cache_control": true,
}

func opaque(b provider.Opaque) (block sdk.ContentBlockParamUnion, ok bool) {
	if b.Dialect != dialect || !wire.IsObject(string(b.Raw)) {
		return block, false
	}
	return param.Override[sdk.ContentBlockParamUnion](b.Raw), true
}

// user adds a block of a user or tool message to the user message at hand.
func (h *history) user(b provider.Block) error {
	switch b := b.(type) {
	case provider.Text:
		if !blank(b.Text) {
			h.rest = append(h.rest, sdk.NewTextBlock(b.Text))
		}
	case provider.Image:
		h.rest = append(h.rest, image(b))
	case provider.File:
		block, err := document(b)
		if err != nil {
			return err
		}
		h.rest = append(h.rest, block)
	case provider.ToolResult:
		h.answer(b)
	case provider.Opaque:
		if block, ok := opaque(b); ok {
			h.rest = append(h.rest, block)
		}
	case provider.Thinking, provider.ToolCall: // only the model sends these
	default:
		panic("anthropic: a block of no known kind")
	}
	return nil
}

// answer notes r with its call. A result that answers no call of the message
// before it is left out: the vendor refuses the whole request for it.
func (h *history) answer(r provider.ToolResult) {
	i := slices.IndexFunc(h.calls, func(c sentCall) bool { return c.id == r.Call && c.done == nil })
	if i >= 0 {
		h.calls[i].done = &r
	}
}

// flush ends the user message at hand.
func (h *history) flush() {
	for _, c := range h.calls {
		result := c.done
		if result == nil {
			result = &provider.ToolResult{Text: "no result of this call is known", IsError: true}
		}
		h.results = append(h.results, toolResult(c.wire, *result))
	}
	h.calls = nil
	blocks := append(h.results, h.rest...)
	h.results, h.rest = nil, nil
	if len(blocks) == 0 {
		return
	}
	if n := len(h.out); n > 0 && h.out[n-1].OfUser != nil {
		last := h.out[n-1].OfUser
		last.Content = append(last.Content, blocks...)
		return
	}
	h.out = append(h.out, sdk.NewUserMessage(blocks...))
}

// trimEnd trims the end of an assistant's last word that is to be gone on
// from: the vendor refuses blanks there.
func (h *history) trimEnd() {
	if len(h.out) == 0 || h.out[len(h.out)-1].OfAssistant == nil {
		return
	}
	blocks := h.out[len(h.out)-1].OfAssistant.Content
	if text := blocks[len(blocks)-1].OfText; text != nil {
		text.Text = strings.TrimRight(text.Text, " \t\r\n")
	}
}

func toolResult(id string, r provider.ToolResult) sdk.ContentBlockParamUnion {
	result := &sdk.ToolResultBlockParam{ToolUseID: id}
	text := r.Text
	if r.IsError {
		result.IsError = param.NewOpt(true)
		if blank(text) && len(r.Images) == 0 {
			text = "(no output)" // an error must say something
		}
	}
	if !blank(text) {
		result.Content = append(result.Content,
			sdk.ToolResultBlockParamContentUnion{OfText: &sdk.TextBlockParam{Text: text}})
	}
	for _, i := range r.Images {
		result.Content = append(result.Content,
			sdk.ToolResultBlockParamContentUnion{OfImage: image(i).OfImage})
	}
	return sdk.ContentBlockParamUnion{OfToolResult: result}
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }
