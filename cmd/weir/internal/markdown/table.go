package markdown

import (
	"strings"

	extast "github.com/yuin/goldmark/extension/ast"
)

// columnMin is the least width of a column; a table that would need narrower
// ones is shown as lines of `heading: cell`.
const columnMin = 4

// between stands between two columns.
const between = " │ "

// table returns the rows of a table, its cells wrapped where the line is too
// short.
func (r *renderer) table(n *extast.Table, width int) []row {
	var lines [][]row
	for line := n.FirstChild(); line != nil; line = line.NextSibling() {
		var one []row
		st := style(0)
		if line.Kind() == extast.KindTableHeader {
			st = bold
		}
		for c := line.FirstChild(); c != nil; c = c.NextSibling() {
			one = append(one, oneLine(r.inline(c, st)))
		}
		lines = append(lines, one)
	}
	widths, ok := fit(lines, width)
	if !ok {
		return stacked(lines, width)
	}
	var rows []row
	for i, line := range lines {
		rows = append(rows, tableLine(line, widths, n.Alignments)...)
		if i == 0 {
			rows = append(rows, rule(widths))
		}
	}
	return rows
}

func oneLine(r row) row {
	for i, c := range r {
		if c.text == "\n" || c.text == "\t" {
			r[i] = cell{" ", 1, c.style}
		}
	}
	return r
}

// fit returns the widths of the columns; not ok if they do not fit in width.
func fit(lines [][]row, width int) (widths []int, ok bool) {
	for _, line := range lines {
		for i, c := range line {
			if i == len(widths) {
				widths = append(widths, 1)
			}
			widths[i] = max(widths[i], c.columns())
		}
	}
	over := 3*(len(widths)-1) - width
	for _, w := range widths {
		over += w
	}
	for ; over > 0; over-- {
		widest := 0
		for i, w := range widths {
			if w > widths[widest] {
				widest = i
			}
		}
		if widths[widest] <= columnMin {
			return nil, false
		}
		widths[widest]--
	}
	return widths, true
}

// tableLine returns the rows of one line of a table.
func tableLine(line []row, widths []int, alignments []extast.Alignment) []row {
	height := 1
	parts := make([][]row, len(widths))
	for i, c := range line {
		if i < len(widths) {
			parts[i] = wrap(c, widths[i])
			height = max(height, len(parts[i]))
		}
	}
	rows := make([]row, height)
	for at := range rows {
		for i, part := range parts {
			if i > 0 {
				rows[at] = append(rows[at], cells(between, faint)...)
			}
			var c row
			if at < len(part) {
				c = part[at]
			}
			left, right := 0, widths[i]-c.columns()
			if i < len(alignments) {
				left = aligned(alignments[i], right)
			}
			rows[at] = append(rows[at], cells(strings.Repeat(" ", left), 0)...)
			rows[at] = append(rows[at], c...)
			rows[at] = append(rows[at], cells(strings.Repeat(" ", right-left), 0)...)
		}
	}
	return rows
}

// aligned is how much of the free room stands before a cell.
func aligned(a extast.Alignment, free int) int {
	switch a {
	case extast.AlignRight:
		return free
	case extast.AlignCenter:
		return free / 2
	default:
		return 0
	}
}

func rule(widths []int) row {
	var b strings.Builder
	for i, w := range widths {
		if i > 0 {
			b.WriteString("─┼─")
		}
		b.WriteString(strings.Repeat("─", w))
	}
	return cells(b.String(), faint)
}

// stacked shows a table that is too wide: each cell behind its heading.
func stacked(lines [][]row, width int) []row {
	if len(lines) == 1 {
		lines = append(lines, lines[0])
	}
	var rows []row
	for i, line := range lines[1:] {
		if i > 0 {
			rows = append(rows, nil)
		}
		for j, c := range line {
			var one row
			if j < len(lines[0]) {
				one = append(append(one, lines[0][j]...), cells(": ", bold)...)
			}
			rows = append(rows, wrap(append(one, c...), width)...)
		}
	}
	return rows
}
