package tools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds of the search for what a model may have meant.
const (
	nearLinesMax = 50_000 // lines looked at
	nearLineMax  = 300    // bytes compared of a line
	nearOldMax   = 200    // lines compared at each of the 20 best first lines
	nearMax      = 3      // places named
	nearLeast    = 0.5    // likeness of a first line that is worth naming
)

// mismatch says why old was not found, and where the file is nearest to it.
func mismatch(ctx context.Context, text []byte, old string) string {
	why := "old was not found"
	if !utf8.Valid(text) {
		why += `; the file is not UTF-8, so only ASCII text can be matched in it, not what read_file shows as \xNN`
	}
	if stripped := withoutNumbers(old); stripped != old && stripped != "" {
		if spans, err := find(ctx, text, []byte(stripped), false); err == nil && len(spans) > 0 {
			return why + ": leave out the line numbers and tabs of read_file"
		}
	}
	lines := strings.Split(strings.ReplaceAll(visible(text), "\r\n", "\n"), "\n")
	if len(lines) > nearLinesMax {
		lines = lines[:nearLinesMax]
	}
	near := nearest3(ctx, lines, strings.Split(strings.ReplaceAll(old, "\r\n", "\n"), "\n"))
	if len(near) == 0 {
		return why + "; nothing in the file is like it: read the file again"
	}
	for i, n := range near {
		if i == 0 {
			why += "; nearest:"
		}
		why += fmt.Sprintf("\nline %d: %s", n.line, n.why)
	}
	return why
}

// withoutNumbers takes read_file's line numbers off.
func withoutNumbers(old string) string {
	lines := strings.Split(old, "\n")
	for i, line := range lines {
		number, rest, ok := strings.Cut(line, "\t")
		if ok && strings.Trim(strings.TrimSpace(number), "0123456789") == "" && strings.TrimSpace(number) != "" {
			lines[i] = rest
		}
	}
	return strings.Join(lines, "\n")
}

// candidate is a place in the file that is like the text that was asked for.
type candidate struct {
	line  int // where it starts, from 1
	score float64
	why   string
}

func nearest3(ctx context.Context, lines, old []string) []candidate {
	first := slices.IndexFunc(old, func(l string) bool { return strings.TrimSpace(l) != "" })
	if first < 0 {
		return nil
	}
	anchor := newLikeness(old[first])
	var found []candidate
	for i, line := range lines {
		if ctx.Err() != nil {
			return nil
		}
		if score := anchor.to(line); score >= nearLeast && i >= first {
			found = append(found, candidate{line: i - first + 1, score: score})
		}
	}
	byScore := func(a, b candidate) int { return cmp.Compare(b.score, a.score) }
	slices.SortStableFunc(found, byScore)
	found = found[:min(len(found), 20)]
	for i := range found {
		found[i].judge(lines[found[i].line-1:], old)
	}
	slices.SortStableFunc(found, byScore)
	return found[:min(len(found), nearMax)]
}

// judge compares all lines, and says what is different first.
func (c *candidate) judge(lines, old []string) {
	c.score = 0
	for i, want := range old[:min(len(old), nearOldMax)] {
		if i >= len(lines) {
			c.note("the file ends after %s", plural(i, "line"))
			break
		}
		if lines[i] == want {
			c.score++
			continue
		}
		c.score += newLikeness(want).to(lines[i])
		// A first or last line may be asked for in part.
		if i == 0 && strings.HasSuffix(lines[i], want) || i == len(old)-1 && strings.HasPrefix(lines[i], want) {
			continue
		}
		if c.why != "" {
			continue
		}
		c.note("%s: the file has %s", difference(lines[i], want), quoteCapped(lines[i]))
	}
	if c.why == "" {
		c.note("it has %s", quoteCapped(lines[0]))
	}
}

func (c *candidate) note(format string, args ...any) {
	if c.why == "" {
		c.why = fmt.Sprintf(format, args...)
	}
}

func difference(has, want string) string {
	squeeze := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	switch {
	case strings.TrimSpace(has) == strings.TrimSpace(want):
		return "only the blanks at its ends differ"
	case squeeze(has) == squeeze(want) || strings.Join(strings.Fields(has), "") == strings.Join(strings.Fields(want), ""):
		return "only its blanks differ"
	case strings.EqualFold(has, want):
		return "only upper and lower case differ"
	case folded(has) == folded(want):
		return "only quotation marks or odd blanks differ"
	case strings.Contains(has, strings.TrimSpace(want)):
		return "it is a part of the line"
	default:
		return "not the same"
	}
}

// likeness tells how alike lines are to one: 1 for the same, 0 for nothing in
// common; by the pairs of bytes they share, blanks apart.
type likeness struct {
	pairs map[[2]byte]int
	count int
}

func newLikeness(line string) likeness {
	l := likeness{pairs: map[[2]byte]int{}}
	for pair := range pairsOf(line) {
		l.pairs[pair]++
		l.count++
	}
	return l
}

func pairsOf(line string) func(yield func([2]byte) bool) {
	line = strings.ToLower(folded(line[:min(len(line), nearLineMax)]))
	return func(yield func([2]byte) bool) {
		before := byte(' ')
		for _, c := range []byte(line) {
			if c == ' ' || c == '\t' {
				continue
			}
			if !yield([2]byte{before, c}) {
				return
			}
			before = c
		}
	}
}

func (l likeness) to(line string) float64 {
	left := make(map[[2]byte]int, 64)
	shared, count := 0, 0
	for pair := range pairsOf(line) {
		count++
		if left[pair] < l.pairs[pair] {
			left[pair]++
			shared++
		}
	}
	if l.count+count == 0 {
		return 1
	}
	return 2 * float64(shared) / float64(l.count+count)
}
