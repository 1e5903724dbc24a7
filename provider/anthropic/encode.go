package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/param"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/internal/wire"
)

// encode returns the body of req, the same bytes for equal requests, so that
// the vendor's prompt cache is hit.
func encode(cfg Config, req provider.Request) ([]byte, error) {
	messages, err := encodeMessages(req.Messages)
	if err != nil {
		return nil, err
	}
	tools, err := encodeTools(cfg, req)
	if err != nil {
		return nil, err
	}
	p := sdk.MessageNewParams{
		Model:     req.Model,
		MaxTokens: int64(cfg.MaxTokens),
		Messages:  messages,
		Tools:     tools,
	}
	if req.MaxTokens > 0 {
		p.MaxTokens = int64(req.MaxTokens)
	}
	if !blank(req.System) {
		p.System = []sdk.TextBlockParam{{Text: req.System}}
	}
	if req.Thinking {
		p.Thinking.OfAdaptive = &sdk.ThinkingConfigAdaptiveParam{
			Display: sdk.ThinkingConfigAdaptiveDisplaySummarized,
		}
	}
	if req.Effort != "" {
		p.OutputConfig.Effort = sdk.OutputConfigEffort(req.Effort)
	}
	if !cfg.NoPromptCache {
		setBreakpoints(&p)
	}
	body, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	return addMembers(body, members(cfg, req))
}

// members returns what the SDK's type has no field for, in the order in which
// a later one wins.
func members(cfg Config, req provider.Request) map[string]json.RawMessage {
	all := make(map[string]json.RawMessage, 2+len(cfg.Extra)+len(req.Extra))
	if !req.NoStream {
		all["stream"] = json.RawMessage("true")
	}
	if req.Temperature != nil {
		all["temperature"], _ = json.Marshal(*req.Temperature)
	}
	maps.Copy(all, cfg.Extra)
	maps.Copy(all, req.Extra)
	return all
}

// addMembers puts members into the JSON object body. Those that it has already
// are replaced in place; the others follow in the order of their names.
func addMembers(body []byte, members map[string]json.RawMessage) ([]byte, error) {
	var out bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !json.Valid(members[name]) {
			return nil, fmt.Errorf("extra member %q is not JSON", name)
		}
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	done := make(map[string]bool, len(members))
	for dec.More() {
		name, value, err := nextMember(dec)
		if err != nil {
			return nil, fmt.Errorf("encode the request: %w", err)
		}
		if with, ok := members[name]; ok {
			value, done[name] = with, true
		}
		writeMember(&out, name, value)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !done[name] {
			writeMember(&out, name, members[name])
		}
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

func nextMember(dec *json.Decoder) (name string, value json.RawMessage, err error) {
	token, err := dec.Token()
	if err != nil {
		return "", nil, err
	}
	name, _ = token.(string)
	err = dec.Decode(&value)
	return name, value, err
}

func writeMember(out *bytes.Buffer, name string, value json.RawMessage) {
	if out.Len() == 0 {
		out.WriteByte('{')
	} else {
		out.WriteByte(',')
	}
	key, _ := json.Marshal(name) // a string cannot fail
	out.Write(key)
	out.WriteByte(':')
	out.Write(value)
}

// samples reports whether the request asks for sampling that the newest API
// version refuses.
func samples(cfg Config, req provider.Request) bool {
	all := members(cfg, req)
	return slices.ContainsFunc([]string{"temperature", "top_p", "top_k"}, func(name string) bool {
		_, ok := all[name]
		return ok
	})
}

func encodeTools(cfg Config, req provider.Request) ([]sdk.ToolUnionParam, error) {
	var tools []sdk.ToolUnionParam
	for _, spec := range req.Tools {
		schema := spec.Schema
		if len(schema) == 0 {
			schema = json.RawMessage(`{"type":"object"}`)
		}
		if !wire.IsObject(string(schema)) {
			return nil, fmt.Errorf("the schema of tool %q is not a JSON object", spec.Name)
		}
		tool := &sdk.ToolParam{
			Name:        spec.Name,
			InputSchema: param.Override[sdk.ToolInputSchemaParam](schema),
		}
		if spec.Description != "" {
			tool.Description = param.NewOpt(spec.Description)
		}
		if !cfg.NoEagerInput && !req.NoStream {
			tool.EagerInputStreaming = param.NewOpt(true)
		}
		tools = append(tools, sdk.ToolUnionParam{OfTool: tool})
	}
	return tools, nil
}

// setBreakpoints marks what the next request will begin with as well: the
// tools, the system prompt, and the last two user messages. The one before the
// last is where this conversation's previous request had its last mark; the
// vendor looks back over 20 blocks only, and one message may have more.
func setBreakpoints(p *sdk.MessageNewParams) {
	mark := sdk.NewCacheControlEphemeralParam()
	if n := len(p.Tools); n > 0 {
		p.Tools[n-1].OfTool.CacheControl = mark
	}
	if n := len(p.System); n > 0 {
		p.System[n-1].CacheControl = mark
	}
	users := 0
	for _, m := range slices.Backward(p.Messages) {
		if m.OfUser == nil {
			continue
		}
		markLast(m.OfUser.Content, mark)
		if users++; users == 2 {
			return
		}
	}
}

// markLast marks the last block that can carry a mark.
func markLast(blocks []sdk.ContentBlockParamUnion, mark sdk.CacheControlEphemeralParam) {
	for _, b := range slices.Backward(blocks) {
		if at := b.GetCacheControl(); at != nil {
			*at = mark
			return
		}
	}
}
