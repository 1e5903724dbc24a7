package render

import (
	"strings"

	"github.com/weir-agents/weir/cmd/weir/internal/markdown"
)

const (
	// marginMin is the least width of a terminal whose answers are set in.
	marginMin  = 12
	answerMark = "● "
)

// answers lays an answer out.
type answers struct {
	stream *markdown.Stream
	margin string
	begun  bool // its mark is on the screen
	open   []byte
}

// Resize says how large the terminal is. What is open is laid out anew.
func (s *Screen) Resize(columns, rows int) {
	if s.columns == columns && s.rows == rows {
		return
	}
	s.columns, s.rows = columns, rows
	if s.page == nil {
		return
	}
	margin := marginOf(columns)
	s.page.margin = margin
	s.page.show(s.page.stream.Resize(columns-1-len(margin), openRows(rows)).Open)
}

// Open returns what of an answer may still change, in rows, without a line feed
// at its end. It belongs under all that was appended, takes the place of what was
// open before, and is valid until the next call.
func (s *Screen) Open() []byte {
	if s.page == nil {
		return nil
	}
	return s.page.open
}

func marginOf(columns int) string {
	return strings.Repeat(" ", map[bool]int{true: 2}[columns >= marginMin])
}

// openRows is how many rows an open block may have on a terminal of rows. A
// terminal may draw fewer of them again; the top ones then show when the block
// is finished.
func openRows(rows int) int { return max(rows/2-1, 1) }

// layOut appends what of an answer does not change any more.
func (s *Screen) layOut(dst []byte, text string) []byte {
	if s.page == nil {
		dst = s.EndLine(dst)
		if s.columns == 0 {
			s.columns, s.rows = 80, 24
		}
		margin := marginOf(s.columns)
		s.open = answer
		s.page = &answers{stream: markdown.New(s.columns-1-len(margin), openRows(s.rows), s.Style.Color), margin: margin}
	}
	out := s.page.stream.Write(text)
	dst = s.page.rows(dst, out.Final)
	s.page.show(out.Open)
	return dst
}

func (a *answers) end(dst []byte) []byte { return a.rows(dst, a.stream.Close().Final) }

// show keeps what is open.
func (a *answers) show(open string) {
	begun := a.begun
	a.open = a.open[:0]
	if open != "" {
		a.open = a.rows(a.open, open+"\n")
		a.open = a.open[:len(a.open)-1]
	}
	a.begun = begun // it is not there for good
}

// rows appends whole lines behind the margin, the first behind the mark.
func (a *answers) rows(dst []byte, text string) []byte {
	for line := range strings.Lines(text) {
		switch {
		case !a.begun && a.margin == "":
			dst = append(dst, strings.TrimSpace(answerMark)+"\n"...)
		case !a.begun:
			dst = append(dst, answerMark...)
		case line != "\n":
			dst = append(dst, a.margin...)
		}
		a.begun = true
		dst = append(dst, line...)
	}
	return dst
}
