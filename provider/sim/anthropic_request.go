package sim

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/weir-agents/weir/provider"
)

// breakpointsMax is how many cache_control marks the vendor takes.
const breakpointsMax = 4

type anthropicRequest struct {
	Model       string          `json:"model"`
	MaxTokens   int             `json:"max_tokens"`
	System      json.RawMessage `json:"system"`
	Stream      bool            `json:"stream"`
	Temperature *float64        `json:"temperature"`
	Thinking    struct {
		Type string `json:"type"`
	} `json:"thinking"`
	OutputConfig struct {
		Effort string `json:"effort"`
	} `json:"output_config"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"input_schema"`
	} `json:"tools"`
}

type anthropicBlock struct {
	Type      string          `json:"type"`
	Text      *string         `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Data      string          `json:"data"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
	Title     string          `json:"title"`
	Source    struct {
		MediaType string `json:"media_type"`
		Data      []byte `json:"data"`
	} `json:"source"`
}

func (anthropic) decode(body []byte, c *checker) (ask, error) {
	var in anthropicRequest
	if err := json.Unmarshal(body, &in); err != nil {
		return ask{}, err
	}
	req := provider.Request{
		Model: in.Model, NoStream: !in.Stream, MaxTokens: in.MaxTokens,
		Temperature: in.Temperature, Effort: in.OutputConfig.Effort,
		Thinking: in.Thinking.Type != "" && in.Thinking.Type != "disabled",
	}
	if in.MaxTokens <= 0 {
		c.bad("max_tokens: it is required and above 0")
	}
	if n := bytes.Count(body, []byte(`"cache_control"`)); n > breakpointsMax {
		c.bad("cache_control: %d blocks are marked, at most %d may be", n, breakpointsMax)
	}
	d := anthropicDecoder{c: c, req: &req, names: map[string]string{}}
	for i, b := range d.blocks("system", in.System) {
		if b.Type != "text" || b.Text == nil || *b.Text == "" {
			c.bad("system.%d: not a text, or an empty one", i)
			continue
		}
		req.System += *b.Text
	}
	for _, t := range in.Tools {
		req.Tools = append(req.Tools, provider.ToolSpec{Name: t.Name, Description: t.Description, Schema: t.InputSchema})
	}
	role := ""
	for i, m := range in.Messages {
		d.at = i
		switch {
		case i == 0 && m.Role != "user":
			c.bad("messages.0: the first message is the user's, not of role %q", m.Role)
		case m.Role == role:
			c.bad("messages.%d: roles alternate, but this and the one before it are of role %q", i, role)
		case m.Role != "user" && m.Role != "assistant":
			c.bad("messages.%d: there is no role %q; the system prompt has a member of its own", i, m.Role)
		}
		role = m.Role
		d.message(m.Role, m.Content)
	}
	d.lastWords(role)
	c.request(req)
	return ask{req: req, stream: in.Stream, usage: true}, nil
}

// anthropicDecoder turns the messages of one request into ours.
type anthropicDecoder struct {
	c     *checker
	req   *provider.Request
	at    int               // number of the message
	names map[string]string // of calls, by id
}

// blocks reads a string or a list of blocks. Their raw forms are kept in Input
// where the type is not known here.
func (d *anthropicDecoder) blocks(what string, content json.RawMessage) []anthropicBlock {
	if len(content) == 0 || string(content) == "null" {
		return nil
	}
	var text string
	if json.Unmarshal(content, &text) == nil {
		return []anthropicBlock{{Type: "text", Text: &text}}
	}
	var raw []json.RawMessage
	if err := json.Unmarshal(content, &raw); err != nil {
		d.c.bad("%s: not a text and not a list of blocks", what)
	}
	all := make([]anthropicBlock, len(raw))
	for i, r := range raw {
		// A block of another type may have these members in other forms: then it
		// is opaque all the same.
		if err := json.Unmarshal(r, &all[i]); err != nil && knownBlocks[all[i].Type] {
			d.c.bad("%s.%d: %v", what, i, err)
		}
		if !knownBlocks[all[i].Type] {
			all[i].Input = r
		}
	}
	return all
}

