package gather

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// However a text is cut and whenever it is asked for, it is the text, and what
// was given out before stays what it was.
func TestATextIsWhatCame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text Text
		var want strings.Builder
		var given [][]byte
		var then []string
		for range rapid.IntRange(0, 12).Draw(t, "steps") {
			piece := strings.Repeat(rapid.StringN(0, 3, 8).Draw(t, "piece"), rapid.SampledFrom([]int{1, 50, 9000}).Draw(t, "times"))
			want.WriteString(piece)
			if rapid.Bool().Draw(t, "bytes") {
				Add(&text, []byte(piece))
			} else {
				Add(&text, piece)
			}
			if rapid.Bool().Draw(t, "whole") {
				given, then = append(given, text.Whole()), append(then, want.String())
			}
		}
		given, then = append(given, text.Whole()), append(then, want.String())
		if text.Len() != want.Len() {
			t.Errorf("%d bytes, want %d", text.Len(), want.Len())
		}
		for i, b := range given {
			if String(b) != then[i] {
				t.Errorf("time %d: %d bytes, want %d", i, len(b), len(then[i]))
			}
		}
	})
}

// A text is copied once when it is asked for, and no more.
func TestATextIsJoinedOnce(t *testing.T) {
	var text Text
	Add(&text, strings.Repeat("x", 1<<20))
	if n := testing.AllocsPerRun(1, func() { text.Whole() }); n > 2 {
		t.Errorf("%v allocations", n)
	}
	if n := testing.AllocsPerRun(10, func() { text.Whole() }); n != 0 {
		t.Errorf("%v allocations of a text that is whole", n)
	}
}
