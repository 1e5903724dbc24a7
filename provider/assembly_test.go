package provider_test

import (
	"encoding/json"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weir-agents/weir/provider"
)

func assemble(deltas ...provider.Delta) *provider.Assembly {
	var a provider.Assembly
	for _, d := range deltas {
		a.Add(d)
	}
	return &a
}

func text(block int, s string) provider.Delta {
	return provider.Delta{Kind: provider.TextDelta, Block: block, Text: s}
}

func thinking(block int, s string) provider.Delta {
	return provider.Delta{Kind: provider.ThinkingDelta, Block: block, Text: s}
}

func done(block int, b provider.Block) provider.Delta {
	return provider.Delta{Kind: provider.BlockDelta, Block: block, Done: b}
}

func finish(stop provider.StopReason) provider.Delta {
	return provider.Delta{Kind: provider.FinishDelta, Stop: stop}
}

func TestAssemblyPutsBlocksTogether(t *testing.T) {
	call := provider.ToolCall{ID: "c", Name: "x", Arguments: json.RawMessage("{}"), Raw: "{}"}
	opaque := provider.Opaque{Dialect: "anthropic", Raw: json.RawMessage(`{"type":"t"}`)}
	for name, c := range map[string]struct {
		deltas []provider.Delta
		want   []provider.Block
	}{
		"nothing": {nil, []provider.Block{}},
		"text":    {[]provider.Delta{text(0, "a"), text(0, "b")}, []provider.Block{provider.Text{Text: "ab"}}},
		"interleaved": {
			[]provider.Delta{text(0, "a"), thinking(1, "x"), text(0, "b"), thinking(1, "y"), done(1, provider.Thinking{Signature: "s"})},
			[]provider.Block{provider.Text{Text: "ab"}, provider.Thinking{Text: "xy", Signature: "s"}},
		},
		"thinking without a signature": {[]provider.Delta{thinking(0, "x")}, []provider.Block{provider.Thinking{Text: "x"}}},
		"redacted":                     {[]provider.Delta{done(0, provider.Thinking{Redacted: "r"})}, []provider.Block{provider.Thinking{Redacted: "r"}}},
		"a later call replaces the earlier": {
			[]provider.Delta{
				{Kind: provider.ToolCallDelta, Block: 0, Text: "{"},
				done(0, provider.ToolCall{ID: "c", Name: "x"}), done(0, call), done(1, opaque),
			},
			[]provider.Block{call, opaque},
		},
		"a block without content keeps its place": {
			[]provider.Delta{{Kind: provider.ToolCallDelta, Block: 0}, text(1, "a"), {Kind: provider.ToolCallDelta, Block: 2}},
			[]provider.Block{provider.Text{}, provider.Text{Text: "a"}},
		},
	} {
		want := provider.Message{Role: provider.Assistant, Blocks: c.want}
		if d := cmp.Diff(want, assemble(c.deltas...).Message()); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestAssemblyKnowsHowItEnded(t *testing.T) {
	a := assemble(text(0, "a"))
	if a.Finished() || a.Stop() != "" || a.Usage() != nil {
		t.Error("it has ended before its finish")
	}
	a.Add(provider.Delta{Kind: provider.FinishDelta, Stop: provider.StopLength, Usage: &provider.Usage{Output: 1}})
	if !a.Finished() || a.Stop() != provider.StopLength || a.Usage().Output != 1 {
		t.Errorf("got %v, %q, %v", a.Finished(), a.Stop(), a.Usage())
	}
}

func TestAssemblyCountsWhatItHolds(t *testing.T) {
	call := provider.ToolCall{ID: "c", Name: "x", Raw: "{}", Arguments: json.RawMessage("{}")}
	a := assemble(
		text(0, "12345"), thinking(1, "123"), done(1, provider.Thinking{Signature: "1234567"}),
		done(2, provider.ToolCall{Raw: "a long one that is replaced"}), done(2, call),
	)
	if got, want := a.Bytes(), 5+3+7+provider.BlockBytes(call); got != want {
		t.Errorf("got %d, want %d", got, want)
	}
}

// The text of thinking comes as its deltas; a whole block that repeats it
// counts it no second time.
func TestThinkingIsCountedOnce(t *testing.T) {
	block := provider.Thinking{Text: "a long thought", Signature: "seal"}
	whole := provider.Message{Role: provider.Assistant, Blocks: []provider.Block{block}}
	told := assemble(slices.Collect(provider.Deltas(whole))...)
	repeated := assemble(thinking(0, block.Text), done(0, block))
	for name, a := range map[string]*provider.Assembly{"told by Deltas": told, "repeated": repeated} {
		if got, want := a.Bytes(), provider.BlockBytes(block); got != want {
			t.Errorf("%s: %d bytes, want %d", name, got, want)
		}
		if d := cmp.Diff(whole, a.Message()); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// TestAnySplitIsTheSameMessage draws texts and where they are cut.
func TestAnySplitIsTheSameMessage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringN(1, 400, -1), 1, 40).Draw(t, "words")
		blocks := rapid.SliceOfN(rapid.IntRange(0, 3), len(words), len(words)).Draw(t, "blocks")
		var a provider.Assembly
		var want [4]strings.Builder
		for i, w := range words {
			a.Add(text(blocks[i], w))
			want[blocks[i]].WriteString(w)
		}
		total := 0
		got := a.Message()
		for i := range want {
			total += want[i].Len()
			if i < len(got.Blocks) && got.Blocks[i] != (provider.Text{Text: want[i].String()}) || i >= len(got.Blocks) && want[i].Len() > 0 {
				t.Fatalf("block %d differs", i)
			}
		}
		if a.Bytes() != total {
			t.Fatalf("%d bytes, want %d", a.Bytes(), total)
		}
	})
}

func TestALongTextIsHeldOnce(t *testing.T) {
	const size = 64 << 20
	piece := strings.Repeat("lorem ip", 128)
	allocated := func() int64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.TotalAlloc)
	}
	var a provider.Assembly
	before := allocated()
	for range size / len(piece) {
		a.Add(text(0, piece))
	}
	held := allocated() - before
	if held > size+1<<20 {
		t.Errorf("%d bytes allocated to hold %d", held, size)
	}
	m := a.Message()
	if all := allocated() - before; all > 2*size+1<<20 {
		t.Errorf("%d bytes allocated for a message of %d", all, size)
	}
	if got := m.Blocks[0].(provider.Text).Text; len(got) != size || got[size-len(piece):] != piece {
		t.Errorf("a text of %d bytes", len(got))
	}
	tokens := 0
	allocs := testing.AllocsPerRun(1, func() {
		var a provider.Assembly
		for tokens = 0; tokens < 100_000; tokens++ {
			a.Add(text(0, " token"))
		}
	})
	if allocs > 60 {
		t.Errorf("%v allocations for %d tokens", allocs, tokens)
	}
}
