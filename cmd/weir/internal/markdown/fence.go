package markdown

import (
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// Bounds of highlighting.
const (
	contextLines = 24   // lines read before the one to show
	codeLineMax  = 2000 // bytes of a line; a longer one is shown plain
	tabStop      = 4
)

// fence is a code block that is open on the outermost level. Its lines are
// given out as they come: a block may be longer than the screen.
type fence struct {
	indent, count int
	mark          byte
	lexer         chroma.Lexer // nil shows it plain
	context       []string
	lines         int
}

// newFence reads the line that opens a block.
func newFence(line string) *fence {
	rest := strings.TrimLeft(line, " ")
	f := &fence{indent: len(line) - len(rest), mark: rest[0]}
	info := strings.TrimLeft(rest, rest[:1])
	f.count = len(rest) - len(info)
	f.lexer = lexerOf(info)
	return f
}

// lexerOf finds the language that the words behind a fence begin with.
func lexerOf(info string) chroma.Lexer {
	words := strings.FieldsFunc(info, func(r rune) bool { return r == ' ' || r == '{' || r == '}' || r == ',' })
	if len(words) == 0 || len(words[0]) > 32 {
		return nil
	}
	lexer := lexers.Get(strings.TrimPrefix(words[0], "."))
	if lexer == nil {
		return nil
	}
	return chroma.Coalesce(lexer)
}

func (f *fence) ends(line string) bool {
	rest := strings.TrimLeft(line, " ")
	marks := len(rest) - len(strings.TrimLeft(rest, string(f.mark)))
	return len(line)-len(rest) <= 3 && marks >= f.count && strings.Trim(rest[marks:], " \t") == ""
}

// next reports whether the next line is the first.
func (f *fence) next() bool { return f.lines == 0 }

func (f *fence) add(line string) {
	f.lines++
	if len(f.context) == contextLines {
		f.context = f.context[1:]
	}
	f.context = append(f.context, f.strip(line))
}

// strip takes as many blanks off a line as stand before the fence.
func (f *fence) strip(line string) string {
	n := 0
	for n < f.indent && n < len(line) && line[n] == ' ' {
		n++
	}
	return line[n:]
}

// code returns a line of the open fence.
func (s *Stream) code(line string) []row {
	return codeRows([]row{highlight(s.fence.lexer, s.fence.context, s.fence.strip(line))}, s.width)
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

// highlight colours a line that stands behind context.
func highlight(lexer chroma.Lexer, context []string, line string) row {
	if lexer == nil || len(line) > codeLineMax {
		return cells(tabs(line), 0)
	}
	head := ""
	for _, c := range context {
		if len(c) <= codeLineMax {
			head += c + "\n"
		}
	}
	tokens, err := lexer.Tokenise(nil, head+line)
	if err != nil {
		return cells(tabs(line), 0)
	}
	var parts []chroma.Token
	text, skip := "", len(head)
	for t := tokens(); t != chroma.EOF; t = tokens() {
		n := min(skip, len(t.Value))
		skip -= n
		if value := strings.TrimSuffix(t.Value[n:], "\n"); value != "" {
			parts = append(parts, chroma.Token{Type: t.Type, Value: value})
			text += value
		}
	}
	if text != line { // a lexer that changes what it reads
		return cells(tabs(line), 0)
	}
	var out row
	for _, p := range parts {
		out = append(out, cells(p.Value, styleOf(p.Type))...)
	}
	return expand(out)
}

func styleOf(t chroma.TokenType) style {
	switch {
	case t.InCategory(chroma.Comment):
		return faint
	case t.InCategory(chroma.Keyword), t.InSubCategory(chroma.NameTag):
		return magenta
	case t.InSubCategory(chroma.LiteralString):
		return green
	case t.InSubCategory(chroma.LiteralNumber):
		return yellow
	case t == chroma.NameFunction, t == chroma.NameClass:
		return blue
	case t.InSubCategory(chroma.NameBuiltin), t == chroma.NameAttribute:
		return cyan
	case t == chroma.GenericDeleted:
		return red
	case t == chroma.GenericInserted:
		return green
	}
	return 0
}

// tabs makes blanks of the tabs of plain text.
func tabs(line string) string {
	if !strings.Contains(line, "\t") {
		return line
	}
	var out strings.Builder
	for _, c := range expand(cells(line, 0)) {
		out.WriteString(c.text)
	}
	return out.String()
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
