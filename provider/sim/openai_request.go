package sim

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/weir-agents/weir/provider"
)

type openaiRequest struct {
	Model         string          `json:"model"`
	Messages      []openaiMessage `json:"messages"`
	Stream        bool            `json:"stream"`
	StreamOptions *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Tools []struct {
		Function struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
	MaxTokens           int      `json:"max_tokens"`
	MaxCompletionTokens int      `json:"max_completion_tokens"`
	Temperature         *float64 `json:"temperature"`
	ReasoningEffort     string   `json:"reasoning_effort"`
}

type openaiMessage struct {
	Role             string                       `json:"role"`
	Content          json.RawMessage              `json:"content"`
	Refusal          string                       `json:"refusal"`
	ReasoningContent string                       `json:"reasoning_content"`
	ToolCalls        []map[string]json.RawMessage `json:"tool_calls"`
	ToolCallID       string                       `json:"tool_call_id"`
}

type openaiPart struct {
	Type     string  `json:"type"`
	Text     *string `json:"text"`
	Refusal  string  `json:"refusal"`
	ImageURL struct {
		URL string `json:"url"`
	} `json:"image_url"`
	File struct {
		Filename string `json:"filename"`
		FileData string `json:"file_data"`
	} `json:"file"`
}

func (openai) decode(body []byte, c *checker) (ask, error) {
	var in openaiRequest
	if err := json.Unmarshal(body, &in); err != nil {
		return ask{}, err
	}
	req := provider.Request{
		Model: in.Model, NoStream: !in.Stream, MaxTokens: max(in.MaxTokens, in.MaxCompletionTokens),
		Temperature: in.Temperature, Effort: in.ReasoningEffort,
	}
	for _, t := range in.Tools {
		schema := t.Function.Parameters
		if schema == nil {
			schema = json.RawMessage(`{"type":"object"}`)
		}
		req.Tools = append(req.Tools, provider.ToolSpec{Name: t.Function.Name, Description: t.Function.Description, Schema: schema})
	}
	d := openaiDecoder{c: c, req: &req, names: map[string]string{}}
	for i, m := range in.Messages {
		d.message(i, m)
	}
	usage := in.StreamOptions != nil && in.StreamOptions.IncludeUsage
	if in.StreamOptions != nil && !in.Stream {
		c.bad("stream_options: only allowed when stream is true")
	}
	c.request(req)
	return ask{req: req, stream: in.Stream, usage: usage}, nil
}

// openaiDecoder turns the messages of one request into ours.
type openaiDecoder struct {
	c     *checker
	req   *provider.Request
	names map[string]string // of calls, by id
}

func (d *openaiDecoder) message(i int, m openaiMessage) {
	blocks := d.content(i, m)
	switch m.Role {
	case "system", "developer":
		if len(d.req.Messages) > 0 {
			d.c.bad("messages.%d: a %s message after the conversation has begun", i, m.Role)
		}
		d.req.System += provider.Message{Blocks: blocks}.Text()
	case "user":
		if len(blocks) == 0 {
			d.c.bad("messages.%d: an empty user message", i)
		}
		d.add(provider.User, blocks)
	case "assistant":
		d.assistant(i, m, blocks)
	case "tool":
		d.tool(i, m, blocks)
	default:
		d.c.bad("messages.%d: there is no role %q", i, m.Role)
	}
}

func (d *openaiDecoder) add(role provider.Role, blocks []provider.Block) {
	d.req.Messages = append(d.req.Messages, provider.Message{Role: role, Blocks: blocks})
}

func (d *openaiDecoder) assistant(i int, m openaiMessage, text []provider.Block) {
	var blocks []provider.Block
	if m.ReasoningContent != "" {
		blocks = append(blocks, provider.Thinking{Text: m.ReasoningContent})
	}
	blocks = append(blocks, text...)
	if m.Refusal != "" {
		blocks = append(blocks, provider.Text{Text: m.Refusal})
	}
	if m.ToolCalls != nil && len(m.ToolCalls) == 0 {
		d.c.bad("messages.%d.tool_calls: an empty list", i)
	}
	for k, raw := range m.ToolCalls {
		blocks = append(blocks, d.call(i, k, raw))
	}
	if (provider.Message{Blocks: blocks}).Empty() {
		d.c.bad("messages.%d: an assistant message with neither content nor calls", i)
	}
	d.add(provider.Assistant, blocks)
}

func (d *openaiDecoder) call(i, k int, raw map[string]json.RawMessage) provider.ToolCall {
	var call provider.ToolCall
	var kind string
	var function struct{ Name, Arguments string }
	for name, value := range raw {
		var err error
		switch name {
		case "id":
			err = json.Unmarshal(value, &call.ID)
		case "type":
			err = json.Unmarshal(value, &kind)
		case "function":
			err = json.Unmarshal(value, &function)
		case "index":
		default:
			if call.Extra == nil {
				call.Extra = map[string]json.RawMessage{}
			}
			call.Extra[name] = value
		}
		if err != nil {
			d.c.bad("messages.%d.tool_calls.%d.%s: %v", i, k, name, err)
		}
	}
	if kind != "function" {
		d.c.bad("messages.%d.tool_calls.%d.type: %q is not \"function\"", i, k, kind)
	}
	call.Name, call.Raw = function.Name, function.Arguments
	if isObject([]byte(call.Raw)) {
		call.Arguments = json.RawMessage(call.Raw)
	}
	d.names[call.ID] = call.Name
	return call
}

// tool adds a result to the message that holds those of the same calls.
func (d *openaiDecoder) tool(i int, m openaiMessage, blocks []provider.Block) {
	for _, b := range blocks {
		if _, ok := b.(provider.Text); !ok {
			d.c.bad("messages.%d: a result holds only text", i)
		}
	}
	if m.Content == nil || string(m.Content) == "null" {
		d.c.bad("messages.%d: a result without content", i)
	}
	r := provider.ToolResult{Call: m.ToolCallID, Name: d.names[m.ToolCallID], Text: provider.Message{Blocks: blocks}.Text()}
	if n := len(d.req.Messages); n > 0 && d.req.Messages[n-1].Role == provider.Tool {
		last := &d.req.Messages[n-1]
		last.Blocks = append(last.Blocks, r)
		return
	}
	d.add(provider.Tool, []provider.Block{r})
}

// content reads a string, null, or a list of parts.
func (d *openaiDecoder) content(i int, m openaiMessage) []provider.Block {
	var text string
	if len(m.Content) == 0 || json.Unmarshal(m.Content, &text) == nil { // null leaves it empty
		if text == "" {
			return nil
		}
		return []provider.Block{provider.Text{Text: text}}
	}
	var parts []openaiPart
	if err := json.Unmarshal(m.Content, &parts); err != nil {
		d.c.bad("messages.%d.content: %v", i, err)
	}
	var blocks []provider.Block
	for k, p := range parts {
		switch {
		case p.Type == "text" && p.Text != nil:
			blocks = append(blocks, provider.Text{Text: *p.Text})
		case p.Type == "refusal":
			blocks = append(blocks, provider.Text{Text: p.Refusal})
		case p.Type == "image_url":
			media, data := dataURL(p.ImageURL.URL)
			blocks = append(blocks, provider.Image{MediaType: media, Data: data})
		case p.Type == "file":
			media, data := dataURL(p.File.FileData)
			blocks = append(blocks, provider.File{Name: p.File.Filename, MediaType: media, Data: data})
		default:
			d.c.bad("messages.%d.content.%d: there is no type %q", i, k, p.Type)
		}
	}
	return blocks
}

// dataURL takes data:TYPE;base64,DATA apart. Another URL has neither.
func dataURL(url string) (media string, data []byte) {
	head, rest, _ := strings.Cut(strings.TrimPrefix(url, "data:"), ";base64,")
	data, err := base64.StdEncoding.DecodeString(rest)
	if err != nil || rest == "" {
		return "", nil
	}
	return head, data
}
