package markdown

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestTheHeadOfAHighBlockIsGivenOutAndNothingIsLost streams paragraphs, in one
// line or several, and tables of any height: what is given out early is what
// would have come at the end, and little stays open.
func TestTheHeadOfAHighBlockIsGivenOutAndNothingIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
			"word ", "another ", "and ", "so ", "**bold one** ", "`code` ", "*a*, ", "- ", "1. ", "日本語 ", "[a](http://b.c) ", "2 < 3 ", "\n",
		}), 1, 400).Draw(t, "words"), "")
		words = strings.Join(strings.FieldsFunc(words, func(r rune) bool { return r == '\n' }), "\n") // one paragraph
		words = "So " + strings.NewReplacer("\n- ", "\nx ", "\n1. ", "\nx ").Replace(words)
		rows := rapid.IntRange(2, 8).Draw(t, "rows")
		width := rapid.IntRange(20, 60).Draw(t, "width")
		fields := func(text string) []string { return strings.Fields(sgr.ReplaceAllString(text, "")) }
		whole, got := play(t, words, width, 0, true, false), play(t, words, width, rows, true, true)
		if diff := cmp.Diff(fields(whole), fields(got)); diff != "" && strings.Count(got, "*")+strings.Count(got, "`") == 0 {
			t.Fatal(diff)
		}
		s := New(width, rows, false)
		for _, piece := range strings.SplitAfter(strings.ReplaceAll(words, "*", ""), " ") {
			if n := s.Write(piece).OpenLines; n > 2*rows+6 {
				t.Fatalf("%d rows are open, want at most about %d", n, rows)
			}
		}
	})
}

func TestAHighTableKeepsItsColumns(t *testing.T) {
	s := New(30, 3, false)
	final := ""
	for _, piece := range []string{"| Name | N |\n|---|--:|\n", "| one | 1 |\n| two | 2 |\n", "| three and more words | 3 |\n", "| fo", "ur | 44 |\n", "\nend\n\n"} {
		final += s.Write(piece).Final
	}
	want := `
Name            │          N
────────────────┼───────────
one             │          1
two             │          2
three and more  │          3
words           │
four            │         44

end
`
	if diff := cmp.Diff(strings.TrimPrefix(want, "\n"), final); diff != "" {
		t.Error(diff)
	}
}

func TestAHighTableThatIsTooWideKeepsItsHeadings(t *testing.T) {
	s := New(9, 2, false)
	final := s.Write("| Name | Size | Note |\n|---|---|---|\n").Final
	for i := range 3 {
		final += s.Write(fmt.Sprintf("| n%d | s%d | o%d |\n", i, i, i)).Final
	}
	final += s.Close().Final
	want := "Name: n0\nSize: s0\nNote: o0\n\nName: n1\nSize: s1\nNote: o1\n\nName: n2\nSize: s2\nNote: o2\n"
	if diff := cmp.Diff(want, final); diff != "" {
		t.Error(diff)
	}
}
