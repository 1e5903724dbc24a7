package anthropic

import (
	"bytes"
	"encoding/json"
)

// arguments returns the JSON object that the text of a call's input says: {}
// for none, nil for what is no object. An object within one JSON string counts;
// nothing else is mended but half characters, which no vendor takes back.
func arguments(text []byte) json.RawMessage {
	text = bytes.TrimSpace(text)
	if len(text) == 0 || string(text) == "null" {
		return json.RawMessage("{}")
	}
	if text[0] == '"' {
		var inner string
		if json.Unmarshal(text, &inner) != nil {
			return nil
		}
		text = bytes.TrimSpace([]byte(inner))
	}
	if !isObject(text) {
		return nil
	}
	return mendEscapes(text)
}

// mendEscapes returns a copy of the JSON text raw in which each half of a
// surrogate pair that is alone is the escape of U+FFFD. B022
func mendEscapes(raw []byte) json.RawMessage {
	out := bytes.Clone(raw)
	for i := 0; i < len(out); {
		at := bytes.IndexByte(out[i:], '\\')
		if at < 0 {
			break
		}
		i += at
		code, ok := hex4(out[i:])
		switch {
		case !ok:
			i += 2
			continue
		case isHighSurrogate(code):
			if low, ok := hex4(out[i+6:]); ok && isLowSurrogate(low) {
				i += 12
				continue
			}
			copy(out[i:], `\ufffd`)
		case isLowSurrogate(code):
			copy(out[i:], `\ufffd`)
		}
		i += 6
	}
	return out
}

func isLowSurrogate(code rune) bool { return 0xdc00 <= code && code < 0xe000 }
