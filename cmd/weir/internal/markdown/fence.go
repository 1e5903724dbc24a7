package markdown

import "strings"

// tabStop is how many columns a tab in code goes to a multiple of.
const tabStop = 4

// fence is a code block that is open on the outermost level. Its lines are
// given out as they come: a block may be longer than the screen.
type fence struct {
	indent, count int
	mark          byte
	scanner       scanner
	started       bool
}

// newFence reads the line that opens a block.
func newFence(line string) *fence {
	rest := strings.TrimLeft(line, " ")
	f := &fence{indent: len(line) - len(rest), mark: rest[0]}
	info := strings.TrimLeft(rest, rest[:1])
	f.count = len(rest) - len(info)
	f.scanner.language = languageOf(info)
	return f
}

func (f *fence) ends(line string) bool {
	rest := strings.TrimLeft(line, " ")
	marks := len(rest) - len(strings.TrimLeft(rest, string(f.mark)))
	return len(line)-len(rest) <= 3 && marks >= f.count && strings.Trim(rest[marks:], " \t") == ""
}

// rows returns the next line; as many blanks as stand before the fence are
// taken off it.
func (f *fence) rows(line string, width int) []row {
	n := 0
	for n < f.indent && n < len(line) && line[n] == ' ' {
		n++
	}
	return codeRows([]row{f.scanner.row(line[n:])}, width)
}

// codeRows sets rows in by two columns, if there is room, and cuts what is
// longer than a line.
func codeRows(all []row, width int) []row {
	var rows []row
	for _, r := range all {
		for _, part := range cut(r, inner(width, 2)) {
			rows = append(rows, before(part, "  ", 0, width))
		}
	}
	return rows
}

// expand puts blanks in the place of tabs.
func expand(r row) row {
	var out row
	column := 0
	for _, c := range r {
		if c.text != "\t" {
			out = append(out, c)
			column += c.width
			continue
		}
		for range tabStop - column%tabStop {
			out = append(out, cell{" ", 1, c.style})
			column++
		}
	}
	return out
}
