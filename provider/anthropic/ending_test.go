package anthropic

import (
	"testing"

	"github.com/weir-agents/weir/provider"
)

func textEvent(s string) string {
	return `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"` + s + `"}}`
}

func thinkingEvent(s string) string {
	return `{"type":"content_block_delta","index":7,"delta":{"type":"thinking_delta","thinking":"` + s + `"}}`
}

const (
	callEvent  = `{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"a","name":"f","input":{}}}`
	cutEvent   = `{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{"}}`
	blankEvent = `{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":" \n"}}`
)

func TestStopReasons(t *testing.T) {
	for _, c := range []struct {
		name   string
		events []string
		stop   provider.StopReason
		kind   provider.ErrorKind
	}{
		{"end_turn", []string{textEvent("x"), because("end_turn")}, provider.StopEnd, ""},
		{"stop_sequence", []string{textEvent("x"), because("stop_sequence")}, provider.StopEnd, ""},
		{"max_tokens", []string{textEvent("x"), because("max_tokens")}, provider.StopLength, ""},
		{"context", []string{textEvent("x"), because("model_context_window_exceeded")}, provider.StopLength, ""},
		{"refusal", []string{textEvent("x"), because("refusal")}, provider.StopRefusal, ""},
		{"pause_turn", []string{textEvent("x"), because("pause_turn")}, provider.StopPause, ""},
		{"of tomorrow", []string{textEvent("x"), because("bored")}, provider.StopEnd, ""},
		{"the last counts", []string{textEvent("x"), because("end_turn"), because("max_tokens")}, provider.StopLength, ""},
		{"empty ones do not", []string{textEvent("x"), because("max_tokens"), because("")}, provider.StopLength, ""},
		{"calls", []string{callEvent, because("tool_use")}, provider.StopToolCalls, ""},
		{"calls and end_turn", []string{callEvent, because("end_turn")}, provider.StopToolCalls, ""},
		{"calls and max_tokens", []string{callEvent, because("max_tokens")}, provider.StopLength, ""},
		{"calls and refusal", []string{callEvent, because("refusal")}, provider.StopRefusal, ""},
		{"calls and pause_turn", []string{callEvent, because("pause_turn")}, provider.StopPause, ""},
		{"text instead of calls", []string{textEvent("x"), because("tool_use")}, provider.StopEnd, ""},
		{"neither text nor calls", []string{thinkingEvent("x"), because("tool_use")}, "", provider.EmptyResponse}, // B113
		{"an empty end", []string{because("end_turn")}, provider.StopEnd, ""},
		{"no reason", []string{textEvent("x")}, provider.StopEnd, ""},
		{"no reason, thinking", []string{thinkingEvent("x")}, provider.StopEnd, ""},
		{"no reason, calls", []string{callEvent}, provider.StopToolCalls, ""},
		{"no reason, a cut call", []string{callEvent, cutEvent}, "", provider.TruncatedStream},
		{"no reason, nothing", nil, "", provider.EmptyResponse},
		{"no reason, blank arguments of nothing", []string{blankEvent}, "", provider.EmptyResponse},
		{"a reason and a cut call", []string{callEvent, cutEvent, because("end_turn")}, provider.StopToolCalls, ""}, // B118
		{"a call without a name", []string{cutEvent, because("tool_use")}, "", provider.BadToolCall},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := folded(t, append([]string{start}, append(c.events, stopped)...)...)
			if got.Stop != c.stop || got.Kind != c.kind {
				t.Errorf("stop %q, error %q; want %q, %q", got.Stop, got.Kind, c.stop, c.kind)
			}
		})
	}
}

