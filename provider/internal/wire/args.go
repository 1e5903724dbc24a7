package wire

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/weir-agents/weir/provider/internal/gather"
)

// Blanks are what JSON allows between its tokens.
const Blanks = " \t\r\n"

// Trim returns text without the blanks around it.
func Trim(text string) string { return strings.Trim(text, Blanks) }

// IsObject reports whether text, blanks around it aside, is a JSON object.
func IsObject(text string) bool {
	text = Trim(text)
	return strings.HasPrefix(text, "{") && json.Valid([]byte(text))
}

// Arguments returns the JSON object that the argument text of a call stands
// for, nil if it is none. Blank text and null are {}; an object inside a JSON
// string is unwrapped once. Nothing is repaired but lone surrogate escapes,
// which would make every later request invalid: they become U+FFFD.
func Arguments(text string) json.RawMessage {
	args, _ := Shared([]byte(text))
	return args
}

// Shared returns what [Arguments] does, and the text itself without the blanks
// around it. Both are in the memory of text, which may be many megabytes and
// which nobody may change from now on; only what needs a change is a copy.
func Shared(text []byte) (args json.RawMessage, raw string) {
	text = bytes.Trim(text, Blanks)
	text = text[:len(text):len(text)]
	raw = gather.String(text)
	if raw == "" || raw == "null" {
		return json.RawMessage("{}"), raw
	}
	if text[0] == '"' {
		var inner string
		if json.Unmarshal(text, &inner) != nil {
			return nil, raw
		}
		text = []byte(Trim(inner))
	}
	if len(text) == 0 || text[0] != '{' || !json.Valid(text) {
		return nil, raw
	}
	return pairSurrogates(text), raw
}

// pairSurrogates returns valid JSON with each \uXXXX that is half a surrogate
// pair without its other half replaced: raw itself if there is none, else a copy.
func pairSurrogates(raw []byte) []byte {
	same := true
	for i := 0; i < len(raw); i++ {
		j := bytes.IndexByte(raw[i:], '\\')
		if j < 0 || i+j+1 >= len(raw) {
			break
		}
		i += j + 1 // at the escaped character
		if raw[i] != 'u' || i+5 > len(raw) {
			continue
		}
		u := hex4(raw[i+1 : i+5])
		if u < 0xD800 || u > 0xDFFF {
			continue
		}
		if u < 0xDC00 && i+11 <= len(raw) && raw[i+5] == '\\' && raw[i+6] == 'u' {
			if low := hex4(raw[i+7 : i+11]); low >= 0xDC00 && low <= 0xDFFF {
				i += 10
				continue
			}
		}
		if same {
			raw, same = bytes.Clone(raw), false
		}
		copy(raw[i+1:], "fffd")
	}
	return raw
}

// Partial follows argument text as it grows and knows, without reading it
// again, whether it is a complete JSON object. The zero value is ready.
type Partial struct {
	depth          int
	quoted, escape bool
	closed, broken bool
	valid          bool // settled by a parse once closed
	checked        bool
}

// Add takes the next piece of the text.
func (p *Partial) Add(piece []byte) {
	for i := 0; i < len(piece) && !p.broken; i++ {
		p.next(piece[i])
	}
}

func (p *Partial) next(c byte) {
	switch {
	case p.quoted:
		switch {
		case p.escape:
			p.escape = false
		case c == '\\':
			p.escape = true
		case c == '"':
			p.quoted = false
		}
	case strings.IndexByte(Blanks, c) >= 0:
	case p.closed, p.depth == 0 && c != '{':
		p.broken = true
	case c == '"':
		p.quoted = true
	case c == '{' || c == '[':
		p.depth++
	case c == '}' || c == ']':
		p.depth--
		p.closed = p.depth == 0
	}
}

// Complete reports whether text, which is all that was added, is a JSON
// object. It asks for the whole text, and parses it, at most once in the life
// of p.
func (p *Partial) Complete(text *gather.Text) bool {
	if !p.closed || p.broken {
		return false
	}
	if !p.checked {
		p.checked, p.valid = true, json.Valid(text.Whole())
	}
	return p.valid
}
