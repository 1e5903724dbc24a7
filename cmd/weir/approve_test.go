package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/tools"
	"github.com/weir-agents/weir/tools/rules"
)

func TestReplies(t *testing.T) {
	for text, want := range map[string]reply{
		"y": {"allow", "", false}, " YES ": {"allow", "", false}, "a": {"allow_always", "", false}, "always": {"allow_always", "", false},
		"n": {"deny", "", false}, "no, use make": {"deny", "use make", false}, "n: not that": {"deny", "not that", false}, "v": {"view", "", false},
		"y all": {"allow", "", true}, "Always all": {"allow_always", "", true}, "n all": {"deny", "", true}, "v all": {"view", "", true},
		"n all: use make": {"deny", "use make", true}, "n all of this is wrong": {"deny", "all of this is wrong", false},
	} {
		if got, ok := parseReply(text); !ok || got != want {
			t.Errorf("%q: %+v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", " ", "yep", "y please rm it", "a lot", "none", "1", "y all of it", "y all, or not", "all"} {
		if got, ok := parseReply(text); ok {
			t.Errorf("%q is taken for %+v", text, got)
		}
	}
}

// asked is the question for a command.
func asked(q pipeline.ApprovalRequested, whole bool) string {
	return question(q, rules.Show(wanted(q)), whole, false)
}

func bash(command string) pipeline.ApprovalRequested {
	args, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		panic(err)
	}
	return pipeline.ApprovalRequested{Call: "c1", Name: "bash", Arguments: args, Reason: "mode ask", RuleSuggestion: "bash(ls)"}
}

func TestPromise5AQuestionShowsTheWholeCommand(t *testing.T) {
	got := asked(bash("ls \u202e-l\n\x1b[2Jrm x"), false)
	want := "◇ bash wants to run: mode ask\n  ls ⟦\\u202e⟧-l\n  ⟦\\x1b⟧[2Jrm x\n" +
		"  always would add the rule bash(ls) for this session\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	q := pipeline.ApprovalRequested{Name: "write_file", Arguments: json.RawMessage(`{"path":"a","content":"b"}`)}
	want = "◇ write_file wants to run\n  {\"path\":\"a\",\"content\":\"b\"}\n"
	if diff := cmp.Diff(want, asked(q, false)); diff != "" {
		t.Error(diff)
	}
	q = pipeline.ApprovalRequested{Name: "bash", Arguments: json.RawMessage(`{"command":"ls","cwd":"/"}`)}
	want = "◇ bash wants to run\n  ls\n  {\"cwd\":\"/\"}\n"
	if diff := cmp.Diff(want, asked(q, false)); diff != "" {
		t.Error(diff)
	}
}

// TestPromise5TheOtherArgumentsAreShownAsTheyWereSent compares bytes: order, blanks,
// numbers and what HTML would have escaped.
func TestPromise5TheOtherArgumentsAreShownAsTheyWereSent(t *testing.T) {
	for arguments, want := range map[string]string{
		`{"command":"a && b","cwd":"<x>&y","timeout_ms":1e3}`:            "a && b\n{\"cwd\":\"<x>&y\",\"timeout_ms\":1e3}",
		`{ "timeout_ms" : 5 , "command" : "a" , "cwd":"\u003c" } `:       "a\n{\"timeout_ms\" : 5,\"cwd\":\"\\u003c\"}",
		`{"z":[1, {"command":"<"}],"command":"a","a":12345678901234567}`: "a\n{\"z\":[1, {\"command\":\"<\"}],\"a\":12345678901234567}",
		`{"command":"a","command":"b","cwd":"c"}`:                        "b\n{\"cwd\":\"c\"}",
		`{"command":""}`: `{"command":""}`,
		`{"path":"<&>"}`: `{"path":"<&>"}`,
	} {
		if got := wanted(pipeline.ApprovalRequested{Name: "bash", Arguments: json.RawMessage(arguments)}); got != want {
			t.Errorf("%s is shown as %s, want %s", arguments, got, want)
		}
	}
}

// TestAReasonIsEscapedOnce has one that quotes what cannot be seen, and one that
// quotes it as it is.
func TestAReasonIsEscapedOnce(t *testing.T) {
	q := bash("ls")
	q.Reason = "`" + rules.ShowLine("ls\u202e⟦") + "` is not covered\x1b[2J\nx"
	want := "◇ bash wants to run: `ls⟦\\u202e⟧⟦\\u27e6⟧` is not covered\\x1b[2J\\nx\n"
	if got, _, _ := strings.Cut(asked(q, false), "  ls"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestPromise5ALongQuestionShowsHeadAndTail(t *testing.T) {
	var lines []string
	for i := range 100 {
		lines = append(lines, fmt.Sprintf("line %d", i))
	}
	got := asked(bash(strings.Join(lines, "\n")), false)
	if !strings.Contains(got, "  line 19\n  … 60 lines, 479 characters hidden (press v) …\n  line 80\n") {
		t.Errorf("many lines:\n%s", got)
	}
	if whole := asked(bash(strings.Join(lines, "\n")), true); !strings.Contains(whole, "line 50\n") {
		t.Error("asked for the whole, it is not shown")
	}
	got = asked(bash(strings.Repeat("日", 5000)), false)
	if !strings.Contains(got, "日\n  … 0 lines, 1000 characters hidden (press v) …\n  日") {
		t.Errorf("a long line:\n%s", got)
	}
	for _, n := range []int{questionChars - 1, questionChars} {
		if got := excerpt(strings.Repeat("x", n)); len(got) != n {
			t.Errorf("%d characters became %d", n, len(got))
		}
	}
}

// TestAQuestionShowsWhatAFileWouldLookLike asks for an edit: the person sees the
// diff, with its colours, before the file is touched; where the edit cannot be
// done, what was asked for and why.
func TestAQuestionShowsWhatAFileWouldLookLike(t *testing.T) {
	dir := tree(t, map[string]string{"a.go": "one\ntwo\n"})
	work, err := tools.OpenWorkspace(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = work.Close() }()
	h := &house{work: work}
	edit := func(arguments string) pipeline.ApprovalRequested {
		return pipeline.ApprovalRequested{Name: "edit_file", Arguments: json.RawMessage(arguments), RuleSuggestion: "edit_file(a.go)"}
	}
	got := h.question(t.Context(), edit(`{"path":"a.go","edits":[{"old":"two","new":"2\u001b[2J"}]}`), false, true)
	want := "◇ edit_file wants to run\n  \x1b[31m--- a/a.go\x1b[0m\n  \x1b[32m+++ b/a.go\x1b[0m\n  \x1b[36m@@ -1,2 +1,2 @@\x1b[0m\n   one\n" +
		"  \x1b[31m-two\x1b[0m\n  \x1b[32m+2⟦\\x1b⟧[2J\x1b[0m\n  always would add the rule edit_file(a.go) for this session\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	got = h.question(t.Context(), edit(`{"path":"a.go","edits":[{"old":"three","new":"2"}]}`), false, false)
	if !strings.Contains(got, `"old":"three"`) || !strings.Contains(got, "  it would fail: old was not found") {
		t.Errorf("an edit that fails: %s", got)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	got = h.question(ended, edit(`{"path":"a.go","edits":[{"old":"two","new":"2"}]}`), false, false)
	if !strings.Contains(got, `"old":"two"`) || strings.Contains(got, "fail") {
		t.Errorf("a canceled preview: %s", got)
	}
}

// TestAnEditIsSeenBeforeItIsAllowed answers the question on a terminal.
func TestAnEditIsSeenBeforeItIsAllowed(t *testing.T) {
	t.Parallel()
	script := scriptFile(t, `{"steps": [{"blocks": [{"call": "write_file", "arguments": {"path": "a.txt", "content": "one\ntwo\n"}}]}, "Done."]}`)
	d := onDesktopWith(t, t.TempDir(), nil, "--script", script)
	d.sees(t, "weir> ")
	d.types(t, "go"+enter)
	d.holds(t, "  +++ b/a.txt\n  @@ -0,0 +1,2 @@\n  +one\n  +two\n")
	d.sees(t, allow)
	if !strings.Contains(d.out.text(), "\x1b[32m+one\x1b[0m") {
		t.Error("the diff has no colour")
	}
	d.types(t, "y"+enter)
	d.sees(t, "● Done.\nweir> ")
	if text := d.screen(t, d.out.text()).Text(); strings.Count(text, "+one") != 1 {
		t.Errorf("the diff is not there once:\n%s", text)
	}
	d.types(t, "/diff"+enter)
	d.sees(t, "◇ what was written in this session:\n  --- a/a.txt\n  +++ b/a.txt\n  @@ -0,0 +1,2 @@\n  +one\n  +two\nweir> ")
	if strings.Count(d.out.text(), "  \x1b[32m+one\x1b[0m") != 2 {
		t.Error("/diff has no colour")
	}
	d.types(t, ctrlD)
	d.leaves(t, 0)
}
