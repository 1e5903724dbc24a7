package tools

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// argumentError is a fault that the model can mend by writing its call
// differently.
type argumentError string

func (e argumentError) Error() string { return string(e) }

// applyEdits does all edits, each on the result of the one before, or none. It
// returns how many places were replaced. It never changes a byte outside them.
func applyEdits(before []byte, edits []edit) ([]byte, int, error) {
	if isUTF16(before) {
		return nil, 0, errors.New("the file is UTF-16, which this tool cannot edit; use a command")
	}
	mark, text := splitBOM(before)
	places := 0
	for i, e := range edits {
		after, n, err := applyEdit(text, e)
		if err != nil {
			if len(edits) > 1 {
				return nil, 0, argumentError(fmt.Sprintf("edit %d of %d: %v; none was done", i+1, len(edits), err))
			}
			return nil, 0, argumentError(err.Error())
		}
		text, places = after, places+n
		if len(text) > changeMax {
			return nil, 0, fmt.Errorf("the result is larger than %d bytes", changeMax)
		}
	}
	return append(bytes.Clone(mark), text...), places, nil
}

// splitBOM sets a byte order mark apart: it is not part of the text.
func splitBOM(b []byte) (mark, text []byte) {
	if bytes.HasPrefix(b, bom) {
		return b[:len(bom)], b[len(bom):]
	}
	return nil, b
}

func applyEdit(text []byte, e edit) ([]byte, int, error) {
	_, old := splitBOM([]byte(e.Old))
	_, repl := splitBOM([]byte(e.New))
	if len(old) == 0 {
		return nil, 0, errors.New("old is nothing but a byte order mark")
	}
	if !utf8.Valid(text) && !isASCII(repl) {
		return nil, 0, errors.New("the file is not UTF-8 and new holds characters beyond ASCII, which would mix encodings; keep new to ASCII, or use a command")
	}
	spans := find(text, old, e.All)
	if len(spans) == 0 {
		return nil, 0, errors.New(mismatch(text, string(old)))
	}
	if len(spans) > 1 && !e.All {
		times := strconv.Itoa(len(spans))
		if len(spans) > placesMax {
			times = "more than " + strconv.Itoa(placesMax)
		}
		return nil, 0, fmt.Errorf("old occurs %s times, at lines %s; add lines around it to make it unique, or set all", times, lineList(text, spans))
	}
	if e.All {
		spans = apart(spans)
	}
	if len(text)+len(spans)*(len(repl)-len(old)) > changeMax {
		return nil, 0, fmt.Errorf("the result is larger than %d bytes", changeMax)
	}
	out := make([]byte, 0, len(text)+len(spans)*max(0, len(repl)-len(old)))
	done := 0
	ends := lineEnds{text: text, next: -1, last: -1}
	for _, s := range spans {
		out = append(out, text[done:s.from]...)
		out = append(out, ends.give(repl, s)...)
		done = s.to
	}
	return append(out, text[done:]...), len(spans), nil
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// span is a place in a text, from inclusive to exclusive.
type span struct{ from, to int }

// placesMax bounds the places that are counted where one is wanted.
const placesMax = 1000

// find returns every place of old, overlapping ones too unless all are meant:
// two that overlap are two answers to which one is meant, and of those it looks
// for no more than one beyond placesMax. A newline of old stands for LF and CRLF
// alike, which is how read_file shows them, unless old says CRLF itself.
func find(text, old []byte, all bool) []span {
	var spans []span
	crlf := []byte("\r\n")
	if bytes.Contains(old, []byte("\n")) && !bytes.Contains(old, crlf) && bytes.Contains(text, crlf) {
		spans = findLoose(text, bytes.Split(old, []byte("\n")), all)
	} else {
		spans = findExact(text, old, all)
	}
	for i, s := range spans { // A line end is one thing: none is split.
		if s.from > 0 && text[s.from] == '\n' && text[s.from-1] == '\r' {
			spans[i].from--
		}
	}
	return slices.Compact(spans)
}

func findExact(text, old []byte, all bool) []span {
	var spans []span
	for at := 0; all || len(spans) <= placesMax; {
		i := bytes.Index(text[at:], old)
		if i < 0 {
			break
		}
		spans = append(spans, span{at + i, at + i + len(old)})
		if at += i + 1; all {
			at += len(old) - 1
		}
	}
	return spans
}

// findLoose finds lines that are separated by LF or CRLF.
func findLoose(text []byte, lines [][]byte, all bool) []span {
	var spans []span
	for at := 0; at <= len(text) && (all || len(spans) <= placesMax); {
		i := bytes.Index(text[at:], lines[0])
		if i < 0 {
			break
		}
		start := at + i
		at = start + 1
		if end, ok := follow(text, start+len(lines[0]), lines[1:]); ok {
			spans = append(spans, span{start, end})
			if all {
				at = end
			}
		}
	}
	return spans
}

func follow(text []byte, at int, lines [][]byte) (int, bool) {
	for _, line := range lines {
		rest := bytes.TrimPrefix(text[at:], []byte("\r"))
		if len(rest) == 0 || rest[0] != '\n' || !bytes.HasPrefix(rest[1:], line) {
			return 0, false
		}
		at = len(text) - len(rest) + 1 + len(line)
	}
	return at, true
}

// apart leaves out places that overlap one before them.
func apart(spans []span) []span {
	var kept []span
	end := 0
	for _, s := range spans {
		if s.from >= end {
			kept = append(kept, s)
			end = s.to
		}
	}
	return kept
}

// lineEnds tells the line ends at places of a text, asked for in their order. It
// looks at each byte once, however many places there are on one line.
type lineEnds struct {
	text []byte
	next int // the first newline from the last place on, len(text) if there is none
	last int // the last newline of all, once it has been needed
}

// give gives the newlines of repl the line end that stands at its place: that of
// the span, else of the line it is in, else of the file.
func (l *lineEnds) give(repl []byte, s span) []byte {
	if !bytes.Contains(repl, []byte("\n")) || bytes.Contains(repl, []byte("\r\n")) || !l.crlf(s.from) {
		return repl
	}
	return bytes.ReplaceAll(repl, []byte("\n"), []byte("\r\n"))
}

func (l *lineEnds) crlf(from int) bool {
	if l.next < from {
		if l.next = bytes.IndexByte(l.text[from:], '\n') + from; l.next < from {
			l.next, l.last = len(l.text), bytes.LastIndexByte(l.text[:from], '\n')
		}
	}
	i := l.next
	if i == len(l.text) {
		i = l.last
	}
	return i > 0 && l.text[i-1] == '\r'
}

// lineList names the lines of places, the first ten of them.
func lineList(text []byte, spans []span) string {
	var b strings.Builder
	line, at := 1, 0
	for i, s := range spans {
		if i == 10 {
			b.WriteString(", …")
			break
		}
		line += bytes.Count(text[at:s.from], []byte("\n"))
		at = s.from
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(line))
	}
	return b.String()
}
