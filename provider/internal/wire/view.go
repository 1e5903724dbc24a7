package wire

import (
	"bytes"
	"html"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// view is a text as it reads once some layers of escapes are undone, lower case
// and without what is not seen, and where in the text each byte stands.
type view struct {
	text     []byte
	from, to []int
	layers   int
}

// layersMax is how many layers of escapes are undone: a URL in a page in JSON
// has three.
const layersMax = 3

// viewOf returns the view of text as it is.
func viewOf(text string) view {
	var v view
	for i, r := range text {
		n := utf8.RuneLen(r)
		if r == utf8.RuneError {
			_, n = utf8.DecodeRuneInString(text[i:])
		}
		v.add(r, text[i:i+n], i, i+n)
	}
	return v
}

// add appends what one character, or one escape, at text[from:to] says.
func (v *view) add(r rune, said string, from, to int) {
	switch {
	case r == '\n' || r == '\r' || r == '\t':
		said = " "
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
		return // nobody sees it: what is on either side is one
	}
	for i := range len(said) {
		c := said[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		v.text, v.from, v.to = append(v.text, c), append(v.from, from), append(v.to, to)
	}
}

// decoded returns v with one layer of escapes undone: those of URLs, of JSON
// and of pages. It returns false if there is none left, or enough is undone.
func (v view) decoded() (view, bool) {
	next := view{layers: v.layers + 1}
	changed := false
	for i := 0; i < len(v.text); {
		said, n := unescaped(v.text[i:])
		if n == 0 {
			next.text = append(next.text, v.text[i])
			next.from, next.to = append(next.from, v.from[i]), append(next.to, v.to[i])
			i++
			continue
		}
		changed = true
		from, to := v.from[i], v.to[i+n-1]
		if r, size := utf8.DecodeRuneInString(said); size == len(said) && r != utf8.RuneError {
			next.add(r, said, from, to)
		} else {
			next.add('x', said, from, to) // a byte of a character, or several characters
		}
		i += n
	}
	return next, changed && next.layers <= layersMax
}

// unescaped returns what the escape at the start of text says and how long it
// is, 0 if there is none.
func unescaped(text []byte) (said string, n int) {
	switch text[0] {
	case '%':
		return byteOf(text, 3)
	case '\\':
		if len(text) < 2 {
			return "", 0
		}
		switch c := text[1]; c {
		case 'u':
			if len(text) >= 6 {
				if r, err := strconv.ParseUint(string(text[2:6]), 16, 32); err == nil {
					return string(rune(r)), 6
				}
			}
		case 'x':
			return byteOf(text, 4)
		case '"', '\'', '\\', '/':
			return string(c), 2
		case 'b', 'f', 'n', 'r', 't':
			return string(unescape(c)), 2
		}
	case '&':
		if end := bytes.IndexByte(text[:min(len(text), 12)], ';'); end > 0 {
			entity := string(text[:end+1])
			if said := html.UnescapeString(entity); said != entity {
				return said, end + 1
			}
		}
	}
	return "", 0
}

// byteOf reads the two hex digits that end text[:n].
func byteOf(text []byte, n int) (string, int) {
	if len(text) < n {
		return "", 0
	}
	c, err := strconv.ParseUint(string(text[n-2:n]), 16, 8)
	if err != nil {
		return "", 0
	}
	return string([]byte{byte(c)}), n
}
