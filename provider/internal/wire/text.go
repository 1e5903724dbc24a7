package wire

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// Half is the first half of a surrogate pair that ended one piece of a text.
// The zero value is none. Each text that is put together of pieces has its own.
type Half rune

// Append appends to dst what the JSON string literal lit says, quotes left
// out, and returns dst. A surrogate escape that ends the literal is kept until
// the next piece; a half that stays alone becomes U+FFFD. lit must be valid.
func (h *Half) Append(dst, lit []byte) []byte {
	if len(lit) == 0 {
		return dst
	}
	if *h == 0 && bytes.IndexByte(lit, '\\') < 0 {
		return append(dst, lit...)
	}
	for len(lit) > 0 {
		i := bytes.IndexByte(lit, '\\')
		if i != 0 {
			dst = h.Flush(dst)
			if i < 0 {
				return append(dst, lit...)
			}
			dst = append(dst, lit[:i]...)
			lit = lit[i:]
		}
		if len(lit) < 2 {
			return dst
		}
		if lit[1] == 'u' && len(lit) >= 6 {
			dst = h.unit(dst, hex4(lit[2:6]))
			lit = lit[6:]
			continue
		}
		dst = append(h.Flush(dst), unescape(lit[1]))
		lit = lit[2:]
	}
	return dst
}

// Flush appends U+FFFD for a half whose other half never came.
func (h *Half) Flush(dst []byte) []byte {
	if *h != 0 {
		*h = 0
		dst = utf8.AppendRune(dst, utf8.RuneError)
	}
	return dst
}

// unit appends one UTF-16 unit.
func (h *Half) unit(dst []byte, u rune) []byte {
	if *h != 0 {
		if r := utf16.DecodeRune(rune(*h), u); r != utf8.RuneError {
			*h = 0
			return utf8.AppendRune(dst, r)
		}
		dst = h.Flush(dst)
	}
	if u >= 0xD800 && u < 0xDC00 {
		*h = Half(u)
		return dst
	}
	return utf8.AppendRune(dst, u) // the second half of nothing becomes U+FFFD
}

func hex4(digits []byte) rune {
	var r rune
	for _, d := range digits {
		switch {
		case d >= 'a':
			d -= 'a' - 10
		case d >= 'A':
			d -= 'A' - 10
		default:
			d -= '0'
		}
		r = r<<4 | rune(d)
	}
	return r
}

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
	}
	return c
}
