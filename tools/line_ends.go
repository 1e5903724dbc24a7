package tools

import (
	"bytes"
	"strings"
)

var crlf = []byte("\r\n") // only read

const mixedEnds = "LF and CRLF"

// kindOfEnds names the line ends of a text; "" if it has none.
func kindOfEnds(text []byte) string {
	all, returns := bytes.Count(text, crlf[1:]), bytes.Count(text, crlf)
	switch {
	case all == 0:
		return ""
	case returns == 0:
		return "LF"
	case returns == all:
		return "CRLF"
	default:
		return mixedEnds
	}
}

// changedEnds are the kinds of line ends before and after a change.
type changedEnds struct{ before, after string }

// uniform reports whether all lines, before and after, end alike: then a diff
// need not show the end of each.
func (e changedEnds) uniform() bool {
	if e.before == mixedEnds || e.after == mixedEnds {
		return false
	}
	return e.before == e.after || e.before == "" || e.after == ""
}

// told is a diff with a line about the line ends behind its head, unless all are
// LF.
func (e changedEnds) told(diff string) string {
	note := e.before + " before, " + e.after + " after"
	if e.before == e.after || e.before == "" || e.after == "" {
		note = max(e.before, e.after) // the one that there is
	}
	head := strings.Index(diff, "\n@@ ")
	if head < 0 || note == "LF" || note == "" {
		return diff
	}
	return diff[:head] + "\n\\ Line ends: " + note + diff[head:]
}

// lineEnds tells the line ends at places of a text, asked for in their order. It
// looks at each byte once, however many places there are on one line.
type lineEnds struct {
	text []byte
	next int // the first newline from the last place on, len(text) if there is none
	last int // the last newline of all, once it has been needed
	// mixed says what new lines got where both kinds stood and lines do not
	// pair, by what most of the file has.
	mixed string
}

// give gives the newlines of repl the line ends that stand at its place: those
// of the span, line by line if they are mixed and as many; else of the line it
// is in, else of the file.
func (l *lineEnds) give(repl []byte, s span) []byte {
	lf := crlf[1:]
	count := bytes.Count(repl, lf)
	if count == 0 || bytes.Contains(repl, crlf) {
		return repl
	}
	place := l.text[s.from:s.to]
	has, returns := bytes.Count(place, lf), bytes.Count(place, crlf)
	switch {
	case returns == 0 || returns == has:
		if !l.crlf(s.from) {
			return repl
		}
	case count == has:
		return paired(repl, place)
	case !l.majority():
		return repl
	}
	return bytes.ReplaceAll(repl, lf, crlf)
}

// paired gives each newline of repl the line end of the same number in place.
func paired(repl, place []byte) []byte {
	var out []byte
	for line := range bytes.Lines(repl) {
		end, ok := bytes.CutSuffix(line, []byte("\n"))
		out = append(out, end...)
		if !ok {
			break
		}
		i := bytes.IndexByte(place, '\n')
		if i > 0 && place[i-1] == '\r' {
			out = append(out, '\r')
		}
		out, place = append(out, '\n'), place[i+1:]
	}
	return out
}

// majority reports whether most lines of the text end in CRLF.
func (l *lineEnds) majority() bool {
	if l.mixed == "" {
		l.mixed = "LF"
		if 2*bytes.Count(l.text, crlf) > bytes.Count(l.text, []byte("\n")) {
			l.mixed = "CRLF"
		}
	}
	return l.mixed == "CRLF"
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
