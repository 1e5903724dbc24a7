package openai

import (
	"encoding/json"
	"slices"

	"github.com/weir-agents/weir/provider/internal/wire"
)

// literal is a JSON string as it stands in the data, quotes left out; nil is
// an absent one.
type literal []byte

// chunk is what one frame says. It points into the frame's data.
type chunk struct {
	fault   []byte   // the object that holds an error, or says it is one
	aside   []byte   // a frame that is no chunk
	usages  [][]byte // JSON objects, the later counts
	choices []choice // those with index 0
	scanner scanner
}

// choice is what one choice of a chunk, or of a whole response, adds.
type choice struct {
	fault    []byte
	finish   literal
	thinking []literal
	text     []piece
	refusal  literal
	calls    []entry
	legacy   *entry            // function_call
	details  []json.RawMessage // of the reasoning
}

// piece is a piece of the content.
type piece struct {
	thinking bool
	text     literal
}

// entry is one element of tool_calls.
type entry struct {
	indexed bool
	index   float64
	id      literal
	name    literal
	args    literal // of a string
	object  []byte  // arguments that are no string, as JSON text
	extra   map[string]json.RawMessage
	inner   map[string]json.RawMessage // likewise what stands within function
}

// reset empties c and keeps its memory.
func (c *chunk) reset() {
	c.fault, c.aside = nil, nil
	c.usages = c.usages[:0]
	c.choices = c.choices[:0]
}

// add returns a new choice in c, with the memory that an earlier one left.
func (c *chunk) add() *choice {
	if len(c.choices) < cap(c.choices) {
		c.choices = c.choices[:len(c.choices)+1]
	} else {
		c.choices = append(c.choices, choice{})
	}
	last := &c.choices[len(c.choices)-1]
	*last = choice{thinking: last.thinking[:0], text: last.text[:0], calls: last.calls[:0]}
	return last
}

// object is a parsed JSON object whose values are not.
type object map[string]json.RawMessage

// parse fills c from any JSON object. It is the reader of all that the scanner
// leaves, and the judge of the scanner in tests.
func (c *chunk) parse(data []byte, whole bool) error {
	c.reset()
	var top object
	if err := json.Unmarshal(data, &top); err != nil || top == nil {
		return wire.BadJSON(data)
	}
	c.fault = faultIn(top, data)
	if string(top.text("object")) == "error" && c.fault == nil {
		c.fault = data
	}
	for _, raw := range list(top["choices"]) {
		c.parseChoice(raw, whole)
	}
	c.usage(asObject(top["x_groq"])["usage"])
	c.usage(top["usage"])
	if c.fault == nil && !present(top["choices"]) && len(c.usages) == 0 {
		c.aside = data
	}
	return nil
}

func (c *chunk) usage(raw json.RawMessage) {
	if len(raw) > 0 && raw[0] == '{' {
		c.usages = append(c.usages, raw)
	}
}

// faultIn returns raw, which is the text of o, if there is an error in o, else
// nil. What tells its kind may stand beside it.
func faultIn(o object, raw []byte) []byte {
	if e := o["error"]; len(e) > 0 && (e[0] == '{' || e[0] == '"') { // also one without words
		return raw
	}
	return nil
}

func (c *chunk) parseChoice(raw json.RawMessage, whole bool) {
	o := asObject(raw)
	if index, ok := o.number("index"); o == nil || ok && index != 0 {
		return
	}
	to := c.add()
	to.fault = faultIn(o, raw)
	to.finish = o.text("finish_reason")
	c.usage(o["usage"])
	delta := asObject(o["delta"])
	if whole {
		delta = asObject(o["message"])
	}
	to.parseDelta(delta, whole)
}

func (t *choice) parseDelta(delta object, whole bool) {
	t.details = list(delta["reasoning_details"])
	t.thinking = appendThinking(t.thinking, delta, t.details)
	t.text = appendContent(t.text, delta["content"])
	t.refusal = delta.text("refusal")
	for i, raw := range list(delta["tool_calls"]) {
		o := asObject(raw)
		if o == nil {
			continue
		}
		e := parseEntry(o)
		if whole { // each is a call of its own, whatever its index says
			e.indexed, e.index = true, float64(i)
		}
		t.calls = append(t.calls, e)
	}
	if f := asObject(delta["function_call"]); f != nil {
		if e := parseFunction(f); e.name != nil || len(e.args) > 0 || len(e.object) > 0 {
			t.legacy = &e
		}
	}
}

// appendThinking takes the first of the thinking fields that is not empty:
// they repeat each other.
func appendThinking(to []literal, delta object, details []json.RawMessage) []literal {
	for _, key := range []string{"reasoning_content", "reasoning"} {
		if text := delta.text(key); text != nil {
			return append(to, text)
		}
	}
	for _, raw := range details {
		o := asObject(raw)
		for _, key := range []string{"text", "summary"} {
			if text := o.text(key); text != nil {
				to = append(to, text)
				break
			}
		}
	}
	return to
}

// appendContent takes a string, or a list of parts.
func appendContent(to []piece, raw json.RawMessage) []piece {
	if text := asText(raw); text != nil {
		return append(to, piece{text: text})
	}
	for _, raw := range list(raw) {
		if text := asText(raw); text != nil {
			to = append(to, piece{text: text})
			continue
		}
		part := asObject(raw)
		switch string(part.text("type")) {
		case "text", "output_text":
			if text := part.text("text"); text != nil {
				to = append(to, piece{text: text})
			}
		case "thinking":
			for _, p := range appendContent(nil, part["thinking"]) {
				to = append(to, piece{thinking: true, text: p.text})
			}
		}
	}
	return to
}

func parseEntry(o object) entry {
	e := parseFunction(asObject(o["function"]))
	e.index, e.indexed = o.number("index")
	e.id = o.text("id")
	e.extra = extras(o, "index", "id", "type", "function")
	return e
}

// extras returns the members of o but the known ones, nil if there are none.
func extras(o object, known ...string) map[string]json.RawMessage {
	var all map[string]json.RawMessage
	for key, raw := range o {
		if !present(raw) || slices.Contains(known, key) {
			continue
		}
		if all == nil {
			all = map[string]json.RawMessage{}
		}
		all[key] = wire.Mended(raw)
	}
	return all
}

func parseFunction(f object) entry {
	e := entry{name: f.text("name"), inner: extras(f, "name", "arguments")}
	switch args := f["arguments"]; {
	case !present(args):
	case args[0] == '"':
		e.args = asText(args)
	default:
		e.object = args
	}
	return e
}

func present(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// asText returns the string raw is, nil if it is none or empty.
func asText(raw json.RawMessage) literal {
	if len(raw) <= 2 || raw[0] != '"' {
		return nil
	}
	return literal(raw[1 : len(raw)-1])
}

func asObject(raw json.RawMessage) object {
	var o object
	if len(raw) == 0 || raw[0] != '{' || json.Unmarshal(raw, &o) != nil {
		return nil
	}
	return o
}

func list(raw json.RawMessage) []json.RawMessage {
	var all []json.RawMessage
	if len(raw) == 0 || raw[0] != '[' || json.Unmarshal(raw, &all) != nil {
		return nil
	}
	return all
}

func (o object) text(key string) literal { return asText(o[key]) }

func (o object) number(key string) (float64, bool) {
	var n float64
	raw := o[key]
	if !present(raw) || json.Unmarshal(raw, &n) != nil {
		return 0, false
	}
	return n, true
}
