package edit

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestOnlyWhatIsShownIsLaidOut compares with the rows around the cursor of all of
// it, laid out on a terminal that is high enough.
func TestOnlyWhatIsShownIsLaidOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"word ", "日本", "\n", "\n\n", "e\u0301", "\t"}), 0, 80).Draw(t, "words")
		l := &Line{text: strings.Join(words, "")}
		l.at = len(strings.Join(words[:rapid.IntRange(0, len(words)).Draw(t, "at")], ""))
		width, height := rapid.IntRange(8, 30).Draw(t, "width"), rapid.IntRange(1, 9).Draw(t, "height")
		all := wrapper{view: viewOf("weir> ", l, width, 10_000)}
		if diff := cmp.Diff(all.around(height), viewOf("weir> ", l, width, height)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// BenchmarkAKeyInALargePaste lays out what is typed at its end.
func BenchmarkAKeyInALargePaste(b *testing.B) {
	l := &Line{}
	l.Set(strings.Repeat("a line of a log that somebody has pasted\n", 35_000))
	for b.Loop() {
		viewOf("weir> ", l, 80, 8)
	}
}
