package wire

import (
	"bytes"
	"encoding/json"
)

// Mended returns a copy of valid JSON that will be sent back, in which lone
// surrogate escapes, which no vendor takes, are U+FFFD.
func Mended(raw []byte) json.RawMessage {
	return pairSurrogates(bytes.Clone(raw))
}
