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

// grid is how a table is laid out. Once rows of it were given out it stays so.
type grid struct {
	widths []int // of the columns
	fits   bool
	head   []row
	align  []extast.Alignment
	goes   bool // the head was given out
}

// gridOf lays a table out.
func (r *renderer) gridOf(n *extast.Table, width int) *grid {
	if r.grid != nil {
		return r.grid
	}
	lines := r.tableLines(n)
	widths, fits := fit(lines, width)
	return &grid{widths: widths, fits: fits, head: lines[0], align: n.Alignments}
}

// widen gives columns some of the width that is left: rows to come may need it.
func (g *grid) widen(width int) {
	free := width - 3*(len(g.widths)-1)
	for _, w := range g.widths {
		free -= w
	}
	for i, w := range g.widths {
		g.widths[i] += max(min(free/len(g.widths), w+widenMost), 0)
	}
}

// widenMost is what a column gets at most, beside what it has.
const widenMost = 8

// append appends a table without rows that has as many columns.
func (g *grid) append(dst []byte) []byte {
	for range g.align {
		dst = append(dst, "|a"...)
	}
	dst = append(dst, "|\n"...)
	for _, a := range g.align {
		dst = append(dst, map[extast.Alignment]string{
			extast.AlignLeft: "|:-", extast.AlignRight: "|-:", extast.AlignCenter: "|:-:", extast.AlignNone: "|-",
		}[a]...)
	}
	return append(dst, "|\n"...)
}

// table returns the rows of a table, its cells wrapped where the line is too
// short.
func (r *renderer) table(n *extast.Table, width int) []row {
	lines, g := r.tableLines(n), r.gridOf(n, width)
	switch {
	case !g.fits:
		return stacked(g.head, lines[1:], width, g.goes)
	case g.goes:
		lines = lines[1:]
	}
	var rows []row
	for i, line := range lines {
		rows = append(rows, tableLine(line, g.widths, g.align)...)
		if i == 0 && !g.goes {
			rows = append(rows, rule(g.widths))
		}
	}
	return rows
}

// tableLines returns the cells of a table; the first line is its head.
func (r *renderer) tableLines(n *extast.Table) [][]row {
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
	return lines
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
	return shrunk(widths, width)
}

// shrunk makes columns narrower until they fit in width; not ok if they do not.
func shrunk(widths []int, width int) (narrower []int, ok bool) {
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
			return widths, false
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

// stacked shows a table that is too wide: each cell behind its heading. It may go
// on with one whose first lines were given out.
func stacked(head []row, lines [][]row, width int, goes bool) []row {
	if len(lines) == 0 && !goes {
		lines = append(lines, head)
	}
	var rows []row
	for i, line := range lines {
		if i > 0 || goes {
			rows = append(rows, nil)
		}
		for j, c := range line {
			var one row
			if j < len(head) {
				one = append(append(one, head[j]...), cells(": ", bold)...)
			}
			rows = append(rows, wrap(append(one, c...), width)...)
		}
	}
	return rows
}
