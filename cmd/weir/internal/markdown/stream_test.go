package markdown

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"pgregory.net/rapid"
)

var sgr = regexp.MustCompile("\x1b\\[[0-9;]*m")

// marked draws text of pieces that mean something in Markdown, or should not.
func marked() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.OneOf(
			rapid.SampledFrom([]string{
				"\n", "\n", "\n", "\n\n", " ", "  ", "    ", "\t", "\r\n", "\r", "- ", "* ", "1. ", "0) ", "7. ", "> ", "# ", "## ", "---\n", "===\n",
				"```go\n", "```py\n", "/*", "```", "```\n", "~~~\n", "````\n", "| a | b |\n", "|---|:-:|\n", "| x |\n", "`", "**", "*", "_", "~~", "[", "](http://x.y)", "![", "<b>", "<!--", "-->",
				"<http://a.b>", "&#27;[2J", "&amp;", "&#x202e;", `\`, `\*`, "word", "two words", "func f() { return \"x\" } // y", "[a]: http://b\n",
				"日本語", "👩‍👩‍👧", "🇩🇪", "e\u0301", "☺️", "\u200b", "\ufeff",
				"\x1b[2J", "\x1b]52;c;eA==\a", "\x9b31m", "\u009b", "\u202e", "\x7f", "\x00", "\xe6\x97", "\xf0\x9f", "\u2028",
			}),
			rapid.String(),
			rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 8), func(b []byte) string { return string(b) }),
		), 1, 40).Draw(t, "pieces"), "")
	})
}

// play writes text cut into pieces and returns all that was printed.
func play(t *rapid.T, text string, width, rows int, color bool, cuts bool) string {
	s := New(width, rows, color)
	var final strings.Builder
	check := func(o Output) {
		wantHarmless(t, o.Final, width)
		wantHarmless(t, o.Open, width)
		lines := 0
		if o.Open != "" {
			lines = strings.Count(o.Open, "\n") + 1
		}
		if o.Open != "" && o.OpenLines != lines {
			t.Fatalf("%d lines told of %q", o.OpenLines, o.Open)
		}
		if o.Final != "" && !strings.HasSuffix(o.Final, "\n") {
			t.Fatalf("not whole lines: %q", o.Final)
		}
		final.WriteString(o.Final)
	}
	for rest := text; rest != ""; {
		n := len(rest)
		if cuts {
			n = rapid.IntRange(1, len(rest)).Draw(t, "cut")
		}
		check(s.Write(rest[:n]))
		rest = rest[n:]
	}
	check(s.Close())
	return final.String()
}

// wantHarmless fails if text could do anything to a terminal but fill lines that are
// no longer than they may be.
func wantHarmless(t *rapid.T, text string, width int) {
	text = sgr.ReplaceAllString(text, "")
	if !utf8.ValidString(text) {
		t.Fatalf("not UTF-8: %q", text)
	}
	for _, r := range text {
		if unicode.Is(unicode.Cc, r) && r != '\n' || unicode.Is(unicode.Bidi_Control, r) {
			t.Fatalf("holds %U: %q", r, text)
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		if n := uniseg.StringWidth(line); n > width {
			t.Fatalf("%d columns of %d: %q", n, width, line)
		}
	}
}

func TestPromise11B025B142AnyTextIsHarmlessFitsAndIsBlindToCuts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := marked().Draw(t, "text")
		width := rapid.SampledFrom([]int{1, 2, 3, 5, 10, 40, 80}).Draw(t, "width")
		rows := rapid.SampledFrom([]int{0, 0, 1, 2, 5}).Draw(t, "rows")
		whole := play(t, text, width, rows, true, false)
		if got := play(t, text, width, rows, true, true); got != whole {
			t.Fatalf("cut otherwise:\n%q, want\n%q", got, whole)
		}
		if plain := play(t, text, width, rows, false, false); plain != sgr.ReplaceAllString(whole, "") {
			t.Fatalf("without colour:\n%q, want\n%q", plain, sgr.ReplaceAllString(whole, ""))
		}
	})
}

func TestWhatIsFinishedIsPrintedOnceAndTheRestStaysOpen(t *testing.T) {
	s := New(40, 0, false)
	for _, c := range []struct{ write, final, open string }{
		{"# Ti", "", "# Ti"},
		{"tle\n", "# Title\n", ""},
		{"one *tw", "", "\none *tw"},
		{"o*", "", "\none two"},
		{"\n\n", "\none two\n", ""},
		{"- a\n- b", "", "\n• a\n• b"},
		{"\n", "\n• a\n", "• b"},
		{"\n- c\n", "• b\n", "\n• c"},
		{"end\n\n```go\nx :=", "\n• c\n  end\n", "\n  x :="},
		{" 1\n", "\n  x := 1\n", ""},
		{"y\n```\n", "  y\n", ""},
	} {
		got := s.Write(c.write)
		if got.Final != c.final || got.Open != c.open {
			t.Errorf("%q: final %q open %q, want %q %q", c.write, got.Final, got.Open, c.final, c.open)
		}
	}
	if got := s.Close(); got != (Output{}) {
		t.Errorf("at the end: %+v", got)
	}
}

func TestResizeDrawsOnlyWhatIsOpenAgain(t *testing.T) {
	s := New(80, 0, false)
	s.Write("done\n\none two three")
	if got, want := s.Resize(7, 0), (Output{Open: "\none two\nthree", OpenLines: 3}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestWhatIsOpenIsBounded(t *testing.T) {
	for name, text := range map[string]string{
		"paragraph": strings.Repeat("word word\n", 1800), "line": strings.Repeat("word ", 20_000),
		"quotes": strings.Repeat("> ", 5_000) + "word", "brackets": strings.Repeat("[", 9_000), "stars": strings.Repeat("*a ", 5000),
		"list": strings.Repeat("- item\n", 800), "deep list": strings.Repeat("- ", 5000), "table": "|a|b|\n|-|-|\n" + strings.Repeat("|c|d|\n", 800),
		"apostrophes": "```go\n" + strings.Repeat("'\\", 100_000), "code": "```go\n" + strings.Repeat("x := \"y\" // z\n", 200),
	} {
		s := New(80, 0, true)
		var out int
		for rest := text; rest != ""; {
			n := min(len(rest), 4096)
			o := s.Write(rest[:n])
			out += len(o.Final)
			rest = rest[n:]
			if len(o.Open) > 40*openMax {
				t.Fatalf("%s: %d bytes are open", name, len(o.Open))
			}
		}
		if out += len(s.Close().Final); out == 0 {
			t.Errorf("%s: nothing was printed", name)
		}
	}
}
