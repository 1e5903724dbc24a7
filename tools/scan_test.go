package tools

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// scanned returns the numbers of the lines that match, as scan finds them.
func scanned(t interface{ Fatal(...any) }, m *matcher, text string) []int {
	s := &scan{matcher: m, limit: 1 << 30, buffer: new([]byte)}
	if err := s.run(context.Background(), strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	var found []int
	for _, r := range s.rows {
		found = append(found, r.line)
	}
	return found
}

// lineByLine is what a search has to find.
func lineByLine(re *regexp.Regexp, text string) []int {
	var found []int
	lines := bytes.Split([]byte(text), []byte("\n"))
	if len(lines[len(lines)-1]) == 0 {
		lines = lines[:len(lines)-1]
	}
	for i, line := range lines {
		if re.Match(bytes.TrimSuffix(line, []byte("\r"))) {
			found = append(found, i+1)
		}
	}
	return found
}

// Looking at whole blocks first changes nothing about what is found.
func TestScanFindsWhatEachLineHas(t *testing.T) {
	pattern := rapid.SampledFrom([]string{
		"a", "^a", "a$", `\ba`, `a\b`, "[^b]c", "a|b$", "(?i)A", `\Aa`, `a\z`, "^$", ".", `a\s`, "^.$", `(?-m)^a`, "b(?m:^)a", `\xff`, "é+", "a.*b", `\W`,
	})
	piece := rapid.SampledFrom([]string{"a", "b", "c", " ", "\n", "\r\n", "é", "\xff", "a\n", "\n\n"})
	rapid.Check(t, func(t *rapid.T) {
		p := pattern.Draw(t, "pattern")
		text := strings.Join(rapid.SliceOfN(piece, 0, 40).Draw(t, "text"), "")
		m, err := newMatcher(p, false)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(lineByLine(m.line, text), scanned(t, m, text)); d != "" {
			t.Fatalf("%q in %q: %s", p, text, d)
		}
	})
}

// A line is found whole wherever the blocks end.
func TestScanAcrossBlocks(t *testing.T) {
	var text strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&text, "%s needle%d.\n", strings.Repeat("x", i*7919%997), i%10)
	}
	fmt.Fprintf(&text, "%s needle7.\n", strings.Repeat("y", 3*scanMax/2))
	text.WriteString("the last needle7.")
	for _, p := range []string{`needle7\.$`, "^x* needle3", `\Ay`} {
		m, err := newMatcher(p, false)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(lineByLine(m.line, text.String()), scanned(t, m, text.String())); d != "" {
			t.Errorf("%s: %s", p, d)
		}
	}
}

func TestSnippetShowsTheMatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 3*rowMax).Draw(t, "before")
		after := rapid.IntRange(0, 3*rowMax).Draw(t, "after")
		line := strings.Repeat("é", n) + "HIT" + strings.Repeat("ü", after)
		got := snippet([]byte(line), 2*n, 2*n+3, false)
		if !strings.Contains(got, "HIT") || strings.Contains(got, `\x`) || len(got) > rowMax+10 {
			t.Fatalf("%d, %d: %q", n, after, got)
		}
	})
}
