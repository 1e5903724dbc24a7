package anthropic

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/provider"
)

const (
	start   = `{"type":"message_start","message":{"id":"m1","usage":{"input_tokens":3,"output_tokens":1}}}`
	stopped = `{"type":"message_stop"}`
)

func because(reason string) string {
	return `{"type":"message_delta","delta":{"stop_reason":"` + reason + `"},"usage":{"output_tokens":9}}`
}

// outcome is what a reader ends up with.
type outcome struct {
	Blocks []provider.Block
	Stop   provider.StopReason
	Usage  *provider.Usage
	Kind   provider.ErrorKind
}

// folded runs the events of an answer, given by their data, through a fold.
func folded(t *testing.T, events ...string) outcome {
	t.Helper()
	f := newFold("made_", 1<<20)
	for _, data := range events {
		if err := f.event("", []byte(data)); err != nil {
			return outcomeOf(t, f.out, err)
		}
	}
	err := f.finish()
	return outcomeOf(t, f.out, err)
}

func outcomeOf(t *testing.T, deltas []provider.Delta, err error) outcome {
	t.Helper()
	var a provider.Assembly
	for _, d := range deltas {
		a.Add(d)
	}
	o := outcome{Stop: a.Stop(), Usage: a.Usage(), Blocks: a.Message().Blocks}
	if err != nil {
		var e *provider.Error
		if !errors.As(err, &e) {
			t.Fatalf("the error is %T: %v", err, err)
		}
		o.Kind = e.Kind
	}
	return o
}

