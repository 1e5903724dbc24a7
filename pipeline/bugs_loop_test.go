package pipeline_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/tools"
)

// B047: calls with the same id, and with none, get ids of their own, the same
// ones every time; each has its result, and a strict server takes the history.
func TestB047IDsAreMadeUnique(t *testing.T) {
	src := `{"steps":[{"blocks":[
	 {"call":"look","id":"x","arguments":{"n":1}},{"call":"look","id":"x","arguments":{"n":2}},
	 {"call":"look","id":"","arguments":{"n":3}},{"call":"look","id":"","arguments":{"n":4}}]},"done"]}`
	for _, dialect := range dialects {
		var before []string
		for range 2 {
			u := newUpstream(t, src)
			tool := &recorder{}
			events := run(t, open(t, u.client(t, dialect), pipeline.Config{Tools: registry(t, tool.tool("look"))}), "go")
			checkRules(t, events)
			if end := last(t, events); end.Text != "done" {
				t.Fatalf("%s: the turn ended as %+v", dialect, end)
			}
			var ids, arguments []string
			ran, _ := tool.calls()
			for _, f := range finished(events) {
				ids = append(ids, f.Call)
				arguments = append(arguments, string(ran[f.Call].Arguments))
			}
			if d := cmp.Diff([]string{`{"n":1}`, `{"n":2}`, `{"n":3}`, `{"n":4}`}, arguments); d != "" || ids[0] != "x" {
				t.Errorf("%s: ids %v, ran with (-want +got):\n%s", dialect, ids, d)
			}
			if d := cmp.Diff(before, ids); before != nil && d != "" {
				t.Errorf("%s: other ids the second time:\n%s", dialect, d)
			}
			before = ids
		}
	}
}

// B049: a model that numbers its calls anew in every answer is understood, in
// one turn and over turns: each call runs.
func TestB049AModelThatReusesItsIDsIsServed(t *testing.T) {
	for _, id := range []string{"call_0", "tool:0", "functions.look:0"} {
		for _, dialect := range dialects {
			t.Run(dialect+" "+id, func(t *testing.T) {
				call := func(n int) string {
					return fmt.Sprintf(`{"blocks":[{"call":"look","id":%q,"arguments":{"n":%d}}]}`, id, n)
				}
				u := newUpstream(t, `{"select":"sequence","steps":[`+call(1)+`,`+call(2)+`,"a",`+call(3)+`,"b",`+call(4)+`,`+call(5)+`,"c"]}`)
				var ran []string
				tool := noting(t, func(c tools.Call) tools.Result {
					ran = append(ran, c.ID+string(c.Arguments))
					return tools.Result{Text: "seen " + string(c.Arguments)}
				})
				s := open(t, u.client(t, dialect), pipeline.Config{Tools: tool})
				for _, want := range []string{"a", "b", "c"} {
					events := run(t, s, "go")
					checkRules(t, events)
					if end := last(t, events); end.Text != want {
						t.Fatalf("the turn ended as %+v", end)
					}
				}
				var want []string
				for n := 1; n <= 5; n++ {
					want = append(want, fmt.Sprintf(`%s{"n":%d}`, id, n))
				}
				if d := cmp.Diff(want, ran); d != "" {
					t.Errorf("calls that ran (-want +got):\n%s", d)
				}
				checkPairs(t, u)
			})
		}
	}
}

// checkPairs: in the last request each result stands beside its own call.
func checkPairs(t *testing.T, u *upstream) {
	t.Helper()
	all := u.Requests()
	messages := all[len(all)-1].Decoded.Messages
	pairs := 0
	for i, m := range messages {
		for k, c := range m.Calls() {
			r := messages[i+1].Blocks[k].(provider.ToolResult)
			if r.Call != c.ID || r.Text != "seen "+string(c.Arguments) {
				t.Errorf("the call %s %s has the result %+v", c.ID, c.Arguments, r)
			}
			pairs++
		}
	}
	if pairs != 5 {
		t.Errorf("%d pairs in the history, want 5", pairs)
	}
}

// noting returns a registry with a tool "look" that is the function.
func noting(t *testing.T, run func(tools.Call) tools.Result) *tools.Registry {
	t.Helper()
	tool, err := tools.New(tools.Spec{Name: "look", Description: "looks"},
		func(_ context.Context, c tools.Call, _ struct {
			N int `json:"n,omitempty"`
		},
		) tools.Result {
			return run(c)
		})
	if err != nil {
		t.Fatal(err)
	}
	return registry(t, tool)
}

// B113: a stop reason that promises calls, with none: no endless loop, but one
// more try.
func TestB113PromisedCallsThatNeverCome(t *testing.T) {
	for _, dialect := range dialects {
		t.Run(dialect, func(t *testing.T) {
			within(t, setting{dialect: dialect, script: `{"select":"sequence","loop":"last","steps":[{"blocks":[],"stop":"tool_calls"}]}`}, func(t *testing.T, w *world) {
				events := w.run("go", nil)
				if end := last(t, events); end.Outcome != pipeline.Failed || end.Error.Kind != "empty_response" {
					t.Errorf("the turn ended as %+v", end)
				}
				if n := len(w.requests()); n != 2 {
					t.Errorf("%d requests, want 2", n)
				}
			})
			u := newUpstream(t, `{"steps":[{"blocks":[{"text":"I am done."}],"stop":"tool_calls"}]}`)
			if end := last(t, run(t, open(t, u.client(t, dialect), pipeline.Config{}), "go")); end.Outcome != pipeline.Completed || end.Stop != provider.StopEnd {
				t.Errorf("with text the turn ended as %+v", end)
			}
		})
	}
}

