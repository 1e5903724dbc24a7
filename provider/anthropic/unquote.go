package anthropic

import (
	"unicode/utf16"
	"unicode/utf8"
)

// unquote appends to dst what the JSON string with the inside raw says. The
// escapes of raw are valid. A model's character may be cut between two pieces,
// half a surrogate pair in each: *half holds the first half from one piece to
// the next, 0 if there is none. A half that stays alone becomes U+FFFD. B022
func unquote(dst, raw []byte, half *rune) []byte {
	for i := 0; i < len(raw); {
		if *half != 0 {
			low, ok := hex4(raw[i:])
			both := utf16.DecodeRune(*half, low)
			*half = 0
			dst = utf8.AppendRune(dst, both) // U+FFFD if they make no pair
			if ok && both != utf8.RuneError {
				i += 6
				continue
			}
		}
		if raw[i] != '\\' {
			dst = append(dst, raw[i])
			i++
			continue
		}
		code, ok := hex4(raw[i:])
		switch {
		case !ok:
			dst = append(dst, unescape(raw[i+1]))
			i += 2
			continue
		case isHighSurrogate(code):
			*half = code
		default:
			dst = utf8.AppendRune(dst, code) // a low half alone becomes U+FFFD
		}
		i += 6
	}
	return dst
}

func isHighSurrogate(code rune) bool { return 0xd800 <= code && code < 0xdc00 }

func unescape(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	default: // a quote, a slash, a backslash
		return c
	}
}
