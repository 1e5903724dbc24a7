package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/pipeline"
)

func TestReplies(t *testing.T) {
	for text, want := range map[string]reply{
		"y": {"allow", ""}, " YES ": {"allow", ""}, "a": {"allow_always", ""}, "always": {"allow_always", ""},
		"n": {"deny", ""}, "no, use make": {"deny", "use make"}, "n: not that": {"deny", "not that"}, "v": {"view", ""},
	} {
		if got, ok := parseReply(text); !ok || got != want {
			t.Errorf("%q: %+v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", " ", "yep", "y please rm it", "a lot", "none", "1"} {
		if got, ok := parseReply(text); ok {
			t.Errorf("%q is taken for %+v", text, got)
		}
	}
}

func bash(command string) pipeline.ApprovalRequested {
	args, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		panic(err)
	}
	return pipeline.ApprovalRequested{Call: "c1", Name: "bash", Arguments: args, Reason: "mode ask", RuleSuggestion: "bash(ls)"}
}

func TestAQuestionShowsTheWholeCommand(t *testing.T) {
	got := question(bash("ls \u202e-l\n\x1b[2Jrm x"), false)
	want := "◇ bash wants to run: mode ask\n  ls ⟦\\u202e⟧-l\n  ⟦\\x1b⟧[2Jrm x\n" +
		"  always would add the rule bash(ls) for this session\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	q := pipeline.ApprovalRequested{Name: "write_file", Arguments: json.RawMessage(`{"path":"a","content":"b"}`)}
	want = "◇ write_file wants to run\n  {\"path\":\"a\",\"content\":\"b\"}\n"
	if diff := cmp.Diff(want, question(q, false)); diff != "" {
		t.Error(diff)
	}
	q = pipeline.ApprovalRequested{Name: "bash", Arguments: json.RawMessage(`{"command":"ls","cwd":"/"}`)}
	want = "◇ bash wants to run\n  ls\n  {\"cwd\":\"/\"}\n"
	if diff := cmp.Diff(want, question(q, false)); diff != "" {
		t.Error(diff)
	}
}

func TestALongQuestionShowsHeadAndTail(t *testing.T) {
	var lines []string
	for i := range 100 {
		lines = append(lines, fmt.Sprintf("line %d", i))
	}
	got := question(bash(strings.Join(lines, "\n")), false)
	if !strings.Contains(got, "  line 19\n  … 60 lines, 479 characters hidden (press v) …\n  line 80\n") {
		t.Errorf("many lines:\n%s", got)
	}
	if whole := question(bash(strings.Join(lines, "\n")), true); !strings.Contains(whole, "line 50\n") {
		t.Error("asked for the whole, it is not shown")
	}
	got = question(bash(strings.Repeat("日", 5000)), false)
	if !strings.Contains(got, "日\n  … 0 lines, 1000 characters hidden (press v) …\n  日") {
		t.Errorf("a long line:\n%s", got)
	}
	for _, n := range []int{questionChars - 1, questionChars} {
		if got := excerpt(strings.Repeat("x", n)); len(got) != n {
			t.Errorf("%d characters became %d", n, len(got))
		}
	}
}
