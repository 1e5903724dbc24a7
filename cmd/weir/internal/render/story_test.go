package render

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider"
)

var update = flag.Bool("update", false, "write the golden files anew")

func text(s string) pipeline.Event    { return pipeline.TextDelta{Text: s} }
func thought(s string) pipeline.Event { return pipeline.ThinkingDelta{Text: s} }
func step(n int) pipeline.Event       { return pipeline.StepStarted{Envelope: pipeline.Envelope{Step: n}} }

func note(level, s string) pipeline.Event {
	return pipeline.Notice{Level: level, Code: "context", Text: s}
}

func message(blocks ...provider.Block) pipeline.Event {
	return pipeline.MessageCompleted{Role: provider.Assistant, Blocks: blocks}
}

func started(name, summary string) pipeline.Event {
	return pipeline.ToolStarted{Name: name, Summary: summary, Arguments: json.RawMessage(`{"path":"a"}`)}
}

func finished(name, text string, ms int64) pipeline.Event {
	return pipeline.ToolFinished{Name: name, OK: true, Text: text, DurationMS: ms}
}

func refused(name, kind, text string) pipeline.Event {
	return pipeline.ToolFinished{Name: name, ErrorKind: kind, Text: text}
}

func broke(kind provider.ErrorKind, message string) pipeline.Event {
	return pipeline.StreamFailed{Kind: kind, Message: message, Retryable: true}
}

func retry(n int, ms int64, why string, void bool) pipeline.Event {
	return pipeline.RetryScheduled{NextAttempt: n, DelayMS: ms, Reason: why, Discard: void}
}

func ended(o pipeline.Outcome) pipeline.Event { return pipeline.TurnEnded{Outcome: o} }

func failed(kind, message string) pipeline.Event {
	return pipeline.TurnEnded{Outcome: pipeline.Failed, Error: &pipeline.TurnError{Kind: kind, Message: message}}
}

