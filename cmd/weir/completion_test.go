package main

import (
	"bytes"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/bench"
)

// completed is what bash offers where the cursor stands at the end of words.
func completed(t *testing.T, words ...string) []string {
	t.Helper()
	cmd := exec.Command("bash", append([]string{"-c", `eval "$(weir completion bash)"; COMP_WORDS=("$@") COMP_CWORD=$(($#-1)); _weir; printf '%s\n' "${COMPREPLY[@]}"`, "bash", "weir"}, words...)...)
	cmd.Dir = tree(t, map[string]string{"file": "", "folder/file": ""})
	var trouble bytes.Buffer
	cmd.Stderr = &trouble
	out, err := cmd.Output()
	if err != nil || trouble.Len() > 0 {
		t.Fatalf("%q: %v\n%s", words, err, &trouble)
	}
	return strings.Fields(string(out))
}

// The flags offered to a command are those that its help lists.
func TestCompletionOffersWhatACommandTakes(t *testing.T) {
	t.Parallel()
	for _, o := range offers() {
		if o.command == "bench" {
			continue
		}
		before := strings.Fields(o.command)
		want := helpedFlags(t, append(before, "--help")...)
		slices.Sort(want)
		got := completed(t, append(before, "--")...)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("bash, weir %s:\n%s", o.command, diff)
		}
		if diff := cmp.Diff(want, offeredByFish(o.command)); diff != "" {
			t.Errorf("fish, weir %s:\n%s", o.command, diff)
		}
	}
}

// offeredByFish are the flags whose condition holds once a command was typed.
func offeredByFish(command string) []string {
	var all []string
	line := regexp.MustCompile(`(?m)^complete -c weir(?: -n '(not )?__fish_seen_subcommand_from ([^']*)')? -l ([\w-]+)`)
	for _, m := range line.FindAllStringSubmatch(fishCompletion(offers()), -1) {
		if m[2] == "" || slices.Contains(strings.Fields(m[2]), command) == (m[1] == "") {
			all = append(all, "--"+m[3])
		}
	}
	slices.Sort(all)
	return all
}

func TestCompletionKnowsWhereItStands(t *testing.T) {
	t.Parallel()
	commands := offers()[0].words
	var scenarios []string
	for _, s := range bench.Scenarios() {
		scenarios = append(scenarios, s.Name)
	}
	for words, want := range map[string][]string{
		"s":                     {"sim"},
		"--mode pl":             {"plan"},
		"--mode = pl":           {"plan"},
		"--mode =":              {"ask", "read-only", "accept-edits", "plan", "bypass"},
		"config --sandbox o":    {"on", "off"},
		"--provider a":          {"anthropic"},
		"--model too":           nil,
		"-p too":                nil,
		"--model sim t":         {"tools"}, // sim is a name there
		"--model = sim t":       {"tools"},
		"-q co":                 {"config", "completion"},
		"--cwd fo":              {"folder"},
		"--cwd fi":              nil,
		"sim --script f":        {"file", "folder"},
		"completion z":          {"zsh"},
		"tools si":              nil,
		"version --m":           nil,
		"bench f":               slices.DeleteFunc(scenarios, func(name string) bool { return name[0] != 'f' }),
		"bench --json f":        {"file", "folder"},
		"bench --ra":            {"--rate"},
		"bench tools --rounds ": nil,
	} {
		if got := completed(t, strings.Split(words, " ")...); !slices.Equal(want, got) {
			t.Errorf("%q: got %q, want %q", words, got, want)
		}
	}
	if diff := cmp.Diff(commands, completed(t, "")[:len(commands)]); diff != "" {
		t.Error(diff)
	}
}
