package tools

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func cleaned(pieces ...string) string {
	var c cleaner
	var out []byte
	for _, p := range pieces {
		out = c.clean(out, []byte(p))
	}
	return string(c.rest(out))
}

func TestCleanerTakesEscapesOut(t *testing.T) {
	for raw, want := range map[string]string{
		"plain\ttext\r\n":                   "plain\ttext\r\n",
		"\x1b[1;31mred\x1b[0m":              "red",
		"\x1b]0;title\x07after":             "after",
		"\x1b]8;;http://x\x1b\\link":        "link",
		"\x1b]52;c;ZXZpbA==\x07x":           "x",
		"\x1bPq#0\x1b\\x":                   "x",
		"\x1b(Bx\x1b7y\x1bcz":               "xyz",
		"\u009b31mred\u009d0;t\u0007x":      "redx",
		"a\x00b":                            "a\uFFFDb",
		"caf\xe9!":                          "caf\uFFFD!",
		"half \xe2\x82":                     "half \uFFFD\uFFFD",
		"\x1b]no end\nnext line":            "no end\nnext line",
		"\x1b]no end":                       "no end",
		"kept \x1bPno\x1b[31m end":          "kept no[31m end",
		"\x1b]0;a\u009d1;b\x1b":             "0;a1;b",
		"\x1b]half \xe2\x82":                "half \uFFFD\uFFFD",
		"\x1b[3\nx":                         "\nx",
		"x\x1b[31":                          "x",
		strings.Repeat("\u009dx", 1000):     strings.Repeat("x", 1000),
		"\x1b":                              "",
		"\x1b\x1b[1mx":                      "x",
		"日本語\x1b[Kと€":                       "日本語と€",
		"\x1b]" + strings.Repeat("x", 5000): strings.Repeat("x", 5000),
	} {
		if got := cleaned(raw); got != want {
			t.Errorf("%q: got %q, want %q", raw, got, want)
		}
	}
}

// However the bytes are split on their way, the text is the same, valid, and
// holds nothing that drives a terminal.
func TestCleanerDoesNotCareForSplits(t *testing.T) {
	parts := rapid.SampledFrom([]string{
		"a", "\n", "\x1b", "[", "]", "1;2", "m", "\x07", "\\", "P", "\xe2\x82\xac", "\xe2", "\x82", "\x00", "\u009b", "\u009d", "é", "\x18", "(",
	})
	rapid.Check(t, func(t *rapid.T) {
		raw := strings.Join(rapid.SliceOfN(parts, 0, 40).Draw(t, "raw"), "")
		var pieces []string
		for rest := raw; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			pieces = append(pieces, rest[:n])
			rest = rest[n:]
		}
		got := cleaned(pieces...)
		if whole := cleaned(raw); got != whole {
			t.Fatalf("%q in pieces: %q, whole: %q", raw, got, whole)
		}
		if !utf8.ValidString(got) || strings.ContainsAny(got, "\x1b\x00\u009b\u009d") {
			t.Fatalf("%q became %q", raw, got)
		}
		if lost := cleaned(raw + "\n"); strings.TrimSuffix(lost, "\n") != got && !strings.HasSuffix(raw, "\n") {
			t.Fatalf("%q: %q at the end of the stream, %q at that of a line", raw, got, lost)
		}
	})
}

func TestOutputKeepsHeadAndTail(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := &output{}
		var all strings.Builder
		for range rapid.IntRange(0, 12).Draw(t, "pieces") {
			n := rapid.IntRange(0, 12_000).Draw(t, "n")
			piece := strings.Repeat(string(rune('a'+all.Len()%26)), n) + "é"
			all.WriteString(piece)
			_, _ = o.Write([]byte(piece))
		}
		o.finish()
		got, cut := o.text()
		if cut != (all.Len() > outputMax) {
			t.Fatalf("cut %v at %d bytes", cut, all.Len())
		}
		head, tail, marked := strings.Cut(got, "\n… ")
		if !utf8.ValidString(got) || !strings.HasPrefix(all.String(), head) || marked != cut {
			t.Fatalf("%d bytes: bad head", all.Len())
		}
		if _, tail, _ = strings.Cut(tail, " …\n"); !strings.HasSuffix(all.String(), tail) || len(got) > outputMax+100 {
			t.Fatalf("%d bytes: bad tail", all.Len())
		}
	})
}
