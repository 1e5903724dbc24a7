package sim

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/script"
)

// checker keeps the first thing a strict vendor would refuse about a request.
type checker struct {
	server *Server
	first  string
}

func (c *checker) bad(format string, args ...any) {
	if c.first == "" {
		c.first = fmt.Sprintf(format, args...)
	}
}

// request checks what all vendors demand alike.
func (c *checker) request(req provider.Request) {
	if req.Model == "" {
		c.bad("model: the request names no model")
	}
	if len(req.Messages) == 0 {
		c.bad("messages: there is none")
	}
	c.results(req.Messages)
	c.tools(req.Tools)
}

// results checks that each call has one result, in order, right after it.
func (c *checker) results(messages []provider.Message) {
	var open []provider.ToolCall
	for i, m := range messages {
		if m.Role == provider.Tool {
			c.answers(i, open, m)
			open = nil
			continue
		}
		c.none(open)
		open = m.Calls()
		seen := map[string]bool{}
		for _, call := range open {
			switch {
			case call.ID == "":
				c.bad("a call of %q has no id", call.Name)
			case seen[call.ID]:
				c.bad("two calls of a message have the id %q", call.ID)
			case call.Name == "":
				c.bad("the call %q has no name", call.ID)
			case !isObject(call.Arguments):
				c.bad("the arguments of the call %q are not a JSON object", call.ID)
			}
			seen[call.ID] = true
		}
	}
	c.none(open)
}

// none refuses calls that have no result.
func (c *checker) none(calls []provider.ToolCall) {
	for _, call := range calls {
		c.bad("the call %q has no result directly after its message", call.ID)
	}
}

// answers checks the results in m against the calls before it.
func (c *checker) answers(at int, calls []provider.ToolCall, m provider.Message) {
	place := map[string]int{}
	for i, call := range calls {
		place[call.ID] = i
	}
	done := make([]bool, len(calls))
	last := -1
	for _, b := range m.Blocks {
		id := b.(provider.ToolResult).Call // decode puts nothing else there
		k, known := place[id]
		switch {
		case !known:
			c.bad("message %d: a result for %q, which is no call of the message before it", at, id)
			continue
		case done[k]:
			c.bad("message %d: the call %q has two results", at, id)
		case k < last:
			c.bad("message %d: the result of %q is not in the order of the calls", at, id)
		}
		done[k], last = true, k
	}
	for k, call := range calls {
		if !done[k] {
			c.none([]provider.ToolCall{call})
		}
	}
}

var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func (c *checker) tools(tools []provider.ToolSpec) {
	seen := map[string]bool{}
	for _, t := range tools {
		switch {
		case !toolName.MatchString(t.Name):
			c.bad("tools: %q is not a name of at most 64 letters, digits, _ and -", t.Name)
		case seen[t.Name]:
			c.bad("tools: there are two of the name %q", t.Name)
		case !isObject(t.Schema):
			c.bad("tools: the schema of %q is not an object", t.Name)
		}
		seen[t.Name] = true
	}
}

// thinking refuses a block whose text was sent with a signature that it no
// longer has.
func (c *checker) thinking(at int, b provider.Thinking) {
	if b.Redacted == "" && b.Signature == "" {
		c.bad("message %d: thinking has no signature", at)
		return
	}
	if sealed := c.server.sealsOf(b.Text); len(sealed) > 0 && !sealed[b.Signature] {
		c.bad("message %d: the signature of a thinking block is not the one that was sent", at)
	}
}

func sum(text string) string {
	h := sha256.Sum256([]byte(text))
	return string(h[:])
}

// sealsOf returns the signatures that text was sent with.
func (v *Server) sealsOf(text string) map[string]bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	all := map[string]bool{}
	for s := range v.sealed[sum(text)] {
		all[s] = true
	}
	return all
}

// seal remembers that text was sent with a signature. When it knows too many
// texts it starts anew; those before are then not checked.
func (v *Server) seal(text, signature string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.sealed) >= signaturesCount {
		clear(v.sealed)
	}
	key := sum(text)
	if v.sealed[key] == nil {
		v.sealed[key] = map[string]bool{}
	}
	v.sealed[key][signature] = true
}

// sealer notes the signed thinking of an answer.
type sealer struct {
	server *Server
	texts  map[int][]byte
}

func (s *sealer) act(a script.Act) {
	t, ok := a.Of.(script.Thinking)
	if !ok || t.Signature == "" {
		return
	}
	switch a.Kind {
	case script.ActPiece:
		if s.texts == nil {
			s.texts = map[int][]byte{}
		}
		s.texts[a.Block] = append(s.texts[a.Block], a.Text...)
	case script.ActClose:
		s.server.seal(string(s.texts[a.Block]), t.Signature)
		delete(s.texts, a.Block)
	}
}

// isObject reports whether raw is a JSON object.
func isObject(raw []byte) bool {
	raw = bytes.TrimSpace(raw)
	return bytes.HasPrefix(raw, []byte("{")) && json.Valid(raw)
}
