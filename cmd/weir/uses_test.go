package main

import (
	"errors"
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
