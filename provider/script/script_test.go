package script_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/script"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ask is a request with one prompt.
func ask(prompt string) provider.Request {
	return provider.Request{Model: "m", Messages: []provider.Message{
		{Role: provider.User, Blocks: []provider.Block{provider.Text{Text: prompt}}},
	}}
}

// answered is ask after n answers.
func answered(n int) provider.Request {
	req := ask("hello")
	for range n {
		req.Messages = append(req.Messages, provider.Message{
			Role: provider.Assistant, Blocks: []provider.Block{provider.Text{Text: "an answer"}},
		})
	}
	return req
}

// play returns all that p answers to req.
func play(t *testing.T, p provider.Provider, req provider.Request) ([]provider.Delta, error) {
	t.Helper()
	var all []provider.Delta
	for d, err := range p.Stream(t.Context(), req) {
		if err != nil {
			return all, err
		}
		all = append(all, d)
	}
	return all, nil
}

func say(blocks ...script.Block) *script.Provider {
	return script.New(script.Script{Steps: []script.Step{{Blocks: blocks, NoUsage: true}}})
}

func TestEveryBlockBecomesItsDeltas(t *testing.T) {
	p := say(
		script.Thinking{Text: "Let me see.", Signature: "sig"},
		script.Thinking{Redacted: "secret"},
		script.Text{Text: "Hello, wide world"},
		script.Call{ID: "c1", Name: "list_dir", Arguments: `{"path": "."}`},
		script.Opaque{Raw: json.RawMessage(`{"type":"server_tool_use"}`)},
	)
	got, err := play(t, p, ask("hi"))
	if err != nil {
		t.Fatal(err)
	}
	text := func(kind provider.DeltaKind, block int, text string) provider.Delta {
		return provider.Delta{Kind: kind, More: true, Block: block, Text: text}
	}
	args := func(text string) provider.Delta {
		return provider.Delta{Kind: provider.ToolCallDelta, More: true, Block: 3, ID: "c1", Name: "list_dir", Text: text}
	}
	done := func(block int, b provider.Block) provider.Delta {
		return provider.Delta{Kind: provider.BlockDelta, More: true, Block: block, Done: b}
	}
	want := []provider.Delta{
		text(provider.ThinkingDelta, 0, "Let"), text(provider.ThinkingDelta, 0, " me"),
		text(provider.ThinkingDelta, 0, " see"), text(provider.ThinkingDelta, 0, "."),
		done(0, provider.Thinking{Signature: "sig"}),
		done(1, provider.Thinking{Redacted: "secret"}),
		text(provider.TextDelta, 2, "Hello"), text(provider.TextDelta, 2, ","),
		text(provider.TextDelta, 2, " wide"), text(provider.TextDelta, 2, " world"),
		args(""), args(`{"`), args("path"), args(`":`), args(` "."}`),
		done(3, provider.ToolCall{ID: "c1", Name: "list_dir", Arguments: json.RawMessage(`{"path": "."}`), Raw: `{"path": "."}`}),
		done(4, provider.Opaque{Dialect: "anthropic", Raw: json.RawMessage(`{"type":"server_tool_use"}`)}),
		{Kind: provider.FinishDelta, Stop: provider.StopToolCalls},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestInterleavedBlocksTakeTurns(t *testing.T) {
	p := say(script.Interleave{
		script.Call{ID: "a", Name: "x", Pieces: []script.Piece{script.Say(`{"n":`), script.Say("1}")}},
		script.Call{ID: "b", Name: "y", Pieces: []script.Piece{script.Say("{}")}},
	})
	got, err := play(t, p, ask("hi"))
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, d := range got {
		if d.Kind == provider.ToolCallDelta && d.Text != "" {
			order = append(order, d.ID+d.Text)
		}
	}
	if d := cmp.Diff([]string{`a{"n":`, "b{}", "a1}"}, order); d != "" {
		t.Error(d)
	}
	m, err := provider.Complete(t.Context(), p, ask("again"))
	if err != nil {
		t.Fatal(err)
	}
	want := []provider.ToolCall{
		{ID: "a", Name: "x", Arguments: json.RawMessage(`{"n":1}`), Raw: `{"n":1}`},
		{ID: "b", Name: "y", Arguments: json.RawMessage(`{}`), Raw: `{}`},
	}
	if d := cmp.Diff(want, m.Calls()); d != "" {
		t.Error(d)
	}
}

func TestMoreIsFalseBeforeEveryWaitAndAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := say(script.Text{Pieces: []script.Piece{
			script.Say("a"), script.Say("b"), script.Wait(1), script.Say("c"), script.Gate("g"), script.Say("d"),
		}})
		p.Open("g") // an open gate is no wait
		got, err := play(t, p, ask("hi"))
		if err != nil {
			t.Fatal(err)
		}
		var more []string
		for _, d := range got {
			more = append(more, d.Text+map[bool]string{true: "+", false: "."}[d.More])
		}
		if d := cmp.Diff([]string{"a+", "b.", "c+", "d+", "."}, more); d != "" {
			t.Error(d)
		}
	})
}

