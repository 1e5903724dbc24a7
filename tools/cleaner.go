package tools

import (
	"unicode/utf8"
)

// escapeMax bounds, in bytes, a control string such as a title: without its
// end it would swallow all output after it.
const escapeMax = 4096

// cleaner makes the bytes a program writes fit for a model: valid UTF-8,
// without the escape sequences for a terminal, without NUL. It keeps its place
// between two pieces of one stream.
type cleaner struct {
	state  cleanState
	held   []byte // an unfinished character, or a control string so far
	closer bool   // the last byte of a control string was ESC
}

type cleanState uint8

const (
	inText   cleanState = iota
	inEscape            // after ESC
	inCSI               // ESC [, until a final byte
	inString            // ESC ], P, X, ^ or _, until BEL or ESC \
)

// clean appends what is left of p to dst.
func (c *cleaner) clean(dst, p []byte) []byte {
	if c.state == inText && len(c.held) > 0 {
		p = append(c.held, p...)
		c.held = nil
	}
	for len(p) > 0 {
		var n int
		switch c.state {
		case inText:
			dst, n = c.text(dst, p)
		case inEscape:
			n = c.escape(p[0])
		case inCSI:
			n = c.csi(p[0])
		case inString:
			dst, n = c.str(dst, p[0])
		}
		p = p[n:]
	}
	return dst
}

// rest appends what is unfinished at the end of the stream, or of a control string
// that was none: its text, without what began it. Half an escape sequence has none.
func (c *cleaner) rest(dst []byte) []byte {
	held, state := c.held, c.state
	c.reset()
	switch state {
	case inText:
		for range held {
			dst = utf8.AppendRune(dst, utf8.RuneError)
		}
	case inString: // There may be another one in it.
		inner := cleaner{}
		dst = inner.clean(dst, held)
		dst = inner.rest(dst)
	case inEscape, inCSI:
	}
	return dst
}

// text takes plain text up to the next thing that is none.
func (c *cleaner) text(dst, p []byte) ([]byte, int) {
	n := 0
	for n < len(p) && p[n] < utf8.RuneSelf && p[n] != 0x1b && p[n] != 0 {
		n++
	}
	if n > 0 {
		return append(dst, p[:n]...), n
	}
	switch p[0] {
	case 0x1b:
		c.state = inEscape
		return dst, 1
	case 0:
		return utf8.AppendRune(dst, utf8.RuneError), 1
	}
	if !utf8.FullRune(p) {
		c.held = append(c.held, p...)
		return dst, len(p)
	}
	r, n := utf8.DecodeRune(p)
	switch {
	case r == 0x9b:
		c.state = inCSI
	case r == 0x9d || r == 0x90 || r == 0x98 || r == 0x9e || r == 0x9f:
		c.state = inString
	case r >= 0x80 && r < 0xa0: // The other C1 controls have no text.
	default:
		dst = utf8.AppendRune(dst, r)
	}
	return dst, n
}

func (c *cleaner) escape(b byte) int {
	switch {
	case b == '[':
		c.state = inCSI
	case b == ']' || b == 'P' || b == 'X' || b == '^' || b == '_':
		c.state = inString
	case b >= 0x20 && b < 0x30: // Intermediate: one more byte follows.
	case b >= 0x30 && b < 0x7f:
		c.state = inText
	default: // No sequence after all.
		c.state = inText
		return 0
	}
	return 1
}

func (c *cleaner) csi(b byte) int {
	switch {
	case b >= 0x20 && b < 0x40:
		return 1
	case b >= 0x40 && b < 0x7f:
		c.state = inText
		return 1
	default:
		c.state = inText
		return 0
	}
}

// str takes one byte of a control string. One that does not end on its line
// was none, and is text.
func (c *cleaner) str(dst []byte, b byte) ([]byte, int) {
	end := b == 0x07 || c.closer && b == '\\' || b == 0x18 || b == 0x1a
	if end {
		c.reset()
		return dst, 1
	}
	if b == '\n' || len(c.held) >= escapeMax {
		return c.rest(dst), 0
	}
	if c.closer = b == 0x1b; !c.closer {
		c.held = append(c.held, b)
	}
	return dst, 1
}

func (c *cleaner) reset() { c.state, c.held, c.closer = inText, nil, false }
