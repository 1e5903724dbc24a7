package edit

import (
	"bytes"
	"fmt"
	"strings"
)

// area is what is drawn at the bottom of a terminal and can be drawn again: the
// output line that is not complete, the status, and what is typed. It is pure:
// its methods append to a buffer what the terminal is to get.
type area struct {
	width, height int
	open          []byte // output since the last line feed, SGR sequences in it
	style         string // the SGR sequences in force where open begins
	status        string
	bottom        View

	drawn   []int // columns of each row on the screen
	at, col int   // where the cursor is in it
}

const (
	eraseBelow = "\x1b[J"
	sgrReset   = "\x1b[0m"
)

// erase takes the area off the screen; the cursor is where it began.
func (a *area) erase(dst []byte) []byte {
	up := 0
	for i := range min(a.at, len(a.drawn)) {
		up += a.rowsOf(a.drawn[i])
	}
	up += a.col / max(a.width, 1)
	if len(a.drawn) == 0 {
		return dst
	}
	a.drawn, a.at, a.col = nil, 0, 0
	if up > 0 {
		dst = fmt.Appendf(dst, "\x1b[%dA", up)
	}
	return append(append(dst, '\r'), eraseBelow...)
}

// rowsOf is how many rows a row of that many columns takes: more than one where
// the terminal has become narrower since.
func (a *area) rowsOf(columns int) int {
	return max(1, (columns+max(a.width, 1)-1)/max(a.width, 1))
}

// draw puts the area on the screen, behind what is there.
func (a *area) draw(dst []byte) []byte {
	rows := a.openRows()
	if most := max(a.height/2, 1); len(rows) > most {
		// The line is too long to be drawn again and again: what is above its
		// last row is output for good.
		gone := rows[:len(rows)-1]
		for _, row := range gone {
			dst = append(append(append(dst, row...), sgrReset...), '\n')
		}
		a.style = styleAfter(a.style, []byte(strings.Join(gone, "")))
		a.open = []byte(strings.TrimPrefix(rows[len(rows)-1], a.style))
		rows = rows[len(rows)-1:]
	}
	if len(a.open) == 0 {
		rows = nil
	}
	first := len(rows)
	if a.status != "" {
		rows = append(rows, Wrap(a.status, max(a.width-1, 1))[0])
		first++
	}
	rows = append(rows, a.bottom.Rows...)
	for i, row := range rows {
		if i > 0 {
			dst = append(dst, '\n')
		}
		dst = append(dst, row...)
		if strings.Contains(row, "\x1b") {
			dst = append(dst, sgrReset...)
		}
		a.drawn = append(a.drawn, styledColumns(row))
	}
	a.at, a.col = first+a.bottom.Row, a.bottom.Column
	if up := len(rows) - 1 - a.at; up > 0 {
		dst = fmt.Appendf(dst, "\x1b[%dA", up)
	}
	dst = append(dst, '\r')
	if a.col > 0 {
		dst = fmt.Appendf(dst, "\x1b[%dC", a.col)
	}
	return dst
}

// put takes output: whole lines go to the screen above the area, the rest is
// kept open. The area is not on the screen.
func (a *area) put(dst, output []byte) []byte {
	end := bytes.LastIndexByte(output, '\n') + 1
	if end == 0 {
		a.open = append(a.open, output...)
		return dst
	}
	dst = append(append(append(dst, a.style...), a.open...), output[:end]...)
	a.style = styleAfter(a.style, append(a.open, output[:end]...))
	if a.style != "" {
		dst = append(dst, sgrReset...)
	}
	a.open = append([]byte(nil), output[end:]...)
	return dst
}

// openRows lays the open line out; every row begins with the style in force.
func (a *area) openRows() []string {
	w := wrapper{width: max(a.width-1, 1)}
	style := a.style
	w.row.WriteString(style)
	text := strings.ReplaceAll(string(a.open), "\t", tab)
	for text != "" {
		if n := sgrAt(text); n > 0 {
			style = styleAfter(style, []byte(text[:n]))
			w.row.WriteString(text[:n])
			text = text[n:]
			continue
		}
		size, columns := Cluster(text)
		if w.used > 0 && w.used+columns > w.width {
			w.feed()
			w.row.WriteString(style)
		}
		w.add(text[:size])
		text = text[size:]
	}
	w.feed()
	return w.view.Rows
}

// sgrAt returns how long the SGR sequence at the start of text is, 0 if there is none.
func sgrAt(text string) int {
	if !strings.HasPrefix(text, "\x1b[") {
		return 0
	}
	end := strings.IndexByte(text, 'm')
	if end < 0 || strings.Trim(text[2:end], "0123456789;") != "" {
		return 0
	}
	return end + 1
}

// styleAfter returns the SGR sequences in force after text, given those before.
func styleAfter(style string, text []byte) string {
	rest := string(text)
	for {
		i := strings.IndexByte(rest, 0x1b)
		if i < 0 {
			return style
		}
		rest = rest[i:]
		n := sgrAt(rest)
		if n == 0 {
			rest = rest[1:]
			continue
		}
		switch {
		case rest[:n] == sgrReset:
			style = ""
		case !strings.Contains(style, rest[:n]): // each once: it would grow with the text
			style += rest[:n]
		}
		rest = rest[n:]
	}
}

// styledColumns is Columns of text that may hold SGR sequences.
func styledColumns(text string) int {
	columns := 0
	for text != "" {
		if n := sgrAt(text); n > 0 {
			text = text[n:]
			continue
		}
		size, n := Cluster(text)
		columns += n
		text = text[size:]
	}
	return columns
}
