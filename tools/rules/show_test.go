package rules

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

func TestShowChangesOnlyWhatCannotBeSeen(t *testing.T) {
	for text, want := range map[string]string{
		"git log --oneline": "git log --oneline", "a\nb\tc": "a\nb\tc", "é漢😀 e\u0301": "é漢😀 e\u0301", `\x1b \n`: `\x1b \n`, "": "",
		"\x00\x07\x1b\x7f\r": `⟦\x00⟧⟦\a⟧⟦\x1b⟧⟦\x7f⟧⟦\r⟧`, "\u0085\u009b": `⟦\u0085⟧⟦\u009b⟧`, "\x85\xff": `⟦\x85⟧⟦\xff⟧`,
		"\u200b\u200d\u2060\ufeff\u00ad": `⟦\u200b⟧⟦\u200d⟧⟦\u2060⟧⟦\ufeff⟧⟦\u00ad⟧`, "\u202a\u202e\u2066\u2069\u200f\u061c": `⟦\u202a⟧⟦\u202e⟧⟦\u2066⟧⟦\u2069⟧⟦\u200f⟧⟦\u061c⟧`,
		"\u00a0\u2003\u3000\u2028\u2029": `⟦\u00a0⟧⟦\u2003⟧⟦\u3000⟧⟦\u2028⟧⟦\u2029⟧`, "\ufe0f\u3164\u034f\u2800": `⟦\ufe0f⟧⟦\u3164⟧⟦\u034f⟧⟦\u2800⟧`,
		"\U000e0041": `⟦\U000e0041⟧`, `⟦\r⟧`: `⟦\u27e6⟧\r⟧`, "�": "�",
	} {
		if got := Show(text); got != want {
			t.Errorf("%q is shown as %s, want %s", text, got, want)
		}
	}
	if got := ShowLine("a\nb\tc"); got != `a⟦\n⟧b⟦\t⟧c` {
		t.Errorf("a line is shown as %s", got)
	}
}

// unshow undoes Show. That it exists means no two texts are shown alike.
func unshow(t *rapid.T, shown string) string {
	var b strings.Builder
	for shown != "" {
		before, rest, found := strings.Cut(shown, "⟦")
		b.WriteString(before)
		if !found {
			break
		}
		escape, after, closed := strings.Cut(rest, "⟧")
		if !closed {
			t.Fatalf("an escape does not end: %s", rest)
		}
		text, ok := decodeDollarQuote(strings.Replace(escape, `\x`, `\u00`, 1))
		if strings.HasPrefix(escape, `\x`) && escape >= `\x80` {
			text, ok = string([]byte{[]byte(text)[0]<<6 | []byte(text)[1]&0x3f}), true
		}
		if escape == `\x00` {
			text, ok = "\x00", true
		}
		if !ok {
			t.Fatalf("not an escape: %s", escape)
		}
		b.WriteString(text)
		shown = after
	}
	return b.String()
}

func TestPromise5ShownTextsIdentifyWhatRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOf(rapid.SampledFrom([]byte("ab\\x1⟦⟧\r\n\t\x1b\xe2\x80\x8b\xff\u202e0"))).Draw(t, "text"))
		if rapid.Bool().Draw(t, "any") {
			text = rapid.String().Draw(t, "string")
		}
		shown := Show(text)
		for _, r := range shown {
			if r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
				t.Fatalf("%q shows %U", text, r)
			}
		}
		if back := unshow(t, shown); back != text {
			t.Fatalf("%q is shown as %s, which says %q", text, shown, back)
		}
	})
}

func TestRuleWords(t *testing.T) {
	for _, test := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "", true},
		{"*", "", true},
		{"*", "a/b", true},
		{"a*", "a", true},
		{"*a", "ba", true},
		{"a*b*c", "axxbyyc", true},
		{"a*a", "a", false},
		{"ab*ba", "aba", false},
		{"a?b", "axb", false},
		{"[a]", "a", false},
		{"**", "x", true},
		{"a*b*b", "ab", false},
		{"a*b*b", "abb", true},
		{"--x=*", "--x=", true},
		{"--x=*", "--x", false},
	} {
		if got := star(test.pattern, test.text); got != test.want {
			t.Errorf("%q with %q: %v", test.pattern, test.text, got)
		}
	}
}

func TestDollarQuotes(t *testing.T) {
	for text, want := range map[string]string{
		`a\nb\t\\\'\"`: "a\nb\t\\'\"", `\x41\x4a\101\u00e9\U0001f600`: "AJAé😀", `\e[0m`: "\x1b[0m", `\x4`: "\x04", `\7z`: "\az", `\?`: "?", `\u41z`: "Az",
	} {
		if got, ok := decodeDollarQuote(text); !ok || got != want {
			t.Errorf("%s: %q %v, want %q", text, got, ok, want)
		}
	}
	for _, text := range []string{`\cA`, `\x00`, `\0`, `\x{41}`, `\q`, `\`, `\xff`, `\777`, `\ud800`, `\U00110000`, `\xg`} {
		if got, ok := decodeDollarQuote(text); ok {
			t.Errorf("%s is read as %q", text, got)
		}
	}
}
