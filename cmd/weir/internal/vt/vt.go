// Package vt is as much of a terminal as the tests of this program need: cells,
// a cursor, wrapping at the right edge, rows that scroll away, and the modes
// that were switched.
package vt

import (
	"fmt"
	"strings"
)

// Terminal shows what is written to it.
type Terminal struct {
	// Cluster returns how many bytes the first character of a text has, and
	// how many columns it takes.
	Cluster func(text string) (size, columns int)
	// Row and Column are where the cursor is.
	Row, Column int
	// Modes counts how often each private mode is on, by its number.
	Modes map[string]int
	// Height is how many rows the screen has: those above are scrolled away,
	// and no cursor gets there. 0 is a screen without a bottom.
	Height int

	width int
	top   int // row at the top of the screen
	rows  [][]string
	soft  map[int]bool // rows that go on in the next because the edge was there
	rest  string       // a sequence whose end has not come
}

// New returns a terminal of width columns.
func New(width int, cluster func(string) (int, int)) *Terminal {
	return &Terminal{Cluster: cluster, Modes: map[string]int{}, soft: map[int]bool{}, width: width}
}

// Write shows p. A sequence it does not know is an error.
func (v *Terminal) Write(p []byte) (int, error) {
	text := v.rest + string(p)
	v.rest = ""
	for text != "" {
		n, err := v.one(text)
		if err != nil {
			return 0, err
		}
		if n == 0 {
			v.rest = text
			break
		}
		text = text[n:]
	}
	return len(p), nil
}

// one shows what text begins with and returns its bytes, 0 if it is not whole.
func (v *Terminal) one(text string) (int, error) {
	switch text[0] {
	case '\n':
		v.feed()
		return 1, nil
	case '\r':
		v.Column = 0
		return 1, nil
	case '\t':
		v.Column = min(v.Column/8*8+8, v.width-1)
		return 1, nil
	case 0x1b:
		return v.sequence(text)
	}
	if text[0] < ' ' {
		return 0, fmt.Errorf("a control character: %q", text[:1])
	}
	size, columns := v.Cluster(text)
	v.put(text[:size], columns)
	return size, nil
}

func (v *Terminal) sequence(text string) (int, error) {
	if len(text) < 2 {
		return 0, nil
	}
	if text[1] != '[' {
		return 0, fmt.Errorf("an escape: %q", text[:2])
	}
	end := strings.IndexFunc(text[2:], func(r rune) bool { return r >= 0x40 })
	if end < 0 {
		return 0, nil
	}
	parameters, final := text[2:2+end], text[2+end]
	n := 1
	_, _ = fmt.Sscan(parameters, &n) // without a number it is 1
	switch {
	case final == 'm':
	case final == 'A':
		v.Row = max(v.Row-n, v.top)
	case final == 'C':
		v.Column += n
	case final == 'H' && parameters == "":
		v.Row, v.Column = v.top, 0
	case final == 'J' && parameters == "2":
		v.rows = v.rows[:min(len(v.rows), v.top)]
	case final == 'J' && parameters == "":
		v.eraseBelow()
	case (final == 'h' || final == 'l') && strings.HasPrefix(parameters, "?"):
		v.Modes[parameters[1:]] += map[byte]int{'h': 1, 'l': -1}[final]
	default:
		return 0, fmt.Errorf("a sequence: %q", text[:3+end])
	}
	return 3 + end, nil
}

// feed goes to the next row; the top one scrolls away where there is no room.
func (v *Terminal) feed() {
	v.Row, v.Column = v.Row+1, 0
	if v.Height > 0 {
		v.top = max(v.top, v.Row-v.Height+1)
	}
}

// Resize breaks the lines anew, as terminals do.
func (v *Terminal) Resize(width int) {
	old := *v
	*v = Terminal{Cluster: v.Cluster, Modes: v.Modes, Height: v.Height, soft: map[int]bool{}, width: width, rest: v.rest}
	row, column := 0, 0
	for i := 0; i < max(len(old.rows), old.Row+1); i++ {
		at := 0
		if i == old.Row {
			row, column = v.Row, v.Column
		}
		for at < len(old.rowAt(i)) {
			columns := 1
			for at+columns < len(old.rows[i]) && old.rows[i][at+columns] == "" {
				columns++
			}
			v.put(old.rows[i][at], columns)
			if i == old.Row && at <= old.Column {
				row, column = v.Row, v.Column-columns
			}
			at += columns
		}
		if i == old.Row && at == old.Column {
			row, column = v.Row, v.Column
		}
		if i == old.Row && at < old.Column { // the cursor stands behind the text
			n := v.Column + old.Column - at
			row, column = v.Row+n/width, n%width
		}
		if !old.soft[i] {
			v.feed()
		}
	}
	v.Row, v.Column = row, column
	v.top = 0
	if v.Height > 0 {
		v.top = max(0, len(v.rows)-v.Height, row-v.Height+1)
	}
}

func (v *Terminal) rowAt(i int) []string {
	if i < len(v.rows) {
		return v.rows[i]
	}
	return nil
}

func (v *Terminal) eraseBelow() {
	for row := range v.soft {
		if row >= v.Row {
			delete(v.soft, row)
		}
	}
	v.rows = v.rows[:min(len(v.rows), v.Row+1)]
	if v.Row < len(v.rows) {
		v.rows[v.Row] = v.rows[v.Row][:min(len(v.rows[v.Row]), v.Column)]
	}
}

func (v *Terminal) put(piece string, columns int) {
	if v.Column+columns > v.width {
		v.soft[v.Row] = true
		v.feed()
	}
	for len(v.rows) <= v.Row {
		v.rows = append(v.rows, nil)
	}
	for len(v.rows[v.Row]) < v.Column+columns {
		v.rows[v.Row] = append(v.rows[v.Row], " ")
	}
	v.rows[v.Row][v.Column] = piece
	for i := 1; i < columns; i++ {
		v.rows[v.Row][v.Column+i] = ""
	}
	v.Column += columns
}

// Text returns what is on the screen, without the blanks at the end of rows.
func (v *Terminal) Text() string {
	var b strings.Builder
	for _, row := range v.rows {
		b.WriteString(strings.TrimRight(strings.Join(row, ""), " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}
