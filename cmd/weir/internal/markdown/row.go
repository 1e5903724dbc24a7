package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// style is how a cell looks: a colour and attributes.
type style uint16

const (
	red style = iota + 1
	green
	yellow
	blue
	magenta
	cyan
	colors style = 7
	bold   style = 8 << iota
	faint
	italic
	underline
	strike
)

// codes are the SGR parameters of the attributes.
var codes = []struct {
	style style
	code  string
}{{bold, "1"}, {faint, "2"}, {italic, "3"}, {underline, "4"}, {strike, "9"}}

// with adds another style; its colour wins.
func (s style) with(o style) style {
	if o&colors != 0 {
		s &^= colors
	}
	return s | o
}

func (s style) sgr() string {
	var parts []string
	for _, c := range codes {
		if s&c.style != 0 {
			parts = append(parts, c.code)
		}
	}
	if c := s & colors; c != 0 {
		parts = append(parts, "3"+string(rune('0'+c)))
	}
	return "\x1b[" + strings.Join(parts, ";") + "m"
}

// cell is a character as a person sees it.
type cell struct {
	text  string
	width int // columns
	style style
}

// row is a line of cells. Between paragraphs' words, a cell of a line feed is
// where a line must end.
type row []cell

func (r row) columns() int {
	n := 0
	for _, c := range r {
		n += c.width
	}
	return n
}

func (r row) write(out *strings.Builder, color bool) {
	for len(r) > 0 && r[len(r)-1].text == " " && r[len(r)-1].style&underline == 0 {
		r = r[:len(r)-1]
	}
	for i, c := range r {
		if color && c.style != 0 && (i == 0 || r[i-1].style != c.style) {
			out.WriteString(c.style.sgr())
		}
		out.WriteString(c.text)
		if color && c.style != 0 && (i == len(r)-1 || r[i+1].style != c.style) {
			out.WriteString("\x1b[0m")
		}
	}
}

// cells cuts text into characters. What a terminal could act on becomes U+FFFD;
// line feeds and tabs stay, each a cell of its own.
func cells(text string, st style) row {
	text = strings.Map(harmless, text)
	out := make(row, 0, len(text))
	state := -1
	for text != "" {
		if c := text[0]; c < utf8.RuneSelf && (len(text) == 1 || text[1] < utf8.RuneSelf) {
			width := 1
			if c < ' ' {
				width = 0
			}
			out, text, state = append(out, cell{text[:1], width, st}), text[1:], -1
			continue
		}
		var cluster string
		var width int
		cluster, text, width, state = uniseg.FirstGraphemeClusterInString(text, state)
		if cluster == "\n" || cluster == "\t" {
			width = 0
		}
		out = append(out, cell{cluster, width, st})
	}
	return out
}

// harmless replaces characters that move the cursor, change the terminal or
// turn the direction of the text; and bytes that are no UTF-8.
func harmless(r rune) rune {
	switch {
	case r == '\n' || r == '\t':
		return r
	case unicode.Is(unicode.Cc, r), unicode.Is(unicode.Bidi_Control, r), r == 0x2028, r == 0x2029:
		return utf8.RuneError
	}
	return r
}

// inner is the width that a prefix of n columns leaves; the whole if it leaves
// nothing, because then the prefix goes.
func inner(width, n int) int {
	if width-n < 1 {
		return width
	}
	return width - n
}

// before puts a prefix before a row, if that leaves room.
func before(r row, prefix string, st style, width int) row {
	p := cells(prefix, st)
	if width-p.columns() < 1 {
		return r
	}
	return append(p, r...)
}

// wrap breaks cells into rows of at most width columns, between words where it
// can and at line feeds where it must. A character that is wider is shown as …
func wrap(all row, width int) []row {
	var rows []row
	var line row
	used, space := 0, -1
	for _, c := range all {
		if c.text == "\n" {
			rows, line, used, space = append(rows, line), nil, 0, -1
			continue
		}
		c = fitting(c, width)
		if used+c.width > width {
			switch {
			case c.text == " ":
				rows, line, used, space = append(rows, line), nil, 0, -1
				continue
			case space >= 0:
				rest := append(row(nil), line[space+1:]...)
				rows = append(rows, line[:space])
				line, used, space = rest, rest.columns(), -1
			}
			if used+c.width > width {
				rows, line, used, space = append(rows, line), nil, 0, -1
			}
		}
		if c.text == " " {
			space = len(line)
		}
		line, used = append(line, c), used+c.width
	}
	return append(rows, line)
}

// cut breaks a row where the width ends.
func cut(all row, width int) []row {
	rows := []row{nil}
	used := 0
	for _, c := range all {
		c = fitting(c, width)
		if used+c.width > width {
			rows, used = append(rows, nil), 0
		}
		last := len(rows) - 1
		rows[last], used = append(rows[last], c), used+c.width
	}
	return rows
}

func fitting(c cell, width int) cell {
	switch {
	case c.text == "\t":
		return cell{" ", 1, c.style}
	case c.width > width:
		return cell{"…", 1, c.style}
	}
	return c
}
