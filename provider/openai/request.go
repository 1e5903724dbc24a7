package openai

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"github.com/weir-agents/weir/provider"
)

// dialect names the blocks that only this adapter understands.
const dialect = "openai"

// params returns the body of req.
func (c *Client) params(req provider.Request) (sdk.ChatCompletionNewParams, error) {
	var p sdk.ChatCompletionNewParams
	if req.Model == "" {
		return p, provider.ErrNoModel
	}
	p.Model = req.Model
	if req.System != "" {
		p.Messages = append(p.Messages, sdk.SystemMessage(req.System))
	}
	for _, m := range req.Messages {
		p.Messages = append(p.Messages, c.messages(m)...)
	}
	for _, t := range req.Tools {
		tool, err := toolParam(t)
		if err != nil {
			return p, err
		}
		p.Tools = append(p.Tools, tool)
	}
	if req.Temperature != nil {
		p.Temperature = sdk.Float(*req.Temperature)
	}
	p.ReasoningEffort = shared.ReasoningEffort(req.Effort)
	if req.MaxTokens > 0 {
		c.limit(&p, int64(req.MaxTokens))
	}
	extra := map[string]any{}
	if !req.NoStream {
		extra["stream"] = true
		p.StreamOptions.IncludeUsage = sdk.Bool(true)
	}
	for _, more := range []map[string]json.RawMessage{c.config.Extra, req.Extra} {
		for key, raw := range more {
			extra[key] = raw
		}
	}
	if len(extra) > 0 {
		p.SetExtraFields(extra)
	}
	return p, nil
}

// limit caps the answer. The vendor has given the member a new name, which its
// newer models insist on and most other servers do not know.
func (c *Client) limit(p *sdk.ChatCompletionNewParams, tokens int64) {
	root, err := url.Parse(c.base.Root)
	if err == nil && (root.Hostname() == "api.openai.com" || strings.HasSuffix(root.Hostname(), ".openai.azure.com")) {
		p.MaxCompletionTokens = sdk.Int(tokens)
		return
	}
	p.MaxTokens = sdk.Int(tokens)
}

func toolParam(t provider.ToolSpec) (sdk.ChatCompletionToolUnionParam, error) {
	f := shared.FunctionDefinitionParam{Name: t.Name}
	if t.Description != "" {
		f.Description = sdk.String(t.Description)
	}
	if len(t.Schema) > 0 {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(t.Schema, &members); err != nil || members == nil {
			return sdk.ChatCompletionToolUnionParam{}, fmt.Errorf("tool %s: %w", t.Name, errNoSchema)
		}
		f.Parameters = make(shared.FunctionParameters, len(members))
		for key, raw := range members {
			f.Parameters[key] = raw
		}
	}
	return sdk.ChatCompletionFunctionTool(f), nil
}

// messages returns m as the messages that Chat Completions has for it; none if
// m says nothing.
func (c *Client) messages(m provider.Message) []sdk.ChatCompletionMessageParamUnion {
	switch m.Role {
	case provider.User:
		return userMessage(contentParts(m.Blocks))
	case provider.Assistant:
		return c.assistantMessage(m)
	case provider.Tool:
		return toolMessages(m)
	default:
		panic("openai: a message of no known role: " + string(m.Role))
	}
}

func userMessage(parts []sdk.ChatCompletionContentPartUnionParam) []sdk.ChatCompletionMessageParamUnion {
	switch {
	case len(parts) == 0:
		return nil
	case len(parts) == 1 && parts[0].OfText != nil: // what every server understands
		return []sdk.ChatCompletionMessageParamUnion{sdk.UserMessage(parts[0].OfText.Text)}
	}
	return []sdk.ChatCompletionMessageParamUnion{sdk.UserMessage(parts)}
}

func contentParts(blocks []provider.Block) []sdk.ChatCompletionContentPartUnionParam {
	var parts []sdk.ChatCompletionContentPartUnionParam
	for _, b := range blocks {
		switch b := b.(type) {
		case provider.Text:
			if b.Text != "" {
				parts = append(parts, sdk.TextContentPart(b.Text))
			}
		case provider.Image:
			parts = append(parts, imagePart(b))
		case provider.File:
			parts = append(parts, sdk.FileContentPart(sdk.ChatCompletionContentPartFileFileParam{
				Filename: sdk.String(b.Name),
				FileData: sdk.String(dataURL(b.MediaType, b.Data)),
			}))
		case provider.Opaque:
			if b.Dialect == dialect {
				parts = append(parts, param.Override[sdk.ChatCompletionContentPartUnionParam](b.Raw))
			}
		case provider.Thinking, provider.ToolCall, provider.ToolResult: // not in a user's mouth
		}
	}
	return parts
}