var knownBlocks = map[string]bool{
	"text": true, "thinking": true, "redacted_thinking": true, "tool_use": true,
	"tool_result": true, "image": true, "document": true,
}

func (d *anthropicDecoder) message(role string, content json.RawMessage) {
	all := d.blocks("messages", content)
	if len(all) == 0 {
		d.c.bad("messages.%d: an empty message", d.at)
	}
	var results, rest []provider.Block
	for k, b := range all {
		block := d.block(k, b)
		if _, ok := block.(provider.ToolResult); !ok {
			rest = append(rest, block)
			continue
		}
		if role != "user" {
			d.c.bad("messages.%d.content.%d: a result in a message of role %q", d.at, k, role)
		}
		if len(rest) > 0 {
			d.c.bad("messages.%d.content.%d: results come before anything else", d.at, k)
		}
		results = append(results, block)
	}
	if len(results) > 0 {
		d.add(provider.Tool, results)
	}
	if len(rest) > 0 {
		d.add(provider.Role(role), rest)
	}
}

func (d *anthropicDecoder) add(role provider.Role, blocks []provider.Block) {
	d.req.Messages = append(d.req.Messages, provider.Message{Role: role, Blocks: blocks})
}

func (d *anthropicDecoder) block(k int, b anthropicBlock) provider.Block {
	switch b.Type {
	case "text":
		if b.Text == nil || strings.TrimSpace(*b.Text) == "" {
			d.c.bad("messages.%d.content.%d: a text block is empty", d.at, k)
			return provider.Text{}
		}
		return provider.Text{Text: *b.Text}
	case "thinking":
		t := provider.Thinking{Text: b.Thinking, Signature: b.Signature}
		d.c.thinking(d.at, t)
		return t
	case "redacted_thinking":
		return provider.Thinking{Redacted: b.Data}
	case "tool_use":
		if _, twice := d.names[b.ID]; twice {
			d.c.bad("messages.%d.content.%d: the id %q is there twice", d.at, k, b.ID)
		}
		d.names[b.ID] = b.Name
		return provider.ToolCall{ID: b.ID, Name: b.Name, Arguments: b.Input, Raw: string(b.Input)}
	case "tool_result":
		return d.result(b)
	case "image":
		return provider.Image{MediaType: b.Source.MediaType, Data: b.Source.Data}
	case "document":
		return provider.File{Name: b.Title, MediaType: b.Source.MediaType, Data: b.Source.Data}
	case "":
		d.c.bad("messages.%d.content.%d: a block has no type", d.at, k)
		return provider.Text{}
	default:
		return provider.Opaque{Dialect: "anthropic", Raw: b.Input}
	}
}

func (d *anthropicDecoder) result(b anthropicBlock) provider.ToolResult {
	r := provider.ToolResult{Call: b.ToolUseID, Name: d.names[b.ToolUseID], IsError: b.IsError}
	for k, in := range d.blocks("content of a result", b.Content) {
		switch block := d.block(k, in).(type) {
		case provider.Text:
			r.Text += block.Text
		case provider.Image:
			r.Images = append(r.Images, block)
		default:
			d.c.bad("messages.%d: a result holds only text and images", d.at)
		}
	}
	return r
}

// lastWords refuses an unfinished answer that ends in blanks.
func (d *anthropicDecoder) lastWords(role string) {
	if role != "assistant" || len(d.req.Messages) == 0 {
		return
	}
	last := d.req.Messages[len(d.req.Messages)-1].Blocks
	if t, ok := last[len(last)-1].(provider.Text); ok && strings.TrimRight(t.Text, " \t\r\n") != t.Text {
		d.c.bad("messages.%d: an answer to go on from may not end in blanks", d.at)
	}
}