func TestGateHoldsTheStreamUntilItIsOpened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := say(script.Text{Pieces: []script.Piece{script.Say("a"), script.Gate("g"), script.Say("b")}})
		var got strings.Builder
		ended := make(chan error, 1)
		go func() { // Ends with its stream.
			for d, err := range p.Stream(t.Context(), ask("hi")) {
				if err != nil {
					ended <- err
					return
				}
				got.WriteString(d.Text)
			}
			ended <- nil
		}()
		<-p.Reached("g")
		synctest.Wait()
		if got.String() != "a" {
			t.Errorf("before the gate: %q", got.String())
		}
		p.Open("g")
		p.Open("g")
		if err := <-ended; err != nil || got.String() != "ab" {
			t.Errorf("after the gate: %q, %v", got.String(), err)
		}
	})
}

func TestContextEndsEveryWaitAtOnce(t *testing.T) {
	for name, b := range map[string]script.Block{
		"gate": script.Gate("g"), "stall": script.Fault{Kind: script.Stall}, "wait": script.Wait(1e15),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				go func() { synctest.Wait(); cancel() }() // Ends at once.
				_, err := provider.Complete(ctx, say(b), ask("hi"))
				if !errors.Is(err, context.Canceled) {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}

func TestLeavingTheLoopEndsThePlay(t *testing.T) {
	p := say(script.Text{Pieces: []script.Piece{script.Repeat{Text: "x ", Bytes: 1 << 40}}})
	n := 0
	for range p.Stream(t.Context(), ask("hi")) {
		if n++; n == 3 {
			break
		}
	}
	if n != 3 {
		t.Errorf("%d deltas after the break", n-3)
	}
}

func TestNoStreamGivesOneDeltaABlock(t *testing.T) {
	p := say(
		script.Text{Text: "one two three"},
		script.Call{ID: "c", Name: "x", Arguments: "{}"},
	)
	req := ask("hi")
	req.NoStream = true
	got, err := play(t, p, req)
	if err != nil {
		t.Fatal(err)
	}
	want := []provider.Delta{
		{Kind: provider.TextDelta, More: true, Text: "one two three"},
		{Kind: provider.ToolCallDelta, More: true, Block: 1, ID: "c", Name: "x", Text: "{}"},
		{Kind: provider.BlockDelta, More: true, Block: 1, Done: provider.ToolCall{ID: "c", Name: "x", Arguments: json.RawMessage("{}"), Raw: "{}"}},
		{Kind: provider.FinishDelta, Stop: provider.StopToolCalls},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestRepeatIsMadeToTheByteAndNeverHeldWhole(t *testing.T) {
	const size = 1<<20 + 3
	p := say(script.Text{Pieces: []script.Piece{script.Repeat{Text: "lorem ipsum ", Bytes: size}}})
	n, at := 0, 0
	const unit = "lorem ipsum "
	for d, err := range p.Stream(t.Context(), ask("hi")) {
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(strings.Repeat(unit, 3)[at%len(unit):], d.Text) {
			t.Fatalf("%q at byte %d", d.Text, at)
		}
		at += len(d.Text)
		n++
	}
	if at != size || n < size/8 {
		t.Errorf("%d bytes in %d pieces", at, n)
	}
	allocs := testing.AllocsPerRun(1, func() {
		for range p.Stream(t.Context(), ask("hi")) {
		}
	})
	if allocs > 200 {
		t.Errorf("%v allocations for %d pieces", allocs, n)
	}
}

func TestSplitNeverCutsACharacter(t *testing.T) {
	const text = "Übergröße 漢字 und 👩‍👩‍👧\n\n\tfunc main() { a_b += 12345678901234567890 }"
	for _, split := range []int{0, 1, 3, script.Whole} {
		p := script.New(script.Script{Split: split, Steps: []script.Step{{Blocks: []script.Block{
			script.Text{Text: text},
			script.Text{Pieces: []script.Piece{script.Repeat{Text: "漢", Bytes: 10_000}}},
		}}}})
		var whole, long strings.Builder
		for d, err := range p.Stream(t.Context(), ask("hi")) {
			if err != nil {
				t.Fatal(err)
			}
			if strings.ToValidUTF8(d.Text, "?") != d.Text {
				t.Fatalf("split %d: piece %q", split, d.Text)
			}
			map[int]*strings.Builder{0: &whole, 1: &long}[d.Block].WriteString(d.Text)
		}
		if whole.String() != text || long.Len() != 9999 {
			t.Errorf("split %d: %q and %d bytes", split, whole.String(), long.Len())
		}
	}
}
