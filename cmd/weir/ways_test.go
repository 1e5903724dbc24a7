package main

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"
)

// whole returns the events of a stream with all their fields but those that no
// two runs share. Neighbouring deltas of a block are one: how many they are is
// the reader's doing.
func whole(t *testing.T, text string) (all []map[string]any) {
	t.Helper()
	for line := range strings.Lines(text) {
		var e map[string]any
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		for _, name := range []string{"seq", "session", "at", "prompt_id", "started_at", "duration_ms", "wait_ms", "delay_ms", "ttft_ms", "stalls"} {
			delete(e, name)
		}
		if tools, ok := e["tools"].([]any); ok { // only a person can be asked what to remember
			e["tools"] = slices.DeleteFunc(tools, func(name any) bool { return name == remember })
		}
		if n := len(all); n > 0 && strings.HasSuffix(e["type"].(string), "_delta") && e["type"] == all[n-1]["type"] && reflect.DeepEqual(e["block"], all[n-1]["block"]) {
			all[n-1]["text"] = all[n-1]["text"].(string) + e["text"].(string)
			continue
		}
		all = append(all, e)
	}
	return all
}

// TestEveryWayIntoTheProgramGivesTheSameEvents asks once by -p, by a piped line
// and in a talk on a terminal.
func TestEveryWayIntoTheProgramGivesTheSameEvents(t *testing.T) {
	t.Parallel()
	script := scriptFile(t, `{"steps": [
		{"blocks": [{"thinking": "Which files?"}, {"text": ["Look", "ing."]}, {"call": "list_dir"}, {"call": "read_file", "arguments": {"path": "gone"}}, {"call": "read_file"}]},
		{"attempts": [{"blocks": [{"text": "Fi"}, {"fault": "cut"}]}, {"blocks": [{"text": "Fine."}]}]}]}`)
	args := []string{"--script", script, "--cwd", t.TempDir(), "--output-format", "jsonl"}
	ended := func(p *process) []map[string]any {
		return whole(t, p.out.until(t, "the end of the turn", func(text string) bool {
			_, last, ok := strings.Cut(text, `{"type":"turn_ended"`)
			return ok && strings.HasSuffix(last, "\n")
		}))
	}
	one := run(t, nil, nil, append(args, "-p", "hi")...)
	want := ended(one)
	one.exits(t, exitOK)
	if len(want) < 15 {
		t.Fatalf("%d events: %v", len(want), want)
	}
	piped := run(t, strings.NewReader("hi\n"), nil, args...)
	if diff := cmp.Diff(want, ended(piped)); diff != "" {
		t.Errorf("a piped line:\n%s", diff)
	}
	piped.exits(t, exitOK)
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = master.Close(), tty.Close() }()
	talk := run(t, tty, nil, args...)
	talk.err.want(t, promptText)
	if _, err := master.WriteString("hi\n"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, ended(talk)); diff != "" {
		t.Errorf("a talk:\n%s", diff)
	}
	if _, err := master.WriteString(ctrlD); err != nil {
		t.Fatal(err)
	}
	talk.exits(t, exitOK)
}
