package markdown

import (
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// reader reads CommonMark with tables and strike-through. It knows no reference
// definitions: those may come behind the text that uses them, when that text
// has long been given out.
var reader = parser.NewParser(
	parser.WithBlockParsers(parser.DefaultBlockParsers()...),
	parser.WithInlineParsers(append(parser.DefaultInlineParsers(), util.Prioritized(extension.NewStrikethroughParser(), 500))...),
	parser.WithParagraphTransformers(util.Prioritized(extension.NewTableParagraphTransformer(), 200)),
	parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
)

func read(src []byte) ast.Node { return reader.Parse(text.NewReader(src)) }

// renderer makes rows of the blocks of src.
type renderer struct {
	src    []byte
	number int // of the first item of the outermost list, if src begins within it
	within bool
	grid   *grid // of the table that src begins with, if its head was given out
}

// block returns the rows of a block.
func (r *renderer) block(n ast.Node, width int) []row {
	switch n := n.(type) {
	case *ast.Heading:
		mark := strings.Repeat("#", n.Level) + " "
		return wrap(append(cells(mark, bold.with(cyan)), r.inline(n, bold.with(cyan))...), width)
	case *ast.ThematicBreak:
		return []row{cells(strings.Repeat("─", min(width, 40)), faint)}
	case *ast.CodeBlock:
		return r.codeBlock(n, "", width)
	case *ast.FencedCodeBlock:
		return r.codeBlock(n, string(n.Language(r.src)), width)
	case *ast.HTMLBlock:
		return r.html(n, width)
	case *ast.Blockquote:
		var rows []row
		for _, one := range r.children(n, inner(width, 2)) {
			rows = append(rows, before(one, "│ ", faint, width))
		}
		return rows
	case *ast.List:
		var rows []row
		for item := n.FirstChild(); item != nil; item = item.NextSibling() {
			if item.PreviousSibling() != nil && blankBefore(r.src, item.Pos()) {
				rows = append(rows, nil)
			}
			rows = append(rows, r.item(n, item, width)...)
		}
		return rows
	case *extast.Table:
		return r.table(n, width)
	case *ast.Paragraph, *ast.TextBlock:
		return wrap(r.inline(n, 0), width)
	}
	return r.children(n, width)
}

// children returns the rows of the blocks in a block, an empty one between two
// unless it is a list item whose blocks stand close together.
func (r *renderer) children(n ast.Node, width int) []row {
	var rows []row
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		one := r.block(c, width)
		if len(rows) > 0 && len(one) > 0 && (n.Kind() != ast.KindListItem || blankBefore(r.src, c.Pos())) {
			rows = append(rows, nil)
		}
		rows = append(rows, one...)
	}
	return rows
}

func (r *renderer) numberOf(list *ast.List) int {
	if r.within && list.Parent().Kind() == ast.KindDocument && list.PreviousSibling() == nil {
		return r.number
	}
	return list.Start
}

// item returns the rows of a list item, behind its mark.
func (r *renderer) item(list *ast.List, n ast.Node, width int) []row {
	mark := "• "
	if list.IsOrdered() {
		at := r.numberOf(list)
		for p := n.PreviousSibling(); p != nil; p = p.PreviousSibling() {
			at++
		}
		mark = strconv.Itoa(at) + string(rune(list.Marker)) + " "
	}
	columns := cells(mark, 0).columns()
	rows := r.children(n, inner(width, columns))
	if len(rows) == 0 {
		rows = []row{nil}
	}
	for i := range rows {
		if i == 0 {
			rows[i] = before(rows[i], mark, cyan, width)
		} else if len(rows[i]) > 0 {
			rows[i] = before(rows[i], strings.Repeat(" ", columns), 0, width)
		}
	}
	return rows
}

func (r *renderer) codeBlock(n ast.Node, language string, width int) []row {
	scan := scanner{language: languageOf(language)}
	var rows []row
	for _, line := range r.lines(n) {
		rows = append(rows, scan.row(line))
	}
	return codeRows(rows, width)
}

func (r *renderer) lines(n ast.Node) []string {
	all := n.Lines()
	out := make([]string, all.Len())
	for i := range out {
		at := all.At(i)
		out[i] = strings.TrimRight(string(at.Value(r.src)), "\r\n")
	}
	return out
}

func (r *renderer) html(n *ast.HTMLBlock, width int) []row {
	lines := r.lines(n)
	if n.HasClosure() {
		lines = append(lines, strings.TrimRight(string(n.ClosureLine.Value(r.src)), "\r\n"))
	}
	return wrap(cells(strings.TrimRight(strings.Join(lines, "\n"), "\n"), 0), width)
}

// inline returns the cells of what stands in a block.
func (r *renderer) inline(n ast.Node, st style) row {
	var out row
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			out = append(out, cells(r.text(c), st)...)
			if c.SoftLineBreak() || c.HardLineBreak() {
				out = append(out, cell{text: "\n"})
			}
		case *ast.String:
			out = append(out, cells(string(c.Value), st)...)
		case *ast.CodeSpan:
			out = append(out, cells(strings.ReplaceAll(r.raw(c), "\n", " "), st.with(yellow))...)
		case *ast.Emphasis:
			out = append(out, r.inline(c, st.with([]style{italic, bold}[min(c.Level, 2)-1]))...)
		case *extast.Strikethrough:
			out = append(out, r.inline(c, st.with(strike))...)
		case *ast.Link:
			out = append(out, r.link(r.inline(c, st.with(underline)), string(c.Destination), st)...)
		case *ast.Image:
			out = append(out, cells("image: ", st.with(faint))...)
			out = append(out, r.link(r.inline(c, st), string(c.Destination), st)...)
		case *ast.AutoLink:
			out = append(out, cells(string(c.URL(r.src)), st.with(underline))...)
		case *ast.RawHTML:
			for i := range c.Segments.Len() {
				at := c.Segments.At(i)
				out = append(out, cells(string(at.Value(r.src)), st)...)
			}
		default:
			out = append(out, r.inline(c, st)...)
		}
	}
	return out
}

// link adds the address to the words of a link, unless they are the same.
func (r *renderer) link(words row, address string, st style) row {
	var shown strings.Builder
	words.write(&shown, false)
	if address == "" || strings.Join(strings.Fields(shown.String()), " ") == address {
		return words
	}
	return append(words, cells(" ("+address+")", st.with(faint))...)
}

// text is what a text node says, without escapes and entities.
func (r *renderer) text(n *ast.Text) string {
	value := n.Segment.Value(r.src)
	if n.IsRaw() {
		return string(value)
	}
	return string(util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value))))
}

// raw is the text of a node as it is written.
func (r *renderer) raw(n ast.Node) string {
	var out strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			out.Write(t.Segment.Value(r.src))
		}
	}
	return out.String()
}
