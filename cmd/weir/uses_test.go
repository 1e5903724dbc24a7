package main

import (
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTheHelpOfACommandListsWhatItTakes(t *testing.T) {
	for command, want := range map[string]string{
		"sim":        "--help --listen --script",
		"tools":      "--help --json --allow --deny --sandbox --tools --cwd --add-dir",
		"version":    "--help",
		"completion": "--help",
	} {
		if diff := cmp.Diff(want, strings.Join(helpedFlags(t, command, "--help"), " ")); diff != "" {
			t.Errorf("%s:\n%s", command, diff)
		}
	}
	all := helpedFlags(t, "--help")
	for _, command := range []string{"config", "doctor"} {
		got := helpedFlags(t, command, "--help")
		if strings.Contains(strings.Join(got, " "), "--prompt") || len(got) < len(all)-1 {
			t.Errorf("%s: %v", command, got)
		}
	}
}

// A newcomer finds in the help what else decides, besides flags.
func TestTheHelpTellsEnvironmentFilesAndExitCodes(t *testing.T) {
	var b strings.Builder
	if _, _, _, err := parse([]string{"--help"}, &b, nil); !errors.Is(err, errHelp) {
		t.Fatal(err)
	}
	want := []string{"weir [<command>] [flags]", "config.toml", "\n  0 ", "\n  1 ", "\n  2 ", "\n  3 ", "\n  4 ", "\n  130 "}
	for _, f := range newParser(&flags{}, io.Discard, nil).Model.Flags {
		want = append(want, f.Tag.Envs...)
	}
	for _, vendor := range []string{openAI, anthropic} {
		want = append(append(want, keyNames[vendor]...), baseNames[vendor])
	}
	for _, words := range want {
		if !strings.Contains(b.String(), words) {
			t.Errorf("no %q in the help", words)
		}
	}
}

// helpedFlags returns the flags that help lists, in order.
func helpedFlags(t *testing.T, args ...string) []string {
	t.Helper()
	var b strings.Builder
	if _, _, _, err := parse(args, &b, nil); !errors.Is(err, errHelp) {
		t.Fatal(err)
	}
	var all []string
	for _, m := range regexp.MustCompile(`(?m)^ +(?:-\w, )?(--[\w-]+)`).FindAllStringSubmatch(b.String(), -1) {
		all = append(all, m[1])
	}
	return all
}
