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
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"word ", "日本", "\n", "\n\n", "e\u0301", "\t", strings.Repeat("a long one ", 700)}), 0, 80).Draw(t, "words")
		l := &Line{text: strings.Join(words, "")}
		l.at = len(strings.Join(words[:rapid.IntRange(0, len(words)).Draw(t, "at")], ""))
		width, height := rapid.IntRange(8, 30).Draw(t, "width"), rapid.IntRange(1, 9).Draw(t, "height")
		all := wrapper{view: viewOf("weir> ", l, width, 10_000)}
		if diff := cmp.Diff(all.around(height), viewOf("weir> ", l, width, height)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestAKeyCostsNoMoreInALongLine counts what is allocated for a key, which was
// some of each row of the line, in a line that is long and one that is very long;
// the keys are pressed at its start, in its middle and at its end.
func TestAKeyCostsNoMoreInALongLine(t *testing.T) {
	cost := func(text string, at int) float64 {
		e := &Editor{History: &History{}}
		e.Line.text, e.Line.at = text, at
		return testing.AllocsPerRun(3, func() {
			for _, k := range []Kind{Left, Right, Rune, Backspace} {
				e.Handle(Key{Kind: k, Rune: 'x'})
				e.View("weir> ", 80, 8)
			}
		})
	}
	for name, word := range map[string]string{"words": "a word of 16 or ", "wide ones": "日本語日a", "marks": "e" + strings.Repeat("\u0301", 60)} {
		long := strings.Repeat(word, 10*unitBytes/len(word))
		longer := strings.Repeat(long, 20)
		for _, share := range []int{0, 1, 2} {
			one, other := cost(long, len(long)/len(word)*share/2*len(word)), cost(longer, len(longer)/len(word)*share/2*len(word))
			if other > 2*one {
				t.Errorf("%s, at %d/2: %v allocations in %d bytes, %v in %d", name, share, one, len(long), other, len(longer))
			}
		}
	}
}

// TestPartsOfALongLineAreTheSameFromAnyPlace looks at each byte of texts with
// lines long and short: its unit begins where it begins for all bytes of the unit,
// no later, and ends where the next begins.
func TestPartsOfALongLineAreTheSameFromAnyPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{"\n", "a line\n", "word ", "日本", "👩‍👩‍👧", "🇩🇪", "e\u0301"}), 1, 12).Draw(t, "pieces")
		var b strings.Builder
		for _, p := range pieces {
			b.WriteString(strings.Repeat(p, rapid.IntRange(1, 900).Draw(t, "times")))
		}
		l := &Line{text: b.String()}
		for i := 0; i < len(l.text); {
			end := l.unitEnd(i)
			if end <= i || end-i > 2*unitBytes+joinBytes {
				t.Fatalf("the unit at %d ends at %d", i, end)
			}
			for _, in := range []int{i, i + (end-i)/3, end - 1} {
				if l.unitStart(in) != i || l.unitEnd(in) != end {
					t.Fatalf("byte %d of the unit from %d to %d: from %d to %d", in, i, end, l.unitStart(in), l.unitEnd(in))
				}
			}
			if end < len(l.text) && l.text[end-1] != '\n' && !l.apart(end) && !strings.Contains(l.text, "🇩🇪🇩🇪") {
				t.Fatalf("the unit that ends at %d cuts a character", end)
			}
			i = end
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

// BenchmarkAKeyInALongLine lays out what is typed at the end of one line.
func BenchmarkAKeyInALongLine(b *testing.B) {
	l := &Line{}
	l.Set(strings.Repeat("a line that somebody has pasted, without an end, ", 35_000))
	for b.Loop() {
		viewOf("weir> ", l, 80, 8)
	}
}
