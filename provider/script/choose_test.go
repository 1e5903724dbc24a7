package script_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/script"
)

// said returns the text p answers to req, or its error's.
func said(t *testing.T, p provider.Provider, req provider.Request) string {
	t.Helper()
	m, err := provider.Complete(t.Context(), p, req)
	if err != nil {
		return err.Error()
	}
	return m.Text()
}

func steps(texts ...string) []script.Step {
	var all []script.Step
	for _, text := range texts {
		all = append(all, script.Step{Blocks: []script.Block{script.Text{Text: text}}})
	}
	return all
}

func TestHistoryChoosesTheStep(t *testing.T) {
	const none = `provider_error: the script has no step 3, it ends after 2: add one or set "loop"`
	for loop, want := range map[script.Loop][]string{
		"":              {"one", "two", none, none + "+"},
		script.LoopLast: {"one", "two", "two", "two"},
		script.LoopAll:  {"one", "two", "one", "two"},
	} {
		p := script.New(script.Script{Loop: loop, Steps: steps("one", "two")})
		for n, want := range want {
			if got := said(t, p, answered(n)); got != want && !strings.HasSuffix(want, "+") {
				t.Errorf("loop %q, step %d: %q", loop, n+1, got)
			}
		}
	}
	_, err := play(t, script.New(script.Script{}), ask("hi"))
	if e := provider.AsError(err); e.Kind != provider.ProviderError || e.Retryable {
		t.Errorf("an empty script: %v", err)
	}
}

func TestSequenceGivesEachRequestTheNextStep(t *testing.T) {
	p := script.New(script.Script{Select: script.BySequence, Loop: script.LoopLast, Steps: steps("one", "two")})
	var got []string
	for range 3 {
		got = append(got, said(t, p, ask("hi")))
	}
	if d := cmp.Diff([]string{"one", "two", "two"}, got); d != "" {
		t.Error(d)
	}
}