func TestUsageNumberByNumber(t *testing.T) {
	got := folded(t,
		`{"type":"message_start","message":{"id":"m","usage":{"input_tokens":5,"cache_read_input_tokens":20,"cache_creation_input_tokens":300,"output_tokens":1}}}`,
		textEvent("x"),
		`{"type":"message_delta","delta":{},"usage":{"input_tokens":0,"output_tokens":7,"cache_read_input_tokens":null,"output_tokens_details":{"thinking_tokens":2}}}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":6,"output_tokens":8.0}}`,
	)
	wantOutcome(t, got, outcome{
		Blocks: []provider.Block{provider.Text{Text: "x"}},
		Stop:   provider.StopEnd,
		Usage:  &provider.Usage{Input: 326, Output: 8, CacheRead: 20, CacheWrite: 300, Reasoning: 2},
	})
}

func TestASecondStart(t *testing.T) {
	again := folded(t, start, textEvent("a"), start, textEvent("b"), because("end_turn"))
	wantOutcome(t, again, outcome{Blocks: []provider.Block{provider.Text{Text: "ab"}}, Stop: provider.StopEnd, Usage: told})
	other := folded(t, start, textEvent("a"), `{"type":"message_start","message":{"id":"m2"}}`)
	wantOutcome(t, other, outcome{Blocks: []provider.Block{provider.Text{Text: "a"}}, Kind: provider.SplicedStream})
}

// B022: half a character is no reason to lose the text around it.
func TestHalvesOfCharacters(t *testing.T) {
	for _, c := range []struct {
		name   string
		events []string
		want   string
	}{
		{"in one piece", []string{textEvent(`a\ud83d\ude00b`)}, "a😀b"},
		{"in two pieces", []string{textEvent(`a\ud83d`), textEvent(`\uDE00b`)}, "a😀b"},
		{"with an empty piece between", []string{textEvent(`\ud83d`), textEvent(``), textEvent(`\ude00`)}, "😀"},
		{"first half alone", []string{textEvent(`a\ud83d`), textEvent(`b`)}, "a\uFFFDb"},
		{"first half alone, then an escape", []string{textEvent(`\ud83d\n`)}, "\uFFFD\n"},
		{"two first halves", []string{textEvent(`\ud83d\ud83d`), textEvent(`\ude00`)}, "\uFFFD😀"},
		{"second half alone", []string{textEvent(`a\ude00b`)}, "a\uFFFDb"},
		{"at the end", []string{textEvent(`a\ud83d`)}, "a\uFFFD"},
		{"at the end of the block", []string{textEvent(`a\ud83d`), `{"type":"content_block_stop","index":0}`, textEvent(`\ude00`)}, "a\uFFFD\uFFFD"},
		{"another block between", []string{textEvent(`\ud83d`), thinkingEvent("x"), textEvent(`\ude00`)}, "😀"},
		{"all escapes", []string{textEvent(`\"\\\/\b\f\n\r\t\u00e9é`)}, "\"\\/\b\f\n\r\téé"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := folded(t, append(c.events, because("end_turn"))...)
			if words := (provider.Message{Blocks: got.Blocks}).Text(); words != c.want {
				t.Errorf("%q, want %q", words, c.want)
			}
		})
	}
}

func TestWhatIsNoObjectIsNeverSkipped(t *testing.T) {
	for _, data := range []string{`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}`, `[1]`, `"x"`, `12`, `{} {}`, `oops`} {
		if got := folded(t, start, data); got.Kind != provider.BadJSON {
			t.Errorf("%s: error %q", data, got.Kind)
		}
	}
}

func TestMembersOfWrongKindsAreAbsent(t *testing.T) {
	got := folded(
		t, `{"type":"message_start","message":7}`, `{"type":7}`, `{"type":"content_block_start","index":0,"content_block":[]}`,
		`{"type":"content_block_delta","index":"0","delta":{"type":"text_delta","text":9}}`,
		`{"type":"content_block_delta","index":0,"delta":null}`, textEvent("x"),
		`{"type":"message_delta","delta":{"stop_reason":{}},"usage":[]}`, `{"type":"ping"}`, because("end_turn"),
	)
	wantOutcome(t, got, outcome{Blocks: []provider.Block{provider.Text{Text: "x"}}, Stop: provider.StopEnd, Usage: &provider.Usage{Output: 9}})
}