// stories are turns as a person sees them, each in its golden file.
var stories = map[string][]pipeline.Event{
	"answer": {
		pipeline.SessionStarted{},
		pipeline.TurnStarted{Prompt: "hi"},
		step(1),
		thought("First I "), thought("look."), text("Hel"), text("lo.\n\nTwo "), text("lines."),
		message(provider.Thinking{Text: "First I look."}, provider.Text{Text: "Hello.\n\nTwo lines."}), ended(pipeline.Completed),
	},
	"tools": {
		step(1), text("Let me look.\n"), message(provider.Text{Text: "Let me look.\n"}),
		started("read_file", "go.mod"), finished("read_file", "1 module x\n2\n3 go 1.26\n4 \n5 require y\n", 12),
		started("list_dir", ""), finished("list_dir", "a.go\nb.go\nc.go\n", 3),
		started("bash", "go test ./...\ngo vet ./..."),
		pipeline.ToolOutput{Text: "ok\n"},
		finished("bash", "", 125_400),
		refused("write_file", "denied", "denied: it needs approval\nand nobody is there"),
		started("bash", "false"), refused("bash", "failed", ""),
		started("bash", "make"), refused("bash", "failed", "cc a.c\nexit 1 is what it said\na.c:1: no\n\x1b[2J\nexit 2\nstill running in the background: 7 (job 1)"),
		started("bash", "exit 7"), refused("bash", "failed", "(no output)\nexit 7"),
		started("bash", "sleep 9"), refused("bash", "timeout", "begun\ntimed out after 1s; ended with all it had started"),
		started("bash", "sleep 9"), refused("bash", "canceled", "(no output)\ncanceled; ended with all it had started"),
		refused("read_file", "bad_arguments", "read_file: required: missing properties: [\"path\"]\nread_file takes"),
		step(2), text("Done."), message(provider.Text{Text: "Done."}), ended(pipeline.Completed),
	},
	"retry": {
		step(1), broke(provider.HTTPError, "overloaded"), retry(2, 1800, "overloaded", false),
		step(1), thought("hm"), text("Hel"), broke(provider.TruncatedStream, "it ended early"), retry(3, 60_000, "it ended early", true),
		step(1), retry(5, 0, "overloaded", false), // of a fallback
		step(1), text("Hello"), message(provider.Text{Text: "Hello"}), ended(pipeline.Completed),
	},
	"edits": {
		step(1), message(),
		started("edit_file", "a.go"), finished("edit_file", "a.go: edited, 1 place replaced\n--- a/a.go\n+++ b/a.go\n@@ -1,2 +1,2 @@\n-old\x1b[2J\n+new\r\n same\n", 4),
		started("write_file", "b"), finished("write_file", "b: created, 90 bytes\n--- a/b\n+++ b/b\n@@ -0,0 +1,30 @@\n"+strings.Repeat("+line\n", 30), 4),
		pipeline.ApprovalResolved{Call: "c9", By: "user", Decision: "allow"},
		pipeline.ToolFinished{Call: "c9", Name: "edit_file", OK: true, Text: "a.go: edited, 1 place replaced\n--- a/a.go\n+++ b/a.go\n@@ -1 +1 @@\n-a\n+b\n", DurationMS: 1},
		started("write_file", "c"), finished("write_file", "c: unchanged, it holds just that, 1 byte", 1),
		started("bash", "git diff"), finished("bash", "x\n--- a/a.go\n+++ b/a.go\n@@ -1 +1 @@\n-a\n+b\n", 1),
		ended(pipeline.Completed),
	},
	"canceled":        {step(1), text("Half an ans"), ended(pipeline.Canceled)},
	"canceled before": {step(1), ended(pipeline.Canceled)},
	"failed": {
		step(1),
		pipeline.StreamFailed{Kind: provider.HTTPError, Status: 401, Message: "Incorrect API key"},
		failed("http_error", "Incorrect API key"),
	},
	"failed within": {step(1), text("Half"), broke(provider.ProviderError, "gone"), failed("provider_error", "gone")},
	"limit": {
		step(1), text("Half"), message(provider.Text{Text: "Half"}),
		pipeline.TurnEnded{Outcome: pipeline.Limited, Limit: "steps", Steps: 3},
	},
	"notices": {
		note("info", "one thing"), text("answer"), note("warn", "another\nwith a line"), text(" goes on"),
		pipeline.PromptQueued{Text: "and then"},
		pipeline.PromptJoined{Text: "and then"},
		pipeline.PromptDropped{Text: "later", Reason: "canceled"},
		ended(pipeline.Canceled),
	},
	"without deltas": {
		step(1), message(provider.Thinking{Text: "Hm."}, provider.Text{Text: "All at once."}, provider.ToolCall{ID: "1", Name: "x"}),
		ended(pipeline.Completed),
	},
	"harmful": {
		text("a\x1b[2J\x1b]52;c;ZXZpbA==\x07b\u009bc\rd\r\ne\u202ef"), message(),
		started("ba\x1b[31msh", "printf '\x1b]0;pwn\x07'\r\n\u2066"), finished("bash", "\x1b[1A\x9b\xff\n\tx", 1),
		refused("b\x07", "failed", "\x1bc"), retry(2, 5, "\x1b[A\nfake", false), note("warn", "\x1b[H\n● fake"),
		failed("http_error", "\x1b]8;;http://x\x1b\\"),
	},
}

// play shows the events of a story in the three ways there are, headed.
func play(style Style, events []pipeline.Event) string {
	screen, piped := Screen{Style: style}, Piped{Screen: Screen{Style: style}}
	var live, answers, rest []byte
	for _, e := range events {
		live = screen.Append(live, e)
		answers, rest = piped.Append(answers, rest, e)
	}
	return "-- screen --\n" + string(live) + "-- stdout --\n" + string(answers) + "-- stderr --\n" + string(rest)
}

func TestStoriesLookAsTheirGoldenFiles(t *testing.T) {
	for name, events := range stories {
		golden(t, strings.ReplaceAll(name, " ", "_"), play(Style{Attempts: 4}, events))
	}
}

// golden compares got with a golden file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s:\n%s", name, diff)
	}
}

var sgr = regexp.MustCompile("\x1b\\[[0-9;]*m")

func TestColourAddsNoWords(t *testing.T) {
	for name, events := range stories {
		for _, style := range []Style{{}, {Verbose: true}, {Quiet: true}} {
			plain := play(style, events)
			style.Color = true
			if diff := cmp.Diff(plain, sgr.ReplaceAllString(play(style, events), "")); diff != "" {
				t.Errorf("%s, %+v:\n%s", name, style, diff)
			}
		}
	}
}

func TestQuietLeavesOnlyAnswersAndTrouble(t *testing.T) {
	var got []byte
	s := Screen{Style: Style{Quiet: true}}
	for _, e := range append(stories["tools"], stories["failed"]...) {
		got = s.Append(got, e)
	}
	want := "● Let me look.\n● Done.\n◇ http_error 401: Incorrect API key\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}
