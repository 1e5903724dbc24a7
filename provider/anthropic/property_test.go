package anthropic

import (
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weir-agents/weir/provider"
)

// pool is what drawn answers are made of.
var pool = []string{
	start, stopped, callEvent, cutEvent, because("end_turn"), because("tool_use"), because("max_tokens"),
	textEvent("a"), textEvent(`é\ud83d`), textEvent(`\ude00\n`), thinkingEvent("b"), thinkingEvent(`\ud83d`),
	`{"type":"ping"}`, `{"type":"tomorrow","x":[1]}`,
	`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"\ud83d"}}`,
	`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"a","name":"g","input":{"k":1},"caller":{}}}`,
	`{"type":"content_block_start","content_block":{"type":"thinking","thinking":"c","signature":"s"}}`,
	`{"type":"content_block_start","index":3,"content_block":{"type":"redacted_thinking","data":"d"}}`,
	`{"type":"content_block_start","index":1,"content_block":{"type":"server_tool_use","id":"s","name":"w","input":{}}}`,
	`{"type":"content_block_start","index":0,"content_block":{"type":"compaction","content":null}}`,
	`{"type":"content_block_delta","index":0,"delta":{"type":"compaction_delta","content":"e"}}`,
	`{"type":"content_block_delta","index":7,"delta":{"type":"signature_delta","signature":"t"}}`,
	`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"}"}}`,
	`{"type":"content_block_delta","delta":{"type":"text_delta","text":"f"}}`,
	`{"type":"content_block_stop","index":0}`, `{"type":"content_block_stop","index":1}`, `{"type":"content_block_stop"}`,
	`[DONE]`, `null`, `oops`, `{"type":"error","error":{"message":"no"}}`, strings.Replace(start, "m1", "m2", 1),
}

// However the bytes of an answer are cut into reads, its deltas say the same,
// keep the contract, and no call runs that did not come whole.
func TestAnyCutIsTheSameAnswer(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		events := rapid.SliceOfN(rapid.SampledFrom(pool), 0, 20).Draw(rt, "events")
		body := stream(events...)
		if rapid.Bool().Draw(rt, "crlf") {
			body = strings.ReplaceAll(body, "\n", "\r\n")
		}
		body = body[:len(body)-rapid.IntRange(0, min(len(body), 3)).Draw(rt, "cut")]
		sizes := rapid.SliceOfN(rapid.Byte(), 1, 8).Draw(rt, "sizes")
		whole := read(t, Config{}, &pieces{text: body})
		split := read(t, Config{}, &pieces{text: body, sizes: sizes})
		if diff := cmp.Diff(outcomeOf(t, whole), outcomeOf(t, split)); diff != "" {
			rt.Fatal(diff)
		}
		keepsContract(rt, whole)
		keepsContract(rt, split)
	})
}

func keepsContract(t *rapid.T, answers []answer) {
	whole, started, ids := map[int]bool{}, map[int]bool{}, map[string]int{}
	for i, a := range answers {
		d := a.delta
		if last := i == len(answers)-1; last != (a.err != nil || d.Kind == provider.FinishDelta) {
			t.Fatalf("yield %d of %d is %+v", i, len(answers), a)
		}
		switch d.Kind {
		case provider.TextDelta, provider.ThinkingDelta:
			if d.Text == "" {
				t.Fatalf("an empty delta: %+v", d)
			}
		case provider.ToolCallDelta:
			started[d.Block] = d.Name != ""
		case provider.BlockDelta:
			if c, ok := d.Done.(provider.ToolCall); ok {
				whole[d.Block] = true
				if at, taken := ids[c.ID]; c.ID == "" || taken && at != d.Block {
					t.Fatalf("the id %q of two calls", c.ID)
				}
				ids[c.ID] = d.Block
			}
		case provider.FinishDelta:
			for block, named := range started {
				if named && !whole[block] {
					t.Fatalf("call %d never came whole", block)
				}
			}
			if (d.Stop == provider.StopToolCalls) && len(whole) == 0 {
				t.Fatal("tool calls are promised and there are none")
			}
		}
	}
}

// Ten times the answer is about ten times the memory, whatever it is made of.
func TestNothingIsQuadratic(t *testing.T) {
	for name, event := range map[string]string{
		"text":     textEvent("a token"),
		"thinking": thinkingEvent("a token"),
		"escapes":  textEvent(`\u00e9\ud83d`),
		"args":     `{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"[1,2]"}}`,
		"opaque":   `{"type":"content_block_delta","index":0,"delta":{"type":"compaction_delta","content":"a token"}}`,
		"blocks":   `{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","name":"f","input":{"k":1}}}`,
	} {
		answer := func(n int) string {
			events := []string{start}
			if name == "opaque" {
				events = append(events, `{"type":"content_block_start","index":0,"content_block":{"type":"compaction","content":""}}`)
			}
			for range n {
				events = append(events, event)
			}
			return stream(append(events, because("end_turn"), stopped)...)
		}
		small, large := allocated(t, answer(1000)), allocated(t, answer(10_000))
		if large > 20*small {
			t.Errorf("%s: %d bytes for 1,000 events, %d for 10,000", name, small, large)
		}
	}
}

func allocated(t *testing.T, body string) uint64 {
	var before, after runtime.MemStats
	cfg := Config{Transport: bodies(func() io.ReadCloser { return io.NopCloser(&pieces{text: body, sizes: []byte{200}}) })}
	c := newClient(t, cfg)
	runtime.ReadMemStats(&before)
	for _, err := range c.Stream(t.Context(), provider.Request{Model: "m"}) {
		if err != nil && provider.AsError(err).Kind != provider.BadToolCall {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