func imagePart(i provider.Image) sdk.ChatCompletionContentPartUnionParam {
	return sdk.ImageContentPart(sdk.ChatCompletionContentPartImageImageURLParam{URL: dataURL(i.MediaType, i.Data)})
}

func dataURL(mediaType string, data []byte) string {
	return "data:" + mediaType + ";base64," + base64.StdEncoding.EncodeToString(data)
}

func (c *Client) assistantMessage(m provider.Message) []sdk.ChatCompletionMessageParamUnion {
	var a sdk.ChatCompletionAssistantMessageParam
	var thinking strings.Builder
	extra := map[string]any{}
	for _, b := range m.Blocks {
		switch b := b.(type) {
		case provider.Thinking:
			thinking.WriteString(b.Text)
		case provider.ToolCall:
			a.ToolCalls = append(a.ToolCalls, callParam(b))
		case provider.Opaque: // members of the message
			if b.Dialect == dialect {
				maps.Copy(extra, fields(asObject(b.Raw), "role", "content", "tool_calls"))
			}
		case provider.Text, provider.Image, provider.File, provider.ToolResult: // Text comes below
		}
	}
	text := m.Text()
	if text == "" && len(a.ToolCalls) == 0 {
		return nil
	}
	if text != "" {
		a.Content.OfString = sdk.String(text)
	}
	if c.config.GiveThinking && thinking.Len() > 0 {
		extra["reasoning_content"] = thinking.String()
	}
	if len(extra) > 0 {
		a.SetExtraFields(extra)
	}
	return []sdk.ChatCompletionMessageParamUnion{{OfAssistant: &a}}
}

func callParam(call provider.ToolCall) sdk.ChatCompletionMessageToolCallUnionParam {
	arguments := "{}" // what cannot be used is not sent back either
	if call.Arguments != nil {
		arguments = string(call.Arguments)
	}
	p := &sdk.ChatCompletionMessageFunctionToolCallParam{
		ID:       call.ID,
		Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{Name: call.Name, Arguments: arguments},
	}
	if inner := asObject(call.Extra[innerExtra]); len(inner) > 0 {
		p.Function.SetExtraFields(fields(inner, "name", "arguments"))
	}
	if extra := fields(call.Extra, strangeMembers...); len(extra) > 0 {
		p.SetExtraFields(extra)
	}
	return sdk.ChatCompletionMessageToolCallUnionParam{OfFunction: p}
}

// strangeMembers are an extra of calls that Anthropic sent, which servers of
// this dialect refuse, and members that stand for themselves.
var strangeMembers = []string{"caller", innerExtra, "id", "type"}

// fields returns members as the SDK takes them, those that stand for themselves
// left out.
func fields[M ~map[string]json.RawMessage](members M, own ...string) map[string]any {
	all := make(map[string]any, len(members))
	for key, raw := range members {
		if !slices.Contains(own, key) {
			all[key] = raw
		}
	}
	return all
}

// toolMessages returns one message for each result. A tool's message holds
// text only, so images follow the last result as the user's.
func toolMessages(m provider.Message) []sdk.ChatCompletionMessageParamUnion {
	var all []sdk.ChatCompletionMessageParamUnion
	var images []sdk.ChatCompletionContentPartUnionParam
	for _, b := range m.Blocks {
		r, ok := b.(provider.ToolResult)
		if !ok {
			continue
		}
		text := r.Text
		if len(r.Images) > 0 {
			images = append(images, sdk.TextContentPart(fmt.Sprintf("Images of the result of %s (%s):", r.Call, r.Name)))
			for _, i := range r.Images {
				images = append(images, imagePart(i))
			}
			if text == "" {
				text = "(the result is an image and follows)"
			}
		}
		if text == "" {
			text = "(no output)" // an empty message is refused by some
		}
		all = append(all, sdk.ToolMessage(text, r.Call))
	}
	return append(all, userMessage(images)...)
}
