package markdown

import (
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// openMax bounds, in bytes, what is kept open. Longer blocks are given out in
// parts, each read by itself, and longer lines as they are: so the cost of a
// piece of text does not grow with the text.
const openMax = 16 << 10

// Output is what a piece of text makes of the screen.
type Output struct {
	// Final goes above what was open before; whole lines, each with its line feed.
	Final string
	// Open takes the place of what was open before; without a line feed at its end.
	Open string
	// OpenLines is how many lines Open has; 0 if it is empty.
	OpenLines int
}

// Stream turns Markdown into lines for a terminal. It is used by one goroutine.
type Stream struct {
	width int
	rows  int
	color bool
	buf   []byte // whole lines of blocks that may still change
	tail  []byte // the line that is not complete
	fence *fence // the code block that is open on the outermost level
	// buf begins with a further item of a list, which has this number.
	number int
	within bool
	gap    bool // an empty line stands before that item
	part   bool // buf goes on with a paragraph whose head was given out
	whole  bool // the line that is not complete cannot be given out in parts
	grid   *grid
	// started says that something was given out.
	started bool
}

// New returns a stream for lines of at most width columns; less than 1 is 1.
// The head of a paragraph or a table that takes more than rows rows is given out,
// so that what is drawn again does not grow out of the screen; 0 is no limit.
func New(width, rows int, color bool) *Stream {
	return &Stream{width: max(width, 1), rows: rows, color: color}
}

// Write takes the next piece of text. Its cost is about one reading of the
// block that is open, which is bounded.
func (s *Stream) Write(text string) Output {
	var out strings.Builder
	for {
		line, rest, ok := strings.Cut(text, "\n")
		s.feed(&out, line)
		if !ok {
			return s.output(out.String())
		}
		s.line(&out, strings.TrimSuffix(string(s.tail), "\r"))
		s.tail, s.whole = s.tail[:0], false
		text = rest
	}
}

// Close gives out what is still open. The stream is then as new.
func (s *Stream) Close() Output {
	var out strings.Builder
	if len(s.tail) > 0 {
		s.line(&out, strings.TrimSuffix(string(s.tail), "\r"))
	}
	s.flush(&out)
	*s = Stream{width: s.width, rows: s.rows, color: s.color}
	return Output{Final: out.String()}
}

// Resize changes the width of what is not given out yet, and the limit of rows,
// and returns what is open anew.
func (s *Stream) Resize(width, rows int) Output {
	s.width, s.rows = max(width, 1), rows
	if s.grid != nil {
		g := *s.grid
		g.widths, g.fits = shrunk(slices.Clone(g.widths), s.width)
		s.grid = &g
	}
	return s.output("")
}

// line takes a complete line.
func (s *Stream) line(out *strings.Builder, line string) {
	if s.fence != nil {
		if s.fence.ends(line) {
			s.fence = nil
			return
		}
		s.put(out, s.fence.rows(line, s.width), !s.fence.started)
		s.fence.started = true
		return
	}
	if len(line) > openMax {
		s.flush(out)
		s.put(out, wrap(cells(line, 0), s.width), true)
		return
	}
	s.buf = append(append(s.buf, s.continued(line)...), '\n')
	doc := read(s.buf)
	last := doc.LastChild()
	if last == nil { // blank lines only
		s.buf, s.within, s.part = s.buf[:0], false, false
		return
	}
	switch {
	case last.Kind() == ast.KindFencedCodeBlock:
		s.blocks(out, doc, last)
		s.fence = newFence(line)
		s.buf = s.buf[:0]
	case len(s.buf) > openMax, complete(last, strings.TrimSpace(line) == ""):
		s.blocks(out, doc, nil)
		s.buf = s.buf[:0]
	case s.head(out, doc, last):
	default:
		if from := s.blocks(out, doc, last); from > 0 {
			s.buf = append(s.buf[:0], s.buf[from:]...)
		}
	}
}

// complete reports whether nothing can be added to a block on the outermost
// level, perhaps because a blank line has come.
func complete(n ast.Node, blank bool) bool {
	switch n.Kind() {
	case ast.KindThematicBreak, ast.KindHeading:
		return true
	case ast.KindParagraph, ast.KindBlockquote, extast.KindTable:
		return blank
	}
	return false
}

// blocks gives out the blocks of doc before last, all for nil. If last is a
// list, its items but the last are given out as well. It returns where what is
// left begins in buf.
func (s *Stream) blocks(out *strings.Builder, doc, last ast.Node) int {
	r := renderer{src: s.buf, number: s.number, within: s.within, grid: s.grid}
	for n := doc.FirstChild(); n != last; n = n.NextSibling() {
		goes := s.part && n.Kind() == ast.KindParagraph || r.grid != nil && r.grid.goes && n.Kind() == extast.KindTable
		s.put(out, r.block(n, s.width), !goes && (!s.within || s.gap))
		s.within, r.within, s.part, s.grid, r.grid = false, false, false, nil, nil
	}
	if last == nil {
		return len(s.buf)
	}
	from := lineStart(s.buf, last.Pos())
	list, ok := last.(*ast.List)
	if !ok || list.ChildCount() < 2 {
		return from
	}
	item := list.LastChild()
	for n := list.FirstChild(); n != item; n = n.NextSibling() {
		gap := blankBefore(s.buf, n.Pos())
		if n == list.FirstChild() {
			gap = !s.within || s.gap
		}
		s.put(out, r.item(list, n, s.width), gap)
	}
	s.number, s.within = r.numberOf(list)+list.ChildCount()-1, true
	s.gap = blankBefore(s.buf, item.Pos())
	return lineStart(s.buf, item.Pos())
}

// flush gives out all that is open but the line that is not complete.
func (s *Stream) flush(out *strings.Builder) {
	if len(s.buf) > 0 {
		s.blocks(out, read(s.buf), nil)
		s.buf = s.buf[:0]
	}
	s.fence = nil
}

// put gives out rows, behind an empty line if something is above and gap says so.
func (s *Stream) put(out *strings.Builder, rows []row, gap bool) {
	if len(rows) == 0 {
		return
	}
	if gap && s.started {
		out.WriteByte('\n')
	}
	s.started = true
	for _, r := range rows {
		r.write(out, s.color)
		out.WriteByte('\n')
	}
}

// output adds what is open now.
func (s *Stream) output(final string) Output {
	var open strings.Builder
	view := *s // put changes what it gives out from
	tail := strings.TrimSuffix(string(s.tail), "\r")
	switch {
	case s.fence != nil:
		if tail != "" && !s.fence.ends(tail) {
			f := *s.fence // what is open does not change what comes
			view.put(&open, f.rows(tail[max(0, len(tail)-openMax):], s.width), !f.started)
		}
	case len(s.buf)+len(tail) > openMax:
		view.put(&open, wrap(cells(tail[max(0, len(tail)-openMax):], 0), s.width), true)
	default:
		view.buf = append(append([]byte(nil), s.buf...), s.continued(tail)...)
		view.blocks(&open, read(view.buf), nil)
	}
	text := strings.TrimSuffix(open.String(), "\n")
	lines := 0
	if open.Len() > 0 {
		lines = strings.Count(text, "\n") + 1
	}
	return Output{Final: final, Open: text, OpenLines: lines}
}

func lineStart(src []byte, pos int) int {
	pos = min(max(pos, 0), len(src))
	return strings.LastIndexByte(string(src[:pos]), '\n') + 1
}

// blankBefore reports whether the line before that of pos is blank.
func blankBefore(src []byte, pos int) bool {
	start := lineStart(src, pos)
	if start == 0 {
		return false
	}
	return strings.Trim(string(src[lineStart(src, start-1):start-1]), " \t>") == ""
}
