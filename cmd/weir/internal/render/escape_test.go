package render

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider"
)

// nasty draws bytes that are likelier than chance to be harmful.
func nasty() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		pieces := rapid.SliceOf(rapid.OneOf(
			rapid.String(),
			rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
			rapid.SampledFrom([]string{
				"\x1b[2J", "\x1b]52;c;eA==\a", "\x9b31m", "\u009b", "\u202e", "\u2066", "\r", "\r\n", "\n", "\t", "\x7f", "\x00",
				"日本", "👩‍👩‍👧", "e\u0301", "\xe6\x97", "\xf0\x9f", "\x1bP", "\x1b_", "\x1bc", "\x90", "\x9d0;x\x9c",
			}),
		)).Draw(t, "pieces")
		return strings.Join(pieces, "")
	})
}

// harmless fails if text holds anything that a terminal may act on.
func harmless(t *rapid.T, what, text string) {
	if !utf8.ValidString(text) {
		t.Fatalf("%s is not UTF-8: %q", what, text)
	}
	for _, r := range text {
		if (unicode.Is(unicode.Cc, r) && r != '\n' && r != '\t') || unicode.Is(unicode.Bidi_Control, r) {
			t.Fatalf("%s holds %U: %q", what, r, text)
		}
	}
}

func TestPromise11EscaperIsHarmlessAndBlindToCuts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := nasty().Draw(t, "text")
		var whole, cut Escaper
		want := string(whole.Flush(whole.Append(nil, text)))
		harmless(t, "escaped text", want)
		var got []byte
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "cut")
			got = cut.Append(got, rest[:n])
			harmless(t, "a part", string(got))
			rest = rest[n:]
		}
		if got := string(cut.Flush(got)); got != want {
			t.Fatalf("cut otherwise: %q, want %q", got, want)
		}
	})
}

func TestPromise11B025B026NothingHarmfulReachesATerminal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := rapid.SliceOf(rapid.Custom(func(t *rapid.T) pipeline.Event {
			a, b := nasty().Draw(t, "a"), nasty().Draw(t, "b")
			return rapid.SampledFrom([]pipeline.Event{
				text(a), thought(a), text(a), note("warn", a), note("info", a), started(a, b), finished(a, b, 1), refused(a, b, ""),
				pipeline.ToolOutput{Text: a},
				broke(provider.ErrorKind(a), b), retry(2, 1, a, true), failed(a, b), step(1),
				message(provider.Text{Text: a}, provider.Thinking{Text: b}, provider.Text{Text: b}),
				pipeline.PromptQueued{Text: a},
				pipeline.PromptDropped{Text: a, Reason: b},
				ended(pipeline.Canceled),
				pipeline.ToolStarted{Name: a, Arguments: json.RawMessage(b)},
			}).Draw(t, "event")
		})).Draw(t, "events")
		color := rapid.Bool().Draw(t, "color")
		shown := play(Style{Color: color, Verbose: rapid.Bool().Draw(t, "verbose")}, events)
		if color {
			shown = sgr.ReplaceAllString(shown, "")
		}
		harmless(t, "the screen", shown)
	})
}

func TestPromise11LineIsOneHarmlessLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := Line(nasty().Draw(t, "text"), rapid.IntRange(0, 20).Draw(t, "limit"))
		harmless(t, "a line", line)
		if strings.ContainsAny(line, "\n\t") {
			t.Fatalf("more than a line: %q", line)
		}
	})
}

func TestPromise11JSONMeansTheSameAndIsHarmless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := strings.ToValidUTF8(nasty().Draw(t, "text"), "")
		line, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		line = JSON(line)
		harmless(t, "a JSON line", string(line))
		var got string
		if err := json.Unmarshal(line, &got); err != nil || got != want {
			t.Fatalf("%q became %q, %v", want, got, err)
		}
	})
}

func TestDurationsReadAsAPersonWouldSayThem(t *testing.T) {
	for ms, want := range map[int64]string{0: "0ms", 12: "12ms", 999: "999ms", 1800: "1.8s", 59_940: "59.9s", 60_000: "1m00s", 125_400: "2m05s"} {
		if got := Duration(ms); got != want {
			t.Errorf("%d ms: %q, want %q", ms, got, want)
		}
	}
}
