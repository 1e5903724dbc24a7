package edit

import (
	"strings"
	"unicode/utf8"
)

// unitBytes is the longest part of a line that is laid out in one: what stands
// behind it begins a row of its own. So the cost of a key goes by the screen, not
// by what was pasted.
const unitBytes = 4 << 10

// joinBytes is how far a unit may begin behind its place, so as to cut no character.
const joinBytes = 64

// unitStart returns where the unit begins that byte i is in: a line, or a part
// of a long one. Parts begin at multiples of unitBytes, where no line has begun
// for as long.
func (l *Line) unitStart(i int) int {
	start := 0
	for p := i / unitBytes * unitBytes; p > 0 && p > i-3*unitBytes; p -= unitBytes {
		if q, ok := l.part(p); ok && q <= i {
			start = q
			break
		}
	}
	from := max(start, i-4*unitBytes)
	return max(start, from+strings.LastIndexByte(l.text[from:i], '\n')+1)
}

// unitEnd returns where the unit ends that begins at or before i, which is in it.
func (l *Line) unitEnd(i int) int {
	end := len(l.text)
	for p := i / unitBytes * unitBytes; p <= i+2*unitBytes; p += unitBytes {
		if q, ok := l.part(p); ok && q > i {
			end = q
			break
		}
	}
	if n := strings.IndexByte(l.text[i:min(end, i+3*unitBytes)], '\n'); n >= 0 {
		end = i + n + 1
	}
	return end
}

// part returns where the part begins that has its place at p, if there is one.
func (l *Line) part(p int) (start int, ok bool) {
	if p < unitBytes || p >= len(l.text) || strings.IndexByte(l.text[p-unitBytes:p], '\n') >= 0 {
		return 0, false
	}
	last := min(p+joinBytes, len(l.text))
	start = p
	for start < last && !l.apart(start) {
		start++
	}
	return start, start < len(l.text) && strings.IndexByte(l.text[p:start], '\n') < 0
}

// apart reports whether a character as a person sees it ends at i, as far as can
// be told from the one before.
func (l *Line) apart(i int) bool {
	if !utf8.RuneStart(l.text[i]) {
		return false
	}
	r, n := utf8.DecodeLastRuneInString(l.text[:i])
	if r == joiner {
		return false
	}
	size, _ := Cluster(l.text[i-n : min(i+joinBytes, len(l.text))])
	return size == n
}

// cluster is Cluster of what is at i, no longer than its unit.
func (l *Line) cluster(i int) (size, columns int) { return Cluster(l.text[i:l.unitEnd(i)]) }

// above returns the start of the unit from which at least so many rows of width
// columns stand above the cursor, or of the text: nothing before it is shown.
func (l *Line) above(rows, width int) int {
	start := l.unitStart(l.at)
	rows -= Columns(strings.TrimSuffix(l.text[start:l.at], "\n")) / width
	for rows > 0 && start > 0 {
		end := start
		start = l.unitStart(start - 1)
		rows -= max(Columns(strings.TrimSuffix(l.text[start:end], "\n"))/width, 1)
	}
	return start
}
