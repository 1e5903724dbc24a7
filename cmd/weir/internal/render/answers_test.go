package render

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weir-agents/weir/cmd/weir/internal/vt"
	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider"
)

const laidOut = "# Title\n\nOne *two* `three` and more words than fit in a row of forty columns.\n\n" +
	"1. first\n2. second\n\n| a | b |\n|---|--:|\n| one | 1 |\n\n```go\nfunc f() { return \"x\" } // y\n```\n\nThe end."

// pages are stories whose answers are laid out.
var pages = map[string][]pipeline.Event{
	"laid out": {
		step(1), thought("First I look."), text(laidOut[:50]), text(laidOut[50:]), message(provider.Text{Text: laidOut}), ended(pipeline.Completed),
	},
	"laid out and interrupted": {
		step(1), text("```go\nfunc f() {\n"),
		pipeline.PromptQueued{Text: "and then"},
		text("\treturn // still code\n"),
		broke(provider.TruncatedStream, "it ended early"), retry(2, 1800, "it ended early", true),
		step(1), text("**Half"), ended(pipeline.Canceled),
	},
	"laid out without deltas": {
		step(1), message(provider.Text{Text: "All *at* once."}), started("read_file", "a.go"), finished("read_file", "1 x", 3), ended(pipeline.Completed),
	},
}

// onPage shows events as a terminal does whose open block is drawn again and
// again, and returns what is on it at the end.
func onPage(style Style, columns, rows int, events []pipeline.Event) string {
	style.Markdown = true
	s := Screen{Style: style}
	s.Resize(columns, rows)
	var out []byte
	for _, e := range events {
		out = s.Append(out, e)
	}
	return string(out)
}

func TestPagesLookAsTheirGoldenFiles(t *testing.T) {
	for name, events := range pages {
		got := "-- columns 40 --\n" + onPage(Style{}, 40, 24, events) + "-- columns 10 --\n" + onPage(Style{}, 10, 24, events) +
			"-- in colour --\n" + strings.ReplaceAll(onPage(Style{Color: true}, 40, 24, events), "\x1b", "^")
		golden(t, strings.ReplaceAll(name, " ", "_"), got)
	}
}

// events draws what a model and tools say, harmful or not, in any order.
func anyEvent() *rapid.Generator[pipeline.Event] {
	return rapid.Custom(func(t *rapid.T) pipeline.Event {
		words := rapid.OneOf(rapid.SampledFrom([]string{
			"word ", "\n", "\n\n", "```\n", "- ", "| a | b |\n|---|---|\n", "| x | y |\n", "**", "\x1b[2J", "\x1b]52;c;eA==\a", "\x9b31m", "\u009b", "\u202e",
			"日本語", "👩‍👩‍👧", "\xe6\x97", "\r", "\t", "&#27;[2J",
		}), rapid.String(), rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 8), func(b []byte) string { return string(b) })).Draw(t, "words")
		switch rapid.IntRange(0, 12).Draw(t, "kind") {
		case 0:
			return thought(words)
		case 1:
			return step(1)
		case 2:
			return note("warn", words)
		case 3:
			return started(words, words)
		case 4:
			return finished(words, words, 1)
		case 5:
			return broke(provider.TruncatedStream, words)
		case 6:
			return pipeline.PromptQueued{Text: words}
		case 7:
			return message(provider.Text{Text: words})
		default:
			return text(words)
		}
	})
}

// TestPromise11B025NothingButOurSequencesReachesAPage plays any events on a terminal
// that knows no sequences but those this program writes, and looks at what is
// open as well; what is open and its end have the same words.
func TestPromise11B025NothingButOurSequencesReachesAPage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Screen{Style: Style{Color: true, Markdown: true, Verbose: true}}
		s.Resize(rapid.IntRange(1, 80).Draw(t, "columns"), rapid.IntRange(1, 40).Draw(t, "rows"))
		harmless := func(out []byte) {
			for r := range strings.SplitSeq(sgr.ReplaceAllString(strings.ReplaceAll(string(out), "\t", " "), ""), "\n") {
				if _, err := vt.New(1000, func(text string) (int, int) { return len(text), 1 }).Write([]byte(r)); err != nil {
					t.Fatalf("%v in %q", err, out)
				}
				if strings.ContainsFunc(r, func(r rune) bool { return unsafe(r) || r < ' ' }) {
					t.Fatalf("not harmless: %q", out)
				}
			}
		}
		for _, e := range rapid.SliceOfN(anyEvent(), 1, 40).Draw(t, "events") {
			harmless(s.Append(nil, e))
			harmless(s.Open())
			if rapid.IntRange(0, 9).Draw(t, "resize") == 0 {
				s.Resize(rapid.IntRange(1, 80).Draw(t, "columns"), rapid.IntRange(1, 40).Draw(t, "rows"))
				harmless(s.Open())
			}
		}
		open := string(s.Open())
		end := string(s.EndLine(nil))
		if open != "" && end != open+"\n" {
			t.Fatalf("open %q ends as %q", open, end)
		}
	})
}

func TestColourAddsNoWordsToAPage(t *testing.T) {
	for name, events := range pages {
		if diff := cmp.Diff(onPage(Style{}, 40, 24, events), sgr.ReplaceAllString(onPage(Style{Color: true}, 40, 24, events), "")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