func TestAttemptsAnswerTheSameRequestInTurn(t *testing.T) {
	p := script.New(script.Script{Steps: []script.Step{{Attempts: append(
		[]script.Step{{Blocks: []script.Block{script.Fault{Kind: script.HTTP, Status: 429}}}}, steps("two", "three")...,
	)}}})
	var got []string
	for _, prompt := range []string{"a", "a", "b", "a", "a", "b"} {
		got = append(got, prompt+" "+said(t, p, ask(prompt)))
	}
	want := []string{"a http_error: 429 Too Many Requests: too many requests", "a two", "b http_error: 429 Too Many Requests: too many requests", "a three", "a three", "b two"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestFuncSeesTheRequestAndItsStepIsChecked(t *testing.T) {
	p := script.New(script.Script{Steps: []script.Step{{Func: func(req provider.Request) script.Step {
		prompt := req.Messages[0].Text()
		if prompt == "bad" {
			return script.Step{Stop: "tired"}
		}
		return script.Step{Blocks: []script.Block{script.Text{Text: "you said " + prompt}}}
	}}}})
	if got := said(t, p, ask("moo")); got != "you said moo" {
		t.Errorf("got %q", got)
	}
	if got := said(t, p, ask("bad")); !strings.Contains(got, `made for step 1: stop "tired"`) {
		t.Errorf("got %q", got)
	}
}

func TestIDsAreMadeWhereNoneCame(t *testing.T) {
	calls := []script.Block{
		script.Call{ID: "same", Name: "x"},
		script.Call{ID: "same", Name: "x"},
		script.Call{Name: "x"},
		script.Call{NoID: true, Name: "x"},
	}
	p := script.New(script.Script{Loop: script.LoopLast, Steps: []script.Step{{Blocks: calls}}})
	ids := func(req provider.Request) []string {
		m, err := provider.Complete(t.Context(), p, req)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, c := range m.Calls() {
			all = append(all, c.ID)
		}
		return all
	}
	if d := cmp.Diff([]string{"same", "call_1_1", "call_1_2", "call_1_3"}, ids(answered(1))); d != "" {
		t.Error(d)
	}
	req := ask("hi")
	req.IDPrefix = "t1-"
	if d := cmp.Diff([]string{"same", "t1-1", "t1-2", "t1-3"}, ids(req)); d != "" {
		t.Error(d)
	}
}

func TestArgumentsAreAnObjectOrNothing(t *testing.T) {
	for raw, want := range map[string]string{
		` {"a":1} `: `{"a":1}`, "": "{}", "null": "{}", `"{\"a\":1}"`: `{"a":1}`, `{"a":`: "", `[1]`: "", `"x"`: "",
	} {
		m, err := provider.Complete(t.Context(), say(script.Call{ID: "c", Name: "x", Arguments: raw}), ask("hi"))
		if err != nil {
			t.Fatal(err)
		}
		got := m.Calls()[0]
		if string(got.Arguments) != want || got.Raw != strings.TrimSpace(raw) {
			t.Errorf("%q: %q, raw %q", raw, got.Arguments, got.Raw)
		}
	}
}

func TestUsageIsWhatTheScriptSaysOrACount(t *testing.T) {
	usage := &provider.Usage{Input: 10, Output: 3, CacheRead: 7}
	for _, c := range []struct {
		step script.Step
		want *provider.Usage
	}{
		{script.Step{Usage: usage}, usage},
		{script.Step{NoUsage: true}, nil},
		{script.Step{Blocks: []script.Block{script.Text{Text: "a b c"}}}, &provider.Usage{Input: 3, Output: 3}},
	} {
		all, err := play(t, script.New(script.Script{Steps: []script.Step{c.step}}), ask("12345678"))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c.want, all[len(all)-1].Usage); d != "" {
			t.Error(d)
		}
	}
}

func TestSessionsShareAProviderAndRequestsAreKept(t *testing.T) {
	p := script.New(script.Script{Steps: steps("one", "two")})
	var wg sync.WaitGroup
	for i := range 10 {
		wg.Go(func() {
			for n, want := range []string{"one", "two"} {
				req := answered(n)
				req.Model = fmt.Sprint(i)
				if got := said(t, p, req); got != want {
					t.Errorf("session %d got %q, want %q", i, got, want)
				}
			}
		})
	}
	wg.Wait()
	seen := map[string]int{}
	for _, r := range p.Requests() {
		seen[r.Model]++
	}
	for i := range 10 {
		if seen[fmt.Sprint(i)] != 2 {
			t.Errorf("session %d has %d requests", i, seen[fmt.Sprint(i)])
		}
	}
}

func TestOnlyTheLastRequestsAreKept(t *testing.T) {
	p := script.New(script.Script{Loop: script.LoopLast, Steps: []script.Step{{}}})
	for i := range 10_100 {
		req := ask("hi")
		req.MaxTokens = i
		for range p.Stream(t.Context(), req) {
		}
	}
	all := p.Requests()
	if len(all) > 10_000 || len(all) < 9_000 || all[len(all)-1].MaxTokens != 10_099 {
		t.Errorf("%d requests, the last %d", len(all), all[len(all)-1].MaxTokens)
	}
}

func TestModels(t *testing.T) {
	var p provider.Lister = script.New(script.Script{Models: []string{"a", "b"}})
	got, err := p.Models(t.Context())
	if d := cmp.Diff([]string{"a", "b"}, got); d != "" || err != nil {
		t.Error(d, err)
	}
}

func TestNewPanicsOnAnImpossibleScript(t *testing.T) {
	deep := script.Step{Attempts: []script.Step{{Attempts: []script.Step{{}}}}}
	for want, step := range map[string]script.Step{
		"an attempt has no attempts of its own":     deep,
		"a step has either blocks or attempts":      {Attempts: []script.Step{{}}, Blocks: []script.Block{script.Gate("g")}},
		"block 1: a gate needs a name":              {Blocks: []script.Block{script.Gate("")}},
		"an opaque block is a JSON object":          {Blocks: []script.Block{script.Opaque{Raw: json.RawMessage("1")}}},
		"interleave holds text":                     {Blocks: []script.Block{script.Interleave{script.Gate("g")}}},
		"a block has either text or pieces":         {Blocks: []script.Block{script.Text{Text: "a", Pieces: []script.Piece{script.Say("b")}}}},
		"an http fault comes before any text":       {Blocks: []script.Block{script.Text{}, script.Fault{Kind: script.HTTP, Status: 500}}},
		"status 200: say one from 300 to 599":       {Blocks: []script.Block{script.Fault{Kind: script.HTTP, Status: 200}}},
		"redacted thinking has no text":             {Blocks: []script.Block{script.Thinking{Text: "a", Redacted: "b"}}},
		"a block cannot be <nil>":                   {Blocks: []script.Block{nil}},
		"piece 1: repeat needs a text and a number": {Blocks: []script.Block{script.Text{Pieces: []script.Piece{script.Repeat{}}}}},
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.HasPrefix(got, "script: step 1") || !strings.Contains(got, want) {
					t.Errorf("got %q, want %q", got, want)
				}
			}()
			script.New(script.Script{Steps: []script.Step{step}})
		}()
	}
}
