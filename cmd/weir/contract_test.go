package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// lineOf is what the tests read of an event.
type lineOf struct {
	Type    string `json:"type"`
	Seq     int    `json:"seq"`
	Session string `json:"session"`
	Turn    string `json:"turn"`
	Step    int    `json:"step"`
	At      string `json:"at"`
	Text    string `json:"text"`
	Block   int    `json:"block"`
	Call    string `json:"call"`
	Outcome string `json:"outcome"`
	Blocks  []struct {
		Type, Text, ID string
	} `json:"blocks"`
}

// events reads the lines of a whole run.
func (p *process) events(t *testing.T) []lineOf {
	t.Helper()
	p.exits(t, 0)
	text := p.out.until(t, "the end", func(text string) bool {
		return strings.HasSuffix(text, "}\n") && strings.Contains(text, `"turn_ended"`)
	})
	var all []lineOf
	for line := range strings.Lines(text) {
		var e lineOf
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		all = append(all, e)
	}
	return all
}

// TestJSONLFollowsTheContract runs two steps over HTTP, the first with two
// calls, and checks the rules of the event contract that one run can show.
func TestJSONLFollowsTheContract(t *testing.T) {
	t.Parallel()
	script := scriptFile(t, `{"steps": [
		{"blocks": [{"thinking": "Which files?"}, {"text": "Two files: 日本語."}, {"call": "list_dir"}, {"call": "list_dir", "arguments": {"path": "."}}]},
		"There is nothing here."]}`)
	server := run(t, nil, nil, "sim", "--script", script)
	base := strings.TrimSpace(server.out.until(t, "an address", func(text string) bool { return strings.Contains(text, "\n") }))
	for _, args := range [][]string{{}, {"--no-stream"}, {"--provider", "anthropic"}, {"--provider", "anthropic", "--no-stream"}, {"--deltas", "tools"}} {
		all := run(t, nil, nil, append([]string{"-p", "what is here?", "--output-format", "jsonl", "--base-url", base}, args...)...).events(t)
		checkEnvelopes(t, all)
		var kinds []string
		shown, whole := map[[2]int]string{}, map[[2]int]string{}
		for _, e := range all {
			if k := len(kinds); e.Type != "tool_call_delta" && (k == 0 || kinds[k-1] != e.Type || !strings.HasSuffix(e.Type, "_delta")) {
				kinds = append(kinds, e.Type)
			}
			switch e.Type {
			case "text_delta", "thinking_delta":
				shown[[2]int{e.Step, e.Block}] += e.Text
			case "message_completed":
				for i, b := range e.Blocks {
					if b.Text != "" {
						whole[[2]int{e.Step, i}] = b.Text
					}
				}
			}
		}
		want := []string{
			"session_started", "turn_started", "step_started", "thinking_delta", "text_delta", "message_completed",
			"tool_started", "tool_finished", "tool_started", "tool_finished", "step_started", "text_delta", "message_completed", "turn_ended",
		}
		if diff := cmp.Diff(want, kinds); diff != "" {
			t.Errorf("%v: the kinds of events:\n%s", args, diff)
		}
		if diff := cmp.Diff(whole, shown); diff != "" {
			t.Errorf("%v: the deltas are not the text:\n%s", args, diff)
		}
	}
}

func checkEnvelopes(t *testing.T, all []lineOf) {
	t.Helper()
	for i, e := range all {
		if e.Seq != i+1 || e.Session == "" || e.Session != all[0].Session || e.At == "" || !strings.HasSuffix(e.At, "Z") {
			t.Errorf("event %d: %+v", i+1, e)
		}
		if (e.Type == "session_started") != (e.Turn == "") {
			t.Errorf("the turn of %+v", e)
		}
	}
	if last := all[len(all)-1]; last.Type != "turn_ended" || last.Outcome != "completed" {
		t.Errorf("the last event: %+v", last)
	}
}
