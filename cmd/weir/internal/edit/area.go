package edit

import (
	"bytes"
	"fmt"
	"strings"
)

// area is what is drawn at the bottom of a terminal and can be drawn again: the
// output line that is not complete, the block that may still change, the status,
// and what is typed. It is pure: its methods append to a buffer what the terminal
// is to get.
type area struct {
	width, height int
	open          []byte // output since the last line feed, SGR sequences in it
	style         string // the SGR sequences in force where open begins
	// block is output that may still change: nothing of it is on the screen for
	// good. What of it has no room is not shown until it comes as output.
	block  string
	status string
	bottom View

	drawn   []string // the rows on the screen
	at, col int      // where the cursor is in it
}

const (
	eraseBelow = "\x1b[J"
	sgrReset   = "\x1b[0m"
)

// erase takes the area off the screen; the cursor is where it began.
func (a *area) erase(dst []byte) []byte {
	if len(a.drawn) == 0 {
		return dst
	}
	up := 0
	for i, row := range a.drawn[:a.at+1] {
		if i < a.at {
			up += 1 + a.below(row, styledColumns(row))
		} else {
			up += a.below(row, a.col)
		}
	}
	a.drawn, a.at, a.col = nil, 0, 0
	if up > 0 {
		dst = fmt.Appendf(dst, "\x1b[%dA", up)
	}
	return append(append(dst, '\r'), eraseBelow...)
}

// below is how many rows under its first a column of a row is now: the terminal
// breaks rows where it has become narrower since they were drawn.
func (a *area) below(row string, column int) int {
	width := max(a.width, 1)
	rows, used, seen := 0, 0, 0
	for row != "" {
		if n := sgrAt(row); n > 0 {
			row = row[n:]
			continue
		}
		size, columns := Cluster(row)
		if used+columns > width {
			rows, used = rows+1, 0
		}
		if seen >= column && columns > 0 {
			return rows
		}
		used, seen, row = used+columns, seen+columns, row[size:]
	}
	return rows + max(used+column-seen-1, 0)/width
}

// draw puts the area on the screen, behind what is there.
func (a *area) draw(dst []byte) []byte {
	dst, rows := a.output(dst)
	first := len(rows)
	if a.showsStatus() {
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
		a.drawn = append(a.drawn, row)
	}
	a.at, a.col = first+a.bottom.Row, a.bottom.Column
	if len(a.bottom.Rows) == 0 { // nothing is typed here: the cursor stays behind the output
		a.at = max(len(rows)-1, 0)
		if len(rows) > 0 {
			a.col = styledColumns(a.drawn[a.at])
		}
		return dst
	}
	if up := len(rows) - 1 - a.at; up > 0 {
		dst = fmt.Appendf(dst, "\x1b[%dA", up)
	}
	dst = append(dst, '\r')
	if a.col > 0 {
		dst = fmt.Appendf(dst, "\x1b[%dC", a.col)
	}
	return dst
}

// statusHeight is the height of a terminal that has no room for a status.
const statusHeight = 3

func (a *area) showsStatus() bool { return a.status != "" && a.height > statusHeight }

// room is how many rows of output may be drawn: so few that all of the area is
// on the screen still when the terminal has become half as wide.
func (a *area) room() int {
	most := a.height - len(a.bottom.Rows)
	if a.showsStatus() {
		most--
	}
	return min(most, (a.height+2)/3)
}

// output returns the rows of output that are drawn: the open line and the end of
// the block, never so many that the area is higher than the screen, since what
// has scrolled away cannot be drawn again. Of a line that is too long, what is
// above its last row goes to dst for good.
func (a *area) output(dst []byte) ([]byte, []string) {
	var rows []string
	most := a.room()
	if most < 1 {
		return dst, nil
	}
	if len(a.open) > 0 {
		rows = a.rows(a.style, a.open)
	}
	if len(rows) > most {
		gone := rows[:len(rows)-1]
		for _, row := range gone {
			dst = append(append(append(dst, row...), sgrReset...), '\n')
		}
		a.style = styleAfter(a.style, []byte(strings.Join(gone, "")))
		a.open = []byte(strings.TrimPrefix(rows[len(rows)-1], a.style))
		rows = rows[len(rows)-1:]
	}
	if a.block == "" {
		return dst, rows
	}
	block := a.rows("", []byte(a.block))
	return dst, append(rows, block[max(0, len(block)-most+len(rows)):]...)
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

// end puts what is open on the screen for good; the area is not on it.
func (a *area) end(dst []byte) []byte {
	if len(a.open) > 0 {
		dst = append(append(append(dst, a.style...), a.open...), sgrReset+"\n"...)
	}
	if a.block != "" {
		dst = append(append(dst, a.block...), sgrReset+"\n"...)
	}
	a.open, a.style, a.block = nil, "", ""
	return dst
}

// rows lays output out; every row begins with the style in force.
func (a *area) rows(style string, output []byte) []string {
	w := wrapper{width: max(a.width-1, 1)}
	w.row.WriteString(style)
	text := strings.ReplaceAll(string(output), "\t", tab)
	for text != "" {
		if n := sgrAt(text); n > 0 {
			style = styleAfter(style, []byte(text[:n]))
			w.row.WriteString(text[:n])
			text = text[n:]
			continue
		}
		if text[0] == '\n' {
			w.feed()
			w.row.WriteString(style)
			text = text[1:]
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
