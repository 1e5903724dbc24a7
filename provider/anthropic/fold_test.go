package anthropic

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

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

// folded sends the events of an answer, given by their data, through a client.
func folded(t *testing.T, events ...string) outcome {
	t.Helper()
	return outcomeOf(t, answered(t, stream(events...)))
}

func stream(events ...string) string {
	var b strings.Builder
	for _, data := range events {
		b.WriteString("data: " + data + "\n\n")
	}
	return b.String()
}

// roundTrip is a transport without a network.
type roundTrip func(*http.Request) (*http.Response, error)

func (r roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return r(req) }

// answer is one yield of a stream.
type answer struct {
	delta provider.Delta
	err   error
}

// answered returns what a client yields for an answer with the body given.
func answered(t *testing.T, body string) []answer {
	t.Helper()
	return read(t, Config{}, strings.NewReader(body))
}

func read(t *testing.T, cfg Config, body io.Reader) []answer {
	t.Helper()
	cfg.Transport = roundTrip(func(req *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(body), Request: req}, nil
	})
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var all []answer
	for d, err := range c.Stream(t.Context(), provider.Request{Model: "m", IDPrefix: "made_"}) {
		all = append(all, answer{d, err})
	}
	return all
}

func outcomeOf(t *testing.T, answers []answer) outcome {
	t.Helper()
	var (
		a provider.Assembly
		o outcome
	)
	for _, x := range answers {
		if x.err == nil {
			a.Add(x.delta)
			continue
		}
		var e *provider.Error
		if !errors.As(x.err, &e) {
			t.Fatalf("the error is %T: %v", x.err, x.err)
		}
		o.Kind = e.Kind
	}
	o.Stop, o.Usage, o.Blocks = a.Stop(), a.Usage(), a.Message().Blocks
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
	got := outcomeOf(t, answered(t, `event: message_start
data: {"message":{"id":"m"}}

event: content_block_delta
data: {"index":0,"delta":{"type":"text_delta","text":"a"}}

event: message_delta
data: {"delta":{"stop_reason":"end_turn"}}

event: message_stop
data: {}

event: error
data: not read any more
`))
	wantOutcome(t, got, outcome{Blocks: []provider.Block{provider.Text{Text: "a"}}, Stop: provider.StopEnd})
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
		{"blank", `{}`, []string{`" \n"`}, call("a", "f", `{}`)},
		{"none", `{}`, nil, call("a", "f", `{}`)},
		{"null", `null`, nil, provider.ToolCall{ID: "a", Name: "f", Arguments: json.RawMessage(`{}`), Raw: "null"}},
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
	answers := answered(t, stream(
		start,
		`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f","input":{}}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}}`,
		`{"type":"content_block_stop","index":0}`,
		textEvent("x"),
	))
	var got []provider.Delta
	for _, a := range answers[:3] {
		got = append(got, a.delta)
	}
	want := []provider.Delta{
		{Kind: provider.ToolCallDelta, ID: "a", Name: "f", Text: "{}"},
		{Kind: provider.BlockDelta, Done: call("a", "f", "{}")},
		{Kind: provider.TextDelta, Block: 1, Text: "x"},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(provider.Delta{}, "More")); diff != "" {
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

// Two starts under one index and one id: a repeat only while the call is open
// and as long as nothing in it differs.
func TestAStartThatComesTwice(t *testing.T) {
	begins := func(name, input string) string {
		return `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"` + name + `","input":` + input + `}}`
	}
	const ends = `{"type":"content_block_stop","index":0}`
	const more = `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}}`
	for _, c := range []struct {
		name   string
		events []string
		want   []provider.Block
	}{
		{"just so", []string{begins("f", "{}"), begins("f", "{}"), more}, []provider.Block{noArguments("a")}},
		{"with its input", []string{begins("f", `{"k":1}`), begins("f", `{"k":1}`), ends}, []provider.Block{call("a", "f", `{"k":1}`)}},
		{"with its input only first", []string{begins("f", `{"k":1}`), begins("f", `{}`), ends}, []provider.Block{call("a", "f", `{"k":1}`)}},
		{"after its stop", []string{begins("f", "{}"), more, ends, begins("f", "{}"), more, ends}, []provider.Block{noArguments("a"), noArguments("made_1")}},
		{"of another tool", []string{begins("f", "{}"), begins("g", "{}"), more}, []provider.Block{noArguments("a"), call("made_1", "g", "{}")}},
		{"with another input", []string{begins("f", `{"k":1}`), begins("f", `{"k":2}`)}, []provider.Block{call("a", "f", `{"k":1}`), call("made_1", "f", `{"k":2}`)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantOutcome(t, folded(t, append(append([]string{start}, c.events...), because("tool_use"), stopped)...),
				outcome{Blocks: c.want, Stop: provider.StopToolCalls, Usage: told})
		})
	}
}

func noArguments(id string) provider.ToolCall {
	return provider.ToolCall{ID: id, Name: "f", Arguments: json.RawMessage("{}"), Raw: "{}"}
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
		`{"type":"content_block_start","index":4,"content_block":{"type":"riddle","text":"Wh"}}`,
		`{"type":"content_block_delta","index":4,"delta":{"type":"text_delta","text":"at\ud83d"}}`,
		`{"type":"content_block_delta","index":4,"delta":{"type":"text_delta","text":"\ude00?"}}`,
		`{"type":"content_block_start","index":5,"content_block":{"type":"plan","signature":"c2"}}`,
		`{"type":"content_block_delta","index":5,"delta":{"type":"signature_delta","signature":"ln"}}`,
		because("end_turn"), stopped,
	), outcome{
		Blocks: []provider.Block{
			opaqueOf(`{"id":"s","input":{"q":1},"name":"web_search","type":"server_tool_use"}`, false),
			opaqueOf(`{"type":"web_search_tool_result","content":[ {"z":1,"a":2} ]}`, false),
			opaqueOf(`{"content":"so \ud83d\ude00 far","type":"compaction"}`, false),
			opaqueOf(`{"type":"sketch","strokes":[1]}`, true),
			opaqueOf(`{"text":"What\ud83d\ude00?","type":"riddle"}`, true),
			opaqueOf(`{"signature":"c2ln","type":"plan"}`, true),
		},
		Stop: provider.StopEnd, Usage: told,
	})
}

func opaqueOf(raw string, unknown bool) provider.Opaque {
	return provider.Opaque{Dialect: "anthropic", Raw: json.RawMessage(raw), Unknown: unknown}
}
