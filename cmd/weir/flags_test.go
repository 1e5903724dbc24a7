package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/cmd/weir/internal/config"
	"github.com/weir-agents/weir/pipeline"
)

// Every flag of a turn can be set in a file, or is said to be a flag only.
func TestEveryFlagIsAKeyOrAFlagOnly(t *testing.T) {
	dir := tree(t, nil)
	for _, f := range newParser(&flags{}, io.Discard, nil).Model.Flags {
		if f.Name == "help" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, config.FileName), []byte(f.Name+" = 1970-01-01"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := config.Load(config.Input{UserDir: dir})
		if err == nil || strings.Contains(err.Error(), "unknown key") != strings.HasSuffix(err.Error(), "it is a flag only, --"+f.Name) {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}

func TestWrongUsageIsOneClearLine(t *testing.T) {
	for args, want := range map[string]string{
		"--modle x":              `unknown flag --modle, did you mean one of "--model", "--mode"? (weir --help lists all)`,
		"--max-steps x":          `--max-steps is "x", must be a whole number (weir --help lists all)`,
		"--max-steps 0":          "--max-steps is 0, must be at least 1",
		"--attempts -1":          "--attempts needs a value behind it; one that begins with a dash is written --attempts=-1 (weir --help lists all)",
		"--parallel=0":           "--parallel is 0, must be at least 1",
		"--timeout=-1s":          "--timeout is -1s, must not be negative",
		"--idle-timeout=0s":      "--idle-timeout is 0s, must be more than 0",
		"--mode x":               `--mode is "x", must be one of "ask","read-only","accept-edits","plan","bypass" (weir --help lists all)`,
		"--provider x":           `the provider is "x", must be openai, anthropic or script (--provider, WEIR_PROVIDER)`,
		"mend it":                "unexpected argument mend; a prompt goes behind -p (weir --help lists all)",
		"-p":                     "--prompt needs a value behind it (weir --help lists all)",
		"--prompt=":              "the prompt is empty: say something behind -p, or -p - to read it from standard input",
		"version --json":         `unknown flag --json (weir --help lists all)`,
		"sim --script x -p y":    "weir sim has no use for --prompt (weir sim --help lists what it takes)",
		"--model x version":      "weir version has no use for --model (weir version --help lists what it takes)",
		"completion bash -q":     "weir completion has no use for --quiet (weir completion --help lists what it takes)",
		"tools --mode plan":      "weir tools has no use for --mode (weir tools --help lists what it takes)",
		"doctor -p x":            "weir doctor has no use for --prompt (weir doctor --help lists what it takes)",
		"config --prompt=x":      "weir config has no use for --prompt (weir config --help lists what it takes)",
		"--max-cost=-1":          "--max-cost is -1, must be a number of 0 or more",
		"--max-cost NaN":         "--max-cost is NaN, must be a number of 0 or more",
		"--max-cost Inf":         "--max-cost is +Inf, must be a number of 0 or more",
		"docter":                 `unexpected argument docter, did you mean "doctor"? A prompt goes behind -p (weir --help lists all)`,
		"--max-tokens-total=-1":  "--max-tokens-total is -1, must not be negative",
		"--first-byte-timeout=x": `--first-byte-timeout is "x", must be a time with its unit, such as 90s or 5m (weir --help lists all)`,
	} {
		_, _, _, err := parse(strings.Fields(args), io.Discard, nil)
		if err == nil || errorCode(err) != exitUsage {
			t.Fatalf("%s: %v", args, err)
		}
		if diff := cmp.Diff(want, err.Error()); diff != "" {
			t.Errorf("%s:\n%s", args, diff)
		}
	}
}

// Each flag that has no value, or one that it cannot have, is told of in our
// words, by its name, whatever the library says of it.
func TestEveryFlagSaysWhatItNeeds(t *testing.T) {
	for _, f := range newParser(&flags{}, io.Discard, nil).Model.Flags {
		name := "--" + f.Name
		if f.Name == "help" {
			continue
		}
		lines := map[string]string{name: name + " needs a value behind it", name + " -q": name + " needs a value behind it; one that begins with a dash is written " + name + "=-q"}
		if f.IsBool() {
			lines = map[string]string{name + "=perhaps": name + ` is "perhaps", takes no value but true or false`}
		}
		switch f.Target.Interface().(type) {
		case int:
			lines[name+"=1.5"] = name + ` is "1.5", must be a whole number`
		case float64:
			lines[name+"=x"] = name + ` is "x", must be a number`
		case time.Duration:
			lines[name+"=5"] = name + ` is "5", must be a time with its unit, such as 90s or 5m`
		}
		for args, want := range lines {
			_, _, _, err := parse(strings.Fields(args), io.Discard, nil)
			if err == nil || errorCode(err) != exitUsage || err.Error() != want+" (weir --help lists all)" {
				t.Errorf("%s: %v, want %s", args, err, want)
			}
		}
	}
}

func TestCommandsAreTold(t *testing.T) {
	for args, want := range map[string]string{
		"": "turn", "-p x": "turn", "-p -": "turn", "--mode plan": "turn", "sim --script x": "sim", "--script x sim --listen :0": "sim",
		"tools --json": "tools", "version": "version",
	} {
		f, got, _, err := parse(strings.Fields(args), io.Discard, nil)
		if err != nil || got != want {
			t.Errorf("%q: %q, %v", args, got, err)
		}
		if f != nil && f.prompted != strings.Contains(args, "-p ") {
			t.Errorf("%q: prompted is %v", args, f.prompted)
		}
	}
}

func TestAPromptWithCommasStaysOne(t *testing.T) {
	f, _, _, err := parse([]string{"-p", "a, b", "--allow", "bash(a, b)", "--allow", "x", "--tools", "a,b"}, io.Discard, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := []any{f.Prompt, f.Allow, f.Tools}
	if diff := cmp.Diff([]any{"a, b", []string{"bash(a, b)", "x"}, []string{"a", "b"}}, got); diff != "" {
		t.Error(diff)
	}
}

func TestHelpNamesEveryFlagAndCommand(t *testing.T) {
	var b strings.Builder
	if _, _, _, err := parse([]string{"--help"}, &b, nil); !errors.Is(err, errHelp) {
		t.Fatal(err)
	}
	for _, word := range []string{"--prompt", "--provider", "--base-url", "--output-format", "--deltas", "--deny", "sim", "tools", "version", "Limits:", "$WEIR_MODEL"} {
		if !strings.Contains(b.String(), word) {
			t.Errorf("help does not say %s:\n%s", word, b.String())
		}
	}
}

func TestExitCodes(t *testing.T) {
	type in struct {
		outcome pipeline.Outcome
		denied  bool
	}
	for in, want := range map[in]int{
		{pipeline.Completed, false}: 0, {pipeline.Completed, true}: 3, {pipeline.Failed, false}: 1, {pipeline.Failed, true}: 1,
		{pipeline.Limited, true}: 4, {pipeline.Limited, false}: 4, {pipeline.Canceled, false}: 130, {"", false}: 1,
	} {
		if got := exitCode(in.outcome, in.denied); got != want {
			t.Errorf("%+v: %d, want %d", in, got, want)
		}
	}
	broken := &os.PathError{Op: "write", Path: "standard output", Err: syscall.EPIPE}
	for _, tt := range []struct {
		err  error
		want int
	}{
		{usagef("x"), 2}, {fmt.Errorf("a: %w", usagef("x")), 2}, {broken, 141}, {&os.PathError{Err: syscall.ENOSPC}, 1}, {io.EOF, 1},
	} {
		if got := errorCode(tt.err); got != tt.want {
			t.Errorf("%v: %d, want %d", tt.err, got, tt.want)
		}
	}
}