func wantOutcome(t *testing.T, got, want outcome) {
	t.Helper()
	if len(got.Blocks) == 0 {
		got.Blocks = nil
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// told is the usage of start and because together.
var told = &provider.Usage{Input: 3, Output: 9}

func TestDeltasNeedNeitherStartNorStop(t *testing.T) {
	wantOutcome(t, folded(t, start,
		`{"type":"content_block_delta","index":4,"delta":{"type":"text_delta","text":"a"}}`,
		`{"type":"content_block_delta","index":2,"delta":{"type":"thinking_delta","thinking":"b"}}`,
		`{"type":"content_block_delta","index":4,"delta":{"type":"text_delta","text":"c"}}`,
		because("end_turn"), stopped,
	), outcome{
		Blocks: []provider.Block{provider.Text{Text: "ac"}, provider.Thinking{Text: "b"}},
		Stop:   provider.StopEnd, Usage: told,
	})
}

func TestTheEventsNameStandsInForAMissingType(t *testing.T) {
	f := newFold("", 1<<20)
	for _, e := range [][2]string{
		{"message_start", `{"message":{"id":"m"}}`},
		{"content_block_delta", `{"index":0,"delta":{"type":"text_delta","text":"a"}}`},
		{"message_delta", `{"delta":{"stop_reason":"end_turn"}}`},
		{"message_stop", `{}`},
	} {
		if err := f.event(e[0], []byte(e[1])); err != nil {
			t.Fatal(err)
		}
	}
	err := f.finish()
	wantOutcome(t, outcomeOf(t, f.out, err), outcome{Blocks: []provider.Block{provider.Text{Text: "a"}}, Stop: provider.StopEnd})
}

func TestAnEmptyBlockKeepsItsPlace(t *testing.T) {
	wantOutcome(t, folded(t, start,
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"a","name":"now","input":{"k":1}}}`,
		`{"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}}`,
		because("tool_use"), stopped,
	), outcome{
		Blocks: []provider.Block{provider.Text{}, call("a", "now", `{"k":1}`)},
		Stop:   provider.StopToolCalls, Usage: told,
	})
}

func TestTheInputOfACall(t *testing.T) {
	const delta = `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":`
	for _, c := range []struct {
		name, input string
		deltas      []string
		want        provider.ToolCall
	}{
		{"comes with the start", `{"k":1}`, nil, call("a", "f", `{"k":1}`)},
		{"empty deltas are nothing", `{"k":1}`, []string{`""`}, call("a", "f", `{"k":1}`)},
		{"deltas count alone", `{"k":1}`, []string{`"{\"j\":"`, `"2}"`}, call("a", "f", `{"j":2}`)},
		{"blank", `{}`, []string{`" \n"`}, provider.ToolCall{ID: "a", Name: "f", Arguments: json.RawMessage(`{}`)}},
		{"null", `null`, nil, provider.ToolCall{ID: "a", Name: "f", Arguments: json.RawMessage(`{}`)}},
		{"null in deltas", `{}`, []string{`"null"`}, provider.ToolCall{ID: "a", Name: "f", Arguments: json.RawMessage(`{}`), Raw: "null"}},
		{"a list", `[1]`, nil, provider.ToolCall{ID: "a", Name: "f", Raw: "[1]"}},
		{"cut", `{}`, []string{`"{\"k\":"`}, provider.ToolCall{ID: "a", Name: "f", Raw: `{"k":`}},
		{"an object in a string", `{}`, []string{`"\"{\\\"k\\\":1}\""`}, provider.ToolCall{ID: "a", Name: "f", Arguments: json.RawMessage(`{"k":1}`), Raw: `"{\"k\":1}"`}},
		{"half a character", `{}`, []string{`"{\"k\":\"\\ud82d\"}"`}, provider.ToolCall{ID: "a", Name: "f", Arguments: json.RawMessage(`{"k":"\ufffd"}`), Raw: `{"k":"\ud82d"}`}},
		{"a character in two escapes", `{}`, []string{`"{\"k\":\"\\ud83d"`, `"\\ude00\"}"`}, call("a", "f", `{"k":"\ud83d\ude00"}`)},
		{"a character over two deltas", `{}`, []string{`"{\"k\":\"\ud83d"`, `"\ude00\"}"`}, call("a", "f", `{"k":"😀"}`)},
	} {
		t.Run(c.name, func(t *testing.T) {
			events := []string{start, `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f","input":` + c.input + `}}`}
			for _, d := range c.deltas {
				events = append(events, delta+d+`}}`)
			}
			wantOutcome(t, folded(t, append(events, because("tool_use"), stopped)...),
				outcome{Blocks: []provider.Block{c.want}, Stop: provider.StopToolCalls, Usage: told})
		})
	}
}

func TestACallIsWholeAtItsStop(t *testing.T) {
	f := newFold("", 1<<20)
	for _, data := range []string{
		start,
		`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f","input":{}}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}}`,
		`{"type":"content_block_stop","index":0}`,
	} {
		if err := f.event("", []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	want := []provider.Delta{
		{Kind: provider.ToolCallDelta, ID: "a", Name: "f"},
		{Kind: provider.ToolCallDelta, ID: "a", Name: "f", Text: "{}"},
		{Kind: provider.BlockDelta, Done: call("a", "f", "{}")},
	}
	if diff := cmp.Diff(want, f.out); diff != "" {
		t.Error(diff)
	}
}

// B047: a call without an id, or with that of another, gets one made here.
func TestMadeIDs(t *testing.T) {
	wantOutcome(t, folded(t, start,
		`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","name":"f","input":{}}}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"a","name":"f","input":{}}}`,
		`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"a","name":"f","input":{}}}`,
		`{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"","name":"f","input":{}}}`,
		because("tool_use"), stopped,
	), outcome{
		Blocks: []provider.Block{noArguments("made_1"), noArguments("a"), noArguments("made_2"), noArguments("made_3")},
		Stop:   provider.StopToolCalls, Usage: told,
	})
}

func noArguments(id string) provider.ToolCall {
	return provider.ToolCall{ID: id, Name: "f", Arguments: json.RawMessage("{}")}
}

func TestExtrasOfACallAreKept(t *testing.T) {
	c := call("a", "f", `{"k":1}`)
	c.Extra = map[string]json.RawMessage{"caller": json.RawMessage(`{"type":"direct"}`)}
	wantOutcome(t, folded(t, start,
		`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f","input":{"k":1},"caller":{"type":"direct"}}}`,
		because("tool_use"), stopped,
	), outcome{Blocks: []provider.Block{c}, Stop: provider.StopToolCalls, Usage: told})
}

func TestOpaqueBlocks(t *testing.T) {
	wantOutcome(t, folded(t, start,
		`{"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"s","name":"web_search","input":{}}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"q\":"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"1}"}}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"web_search_tool_result","content":[ {"z":1,"a":2} ]}}`,
		`{"type":"content_block_start","index":2,"content_block":{"type":"compaction","content":null}}`,
		`{"type":"content_block_delta","index":2,"delta":{"type":"compaction_delta","content":"so \ud83d"}}`,
		`{"type":"content_block_delta","index":2,"delta":{"type":"compaction_delta","content":"\ude00 far"}}`,
		`{"type":"content_block_start","index":3,"content_block":{"type":"sketch","strokes":[1]}}`,
		`{"type":"content_block_delta","index":3,"delta":{"type":"text_delta","text":"no text"}}`,
		because("end_turn"), stopped,
	), outcome{
		Blocks: []provider.Block{
			opaqueOf(`{"id":"s","input":{"q":1},"name":"web_search","type":"server_tool_use"}`, false),
			opaqueOf(`{"type":"web_search_tool_result","content":[ {"z":1,"a":2} ]}`, false),
			opaqueOf(`{"content":"so \ud83d\ude00 far","type":"compaction"}`, false),
			opaqueOf(`{"type":"sketch","strokes":[1]}`, true),
		},
		Stop: provider.StopEnd, Usage: told,
	})
}

func opaqueOf(raw string, unknown bool) provider.Opaque {
	return provider.Opaque{Dialect: "anthropic", Raw: json.RawMessage(raw), Unknown: unknown}
}
