package render

import (
	"fmt"
	"unicode/utf8"
)

// Escaper makes running text harmless to a terminal: what is not printable
// becomes a visible escape, as Go writes it. Line feeds and tabs stay, a
// carriage return before a line feed goes. It keeps what a chunk left open, so
// the cuts between chunks do not show. The zero value is ready.
type Escaper struct {
	tail []byte // the start of a character whose rest has not come
	cr   bool   // a carriage return whose next character has not come
}

// Append appends the harmless form of text to dst. Its cost is one pass.
func (s *Escaper) Append(dst []byte, text string) []byte {
	if len(s.tail) > 0 {
		text = string(s.tail) + text
		s.tail = s.tail[:0]
	}
	for i := 0; i < len(text); {
		if n := plain(text[i:]); n > 0 {
			dst = s.settle(dst)
			dst = append(dst, text[i:i+n]...)
			i += n
			continue
		}
		if !utf8.FullRuneInString(text[i:]) {
			s.tail = append(s.tail, text[i:]...)
			return dst
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '\r' && !s.cr:
			s.cr = true
		case r == '\n':
			s.cr = false
			dst = append(dst, '\n')
		default:
			dst = s.settle(dst)
			if r == '\r' {
				s.cr = true
				break
			}
			dst = appendRune(dst, r, text[i:i+size])
		}
		i += size
	}
	return dst
}

// Flush appends what is still open, because the text has ended.
func (s *Escaper) Flush(dst []byte) []byte {
	dst = s.settle(dst)
	for _, c := range s.tail {
		dst = fmt.Appendf(dst, `\x%02x`, c)
	}
	s.tail = s.tail[:0]
	return dst
}

func (s *Escaper) settle(dst []byte) []byte {
	if s.cr {
		s.cr = false
		dst = append(dst, `\r`...)
	}
	return dst
}

// plain returns how many bytes at the start of text are printable ASCII.
func plain(text string) int {
	for i := range len(text) {
		if c := text[i]; (c < ' ' && c != '\t') || c >= 0x7f {
			return i
		}
	}
	return len(text)
}

// appendRune appends r, or a visible form if it could move the cursor, change
// the terminal or turn the direction of the text. raw is how it was written.
func appendRune(dst []byte, r rune, raw string) []byte {
	switch {
	case r == utf8.RuneError && len(raw) == 1:
		return fmt.Appendf(dst, `\x%02x`, raw[0])
	case r == '\t':
		return append(dst, '\t')
	case r < ' ' || r == 0x7f:
		return fmt.Appendf(dst, `\x%02x`, r)
	case r < 0xa0 && r >= 0x80, bidi(r):
		return fmt.Appendf(dst, `\u%04x`, r)
	default:
		return append(dst, raw...)
	}
}

// bidi reports whether r turns the direction of the text around it.
func bidi(r rune) bool {
	switch {
	case r == 0x61c, r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return true
	}
	return false
}

// Line returns the harmless form of text on one line of at most limit
// characters, of which the last is … if something was cut; 0 is no limit.
func Line(text string, limit int) string {
	return string(appendLine(nil, text, limit))
}

func appendLine(dst []byte, text string, limit int) []byte {
	count := 0
	for i, r := range text {
		if count++; limit > 0 && count > limit {
			return append(dst[:len(dst)-lastRune(dst)], "…"...)
		}
		size := utf8.RuneLen(r)
		if r == utf8.RuneError {
			_, size = utf8.DecodeRuneInString(text[i:])
		}
		switch r {
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, ' ')
		default:
			dst = appendRune(dst, r, text[i:i+size])
		}
	}
	return dst
}

func lastRune(b []byte) int {
	_, size := utf8.DecodeLastRune(b)
	return size
}

// JSON escapes the characters of a JSON text that a terminal might act on and
// that encoders leave as they are. What a reader decodes stays the same. It
// returns line itself, without a copy, if there are none.
func JSON(line []byte) []byte {
	for i := 0; i < len(line); i++ {
		if line[i] < 0x7f {
			continue
		}
		if r, _ := utf8.DecodeRune(line[i:]); unsafe(r) {
			return escapeJSON(line, i)
		}
	}
	return line
}

func unsafe(r rune) bool { return r == 0x7f || (r >= 0x80 && r < 0xa0) || bidi(r) }

func escapeJSON(line []byte, from int) []byte {
	out := append(make([]byte, 0, len(line)+64), line[:from]...)
	for i := from; i < len(line); {
		r, size := utf8.DecodeRune(line[i:])
		if unsafe(r) {
			out = fmt.Appendf(out, `\u%04x`, r)
		} else {
			out = append(out, line[i:i+size]...)
		}
		i += size
	}
	return out
}
