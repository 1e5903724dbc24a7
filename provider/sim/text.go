package sim

import (
	"encoding/json"
	"strconv"
	"time"
	"unicode/utf8"
)

// madeAt is when everything here was made, so that answers are the same bytes
// at any time.
const madeAt = 1767225600

const hexDigits = "0123456789abcdef"

// appendString appends s as a JSON string. It allocates nothing of its own:
// this is done for every token.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			b = utf8.AppendRune(b, r)
			i += size
			continue
		}
		i++
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, '\\', 'n')
		case c == '\t':
			b = append(b, '\\', 't')
		case c < ' ':
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}

// appendJSON appends any value as JSON.
func appendJSON(b []byte, value any) []byte {
	data, err := json.Marshal(value)
	if err != nil {
		panic("sim: " + err.Error()) // all values are ours or have been read as JSON
	}
	return append(b, data...)
}

// stamper tells when a frame was made, and when the script wanted it.
type stamper struct {
	clock Clock
	due   time.Time
}

// append appends the members of Config.Stamp; a nil stamper has none.
func (s *stamper) append(b []byte) []byte {
	if s == nil {
		return b
	}
	b = strconv.AppendInt(append(b, `,"weir_due_ns":`...), s.clock.At(s.due), 10)
	return strconv.AppendInt(append(b, `,"weir_sent_ns":`...), s.clock.Now(), 10)
}
