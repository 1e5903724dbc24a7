package edit

import (
	"strings"

	"github.com/weir-agents/weir/cmd/weir/internal/render"
)

// View is what stands at the bottom of a terminal: rows, none wider than the
// terminal, and where the cursor is.
type View struct {
	Rows        []string
	Row, Column int
}

// tab is how a tab in the input is shown.
const tab = "    "

// viewOf lays a prompt and what is typed behind it out for a terminal of width
// columns, at most height rows around the cursor.
func viewOf(prompt string, l *Line, width, height int) View {
	width, height = max(width-1, 1), max(height, 1)
	w := wrapper{width: width}
	indent := strings.Repeat(" ", min(Columns(prompt), max(width-2, 0)))
	from := l.above(height, width)
	switch {
	case from == 0:
		w.add(prompt)
	case l.text[from-1] == '\n':
		w.add(indent)
	}
	set := false
	for i, end := from, from; ; {
		if i >= end && i < len(l.text) {
			if end > from && l.text[i-1] != '\n' { // the next part of a long line
				w.feed()
			}
			end = l.unitEnd(i)
		}
		if i >= l.at && !set {
			w.cursor()
			set = true
		}
		if i >= len(l.text) || set && i > l.at && len(w.view.Rows) > max(w.view.Row, height) { // no more is shown
			break
		}
		size, _ := Cluster(l.text[i:end])
		piece := l.text[i : i+size]
		switch {
		case piece == "\n":
			w.feed()
			w.add(indent)
		case piece == "\t":
			w.add(tab)
		default:
			w.add(render.Line(piece, 0))
		}
		i += size
	}
	w.feed()
	return w.around(height)
}

// wrapper breaks text into rows.
type wrapper struct {
	width, used int
	row         strings.Builder
	view        View
}

// add appends text, which must be harmless, cut by columns.
func (w *wrapper) add(text string) {
	for text != "" {
		size, columns := Cluster(text)
		if w.used+columns > w.width {
			w.feed()
		}
		if columns <= w.width { // else it fits nowhere
			w.row.WriteString(text[:size])
			w.used += columns
		}
		text = text[size:]
	}
}

func (w *wrapper) feed() {
	w.view.Rows = append(w.view.Rows, w.row.String())
	w.row.Reset()
	w.used = 0
}

// cursor puts the cursor where the next character comes.
func (w *wrapper) cursor() { w.view.Row, w.view.Column = len(w.view.Rows), w.used }

// around returns the rows around the cursor.
func (w *wrapper) around(height int) View {
	v := w.view
	if len(v.Rows) <= height {
		return v
	}
	from := min(max(v.Row-height+1, 0), len(v.Rows)-height)
	v.Rows = v.Rows[from : from+height]
	v.Row -= from
	return v
}

// Wrap breaks harmless text into rows of at most width columns.
func Wrap(text string, width int) []string {
	w := wrapper{width: max(width, 1)}
	w.add(text)
	w.feed()
	return w.view.Rows
}