// B115, B116: a model whose every call fails is stopped after so many steps,
// with the reason, and is told each time how to mend it.
func TestB115CallsThatAllFailEndTheTurn(t *testing.T) {
	write := func(arguments string) string { return `{"call":"write_file","arguments":` + arguments + `}` }
	for name, c := range map[string]struct{ call, kind, say string }{
		"unknown tool":      {`{"call":"unknown","arguments":{}}`, "unknown_tool", "read_file"},
		"empty arguments":   {write(`""`), "bad_arguments", "path"},
		"null":              {write(`"null"`), "bad_arguments", "path"},
		"an empty object":   {write(`{}`), "bad_arguments", "path"},
		"an array":          {write(`"[]"`), "bad_arguments", "no JSON object"},
		"a string":          {write(`"\"str\""`), "bad_arguments", "no JSON object"},
		"half an object":    {write(`"{\"path\":\"a"`), "bad_arguments", "no JSON object"},
		"NUL in the path":   {write(`{"path":"a\u0000b","text":"x","content":"x"}`), "", "write_file"},
		"a wrong type":      {write(`{"path":7}`), "bad_arguments", "path"},
		"a key there twice": {write(`"{\"path\":\"a\",\"path\":\"b\"}"`), "bad_arguments", "twice"},
	} {
		for _, dialect := range dialects {
			t.Run(name+" "+dialect, func(t *testing.T) {
				u := newUpstream(t, always(c.call))
				reg, dir := builtin(t, nil)
				events := run(t, open(t, u.client(t, dialect), pipeline.Config{Tools: reg, Policy: bypass{}}), "go")
				checkRules(t, events)
				end := last(t, events)
				if end.Outcome != pipeline.Limited || end.Limit != "failures" || end.Steps != 10 || len(u.Requests()) != 10 {
					t.Errorf("the turn ended as %+v after %d requests", end, len(u.Requests()))
				}
				for _, f := range finished(events) {
					if f.OK || c.kind != "" && f.ErrorKind != c.kind {
						t.Errorf("a call ended as %+v", f)
					}
					if c.kind != "" {
						mustSay(t, f.Text, c.say)
					}
				}
				if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
					t.Errorf("files were made: %v, %v", files, err)
				}
			})
		}
	}
}

// B118: of two calls, one of them with arguments that do not parse, both are
// answered and neither is dropped in the stream; see also the test of how they
// go back.
func TestB118BothCallsAreAnswered(t *testing.T) {
	for _, dialect := range dialects {
		u := newRawServer(t,
			sse(answerIn(dialect, nil, map[string][]string{"look": {`{\"n\":`, `1}`}, "read": {`{\"path\": \"a`}}, "")...),
			sse(answerIn(dialect, []string{"done"}, nil, "")...))
		tool := &recorder{}
		events := run(t, open(t, u.client(t, dialect), pipeline.Config{Tools: registry(t, tool.tool("look"), tool.tool("read"))}), "go")
		var got []string
		for _, f := range finished(events) {
			got = append(got, f.Call+" "+f.ErrorKind)
		}
		if d := cmp.Diff([]string{"call_look ", "call_read bad_arguments"}, got); d != "" {
			t.Errorf("%s: results (-want +got):\n%s", dialect, d)
		}
		calls := provider.Message{Blocks: message(t, events).Blocks}.Calls()
		if calls[1].Arguments != nil || calls[1].Raw != `{"path": "a` {
			t.Errorf("%s: the broken call is told as %+v", dialect, calls[1])
		}
		if sent := u.sent(); len(sent) != 2 || !json.Valid([]byte(sent[1])) || strings.Count(sent[1], "call_read") != 2 {
			t.Errorf("%s: the second request is %s", dialect, sent[len(sent)-1])
		}
	}
}

// B119: the same call with the same result over and over ends the turn; the
// same call whose result changes does not.
func TestB119EqualCallsWithEqualResultsEndTheTurn(t *testing.T) {
	for _, dialect := range dialects {
		u := newUpstream(t, always(`{"text":"once more"},{"call":"look","arguments":{"n":1}}`))
		n := 0
		events := run(t, open(t, u.client(t, dialect), pipeline.Config{Tools: noting(t, func(tools.Call) tools.Result {
			n++
			return tools.Result{Text: "nothing new"}
		})}), "go")
		if end := last(t, events); end.Outcome != pipeline.Limited || end.Limit != "repeats" || n != 10 || len(u.Requests()) != 10 {
			t.Errorf("%s: after %d calls and %d requests the turn ended as %+v", dialect, n, len(u.Requests()), end)
		}
		u = newUpstream(t, always(`{"call":"look","arguments":{"n":1}}`))
		n = 0
		events = run(t, open(t, u.client(t, dialect), pipeline.Config{
			Limits: pipeline.Limits{Steps: 25},
			Tools: noting(t, func(tools.Call) tools.Result {
				n++
				return tools.Result{Text: fmt.Sprint("still waiting, ", n)}
			}),
		}), "go")
		if end := last(t, events); end.Limit != "steps" || n != 24 {
			t.Errorf("%s: a poll ended after %d calls as %+v", dialect, n, end)
		}
	}
}
