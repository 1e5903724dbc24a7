package markdown

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// marks are the characters that may yet turn out to mean something, if they are
// still there once a text has been read.
const marks = "*_`[]~<&\\"

// head gives out what is complete of a paragraph or a table that has become too
// high to be drawn again and again, and reports whether it did.
func (s *Stream) head(out *strings.Builder, doc, last ast.Node) bool {
	table, ok := last.(*extast.Table)
	tall := s.rows > 0 && bytes.Count(s.buf, []byte("\n"))+len(s.buf)/s.width > s.rows
	switch {
	case ok && (tall || s.grid != nil) && table.PreviousSibling() == nil && table.ChildCount() > 1:
		g := *(&renderer{src: s.buf, grid: s.grid}).gridOf(table, s.width)
		if s.grid == nil && g.fits {
			g.widen(s.width)
		}
		s.grid = &g
		s.blocks(out, doc, nil)
		goes := g
		goes.goes = true
		s.grid, s.buf = &goes, g.append(s.buf[:0])
	case tall && last.Kind() == ast.KindParagraph:
		// The next line may make a heading or a table of the last one.
		whole := string(s.buf)
		from := lineStart(s.buf, len(s.buf)-1)
		if last.PreviousSibling() != nil || from == 0 {
			return false
		}
		s.buf = s.buf[:from]
		s.blocks(out, read(s.buf), nil)
		s.buf, s.part = append(s.buf[:0], whole[from:]...), true
	default:
		return false
	}
	return true
}

// continued is a line as it goes on with a paragraph whose head was given out:
// blanks before it would make it code.
func (s *Stream) continued(line string) string {
	if s.part && len(s.buf) == 0 {
		return strings.TrimLeft(line, " \t")
	}
	return line
}

// feed takes a piece of a line. The head of a paragraph is given out as soon as
// it has so many bytes, wherever the pieces are cut.
func (s *Stream) feed(out *strings.Builder, piece string) {
	most := s.rows * s.width / 2
	for most > 0 && s.fence == nil && !s.whole {
		room := max(most-len(s.buf)-len(s.tail), 1)
		if room > len(piece) {
			break
		}
		s.tail, piece = append(s.tail, piece[:room]...), piece[room:]
		s.whole = !s.split(out)
	}
	s.tail = append(s.tail, piece...)
}

// split gives out the head of a paragraph that is not complete, and reports
// whether it did. It ends where a row does, if that can be, and where no mark is
// open.
func (s *Stream) split(out *strings.Builder) bool {
	src := string(append(append([]byte(nil), s.buf...), s.continued(string(s.tail))...))
	line := strings.TrimLeft(src[strings.LastIndexByte(src, '\n')+1:], " ")
	if line == "" || strings.IndexByte("|-:=", line[0]) >= 0 {
		return false // it may make a heading or a table of the line before
	}
	at, below := -1, -1 // below is how many rows there are up to the place behind
	for i := strings.LastIndexByte(src, ' '); i > len(src)/2; i = strings.LastIndexByte(src[:i], ' ') {
		rows, clean, ok := s.paragraph(src[:i])
		if !ok {
			return false
		}
		if r, _ := utf8.DecodeRuneInString(src[i+1:]); !unicode.IsLetter(r) { // it might begin another block
			below = rows
			continue
		}
		if at < 0 || rows < below {
			at = i
			if clean && rows < below {
				break
			}
		}
		below = rows
	}
	if at < 0 {
		return false
	}
	rest := src[at+1:]
	end := strings.LastIndexByte(rest, '\n') + 1
	s.buf = []byte(src[:at])
	s.blocks(out, read(s.buf), nil)
	s.buf, s.tail, s.part = append(s.buf[:0], rest[:end]...), append(s.tail[:0], rest[end:]...), true
	return true
}

// paragraph returns how many rows a paragraph has, and whether no mark is left in
// it; not ok if src is something else.
func (s *Stream) paragraph(src string) (rows int, clean, ok bool) {
	doc := read([]byte(src))
	n := doc.FirstChild()
	if n == nil || n.NextSibling() != nil || n.Kind() != ast.KindParagraph {
		return 0, false, false
	}
	r := renderer{src: []byte(src)}
	all := r.inline(n, 0)
	clean = true
	for _, c := range all {
		clean = clean && !strings.ContainsAny(c.text, marks)
	}
	return len(wrap(all, s.width)), clean, true
}
