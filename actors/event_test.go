package actors

import (
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/provider"
)

var update = flag.Bool("update", false, "write testdata/events.jsonl anew; read the diff")

// everyEvent has each kind once with all its fields, and again with those that
// may be absent or null left out.
func everyEvent() []Event {
	at := time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC)
	began := at.Add(-time.Second)
	ttft := int64(40)
	line := Envelope{Seq: 1, Session: "s1", At: at}
	head := Envelope{Seq: 2, Session: "s1", Turn: "t1", Step: 1, Attempt: 2, At: at}
	turn := Envelope{Seq: 3, Session: "s1", Turn: "t1", At: at}
	args := json.RawMessage("{\n  \"path\": \"a<b\"\n}")
	blocks := []provider.Block{
		provider.Text{Text: "<b> & é"},
		provider.Thinking{Text: "hm", Signature: "sig"},
		provider.Thinking{Redacted: "data"},
		provider.ToolCall{ID: "a", Name: "read", Arguments: args, Raw: string(args), Extra: map[string]json.RawMessage{"x": json.RawMessage(`1`)}},
		provider.ToolCall{ID: "b", Name: "read", Raw: "{"},
		provider.Opaque{Dialect: "anthropic", Raw: json.RawMessage(`{"type":"x"}`)},
	}
	full := &provider.Usage{Input: 9, Output: 8, CacheRead: 7, CacheWrite: 6, Reasoning: 5, Estimated: true}
	return []Event{
		SessionStarted{Envelope: line, Version: "1", Provider: "openai", Model: "m", Cwd: "/w", Tools: []string{"read"}, Resumed: true},
		SessionStarted{Envelope: line, Tools: []string{}},
		PromptQueued{Envelope: line, PromptID: "p1", Text: "x"},
		PromptJoined{Envelope: head, PromptID: "p1", Text: "x"},
		PromptDropped{Envelope: line, PromptID: "p1", Text: "x", Reason: "canceled"},
		PromptDropped{Envelope: line, PromptID: "p1", Text: "x"},
		TurnStarted{Envelope: turn, Prompt: "x\n\"y\"", PromptID: "p1"},
		StepStarted{Envelope: head},
		ThinkingDelta{Envelope: head, Text: "hm", Block: 0},
		TextDelta{Envelope: head, Text: "<é\u2028>", Block: 1},
		TextDelta{Envelope: Envelope{Seq: 9, SeqFrom: 7, Session: "s1", Turn: "t1", Step: 1, Attempt: 1, At: at.Truncate(time.Second)}, Text: "merged", Block: 1},
		ToolCallDelta{Envelope: head, Block: 2, ID: "a", Name: "read", Arguments: `{"p`},
		StreamFailed{Envelope: head, Kind: provider.HTTPError, Message: "no", Retryable: true, Status: 503},
		StreamFailed{Envelope: head, Kind: provider.BadArguments, Message: "no", Tool: "read", Raw: "{"},
		RetryScheduled{Envelope: head, NextAttempt: 3, DelayMS: 500, Reason: "no", Discard: true},
		MessageCompleted{Envelope: head, Role: provider.Assistant, Blocks: blocks, Stop: provider.StopToolCalls, Usage: full},
		MessageCompleted{Envelope: head, Role: provider.Assistant, Blocks: blocks[:1], Stop: provider.StopEnd, Usage: &provider.Usage{}},
		MessageCompleted{Envelope: head, Role: provider.Assistant, Blocks: blocks[:1], Stop: provider.StopEnd},
		ApprovalRequested{Envelope: head, Call: "a", Name: "read", Arguments: args, Reason: "why", RuleSuggestion: "read(*)"},
		ApprovalRequested{Envelope: head, Call: "a", Name: "read"},
		ApprovalResolved{Envelope: head, Call: "a", Decision: "allow", By: "user", Note: "ok"},
		ApprovalResolved{Envelope: head, Call: "a", Decision: "deny", By: "timeout"},
		ToolStarted{Envelope: head, Call: "a", Name: "read", Arguments: args, Summary: "read a<b", Class: "read_only"},
		ToolOutput{Envelope: head, Call: "a", Text: "live"},
		ToolFinished{Envelope: head, Call: "a", Name: "read", OK: true, Text: "done", Truncated: true, StartedAt: &began, WaitMS: 1, DurationMS: 2, Background: []int{7}},
		ToolFinished{Envelope: head, Call: "b", Name: "read", Text: "no", ErrorKind: "denied"},
		Notice{Envelope: Envelope{Session: "s1", At: at}, Level: "warn", Code: "gap", Text: "lost", From: 3, To: 9},
		Notice{Envelope: head, Level: "warn", Code: "fallback", Text: "on", Model: "m2"},
		Notice{Envelope: line, Level: "info", Code: "sandbox", Text: "x", Got: "none"},
		Notice{Envelope: line, Level: "warn", Code: "mcp", Text: "x", Server: "files"},
		TurnEnded{Envelope: head, Outcome: Completed, Stop: provider.StopEnd, Text: "done", Steps: 1, Usage: *full, DurationMS: 1000, TTFTMS: &ttft, Stalls: map[string]int64{"reporter": 5}},
		TurnEnded{Envelope: turn, Outcome: Limited, Limit: "steps", Stalls: map[string]int64{}},
		TurnEnded{Envelope: turn, Outcome: Failed, Stalls: map[string]int64{}, Error: &TurnError{"panic", "boom"}},
	}
}

// The lines are the contract with programs outside: a change here is read by
// a person. One line an event, whatever is in it.
func TestEventsAreTheLinesOfTheContract(t *testing.T) {
	var got []byte
	for _, e := range everyEvent() {
		line, err := AppendEvent(got, e)
		if err != nil {
			t.Fatal(err)
		}
		if added := string(line[len(got):]); strings.ContainsAny(added, "\n\r") {
			t.Errorf("not one line: %s", added)
		}
		got = append(line, '\n')
	}
	const golden = "testdata/events.jsonl"
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// fields of the contract by kind; those with ? may be absent.
var fields = map[string]string{
	"session_started":    "version provider model cwd tools resumed",
	"prompt_queued":      "prompt_id text reason?",
	"prompt_joined":      "prompt_id text reason?",
	"prompt_dropped":     "prompt_id text reason?",
	"turn_started":       "prompt prompt_id",
	"step_started":       "",
	"thinking_delta":     "text block",
	"text_delta":         "text block",
	"tool_call_delta":    "block id name arguments",
	"stream_failed":      "kind message retryable status? tool? raw_arguments?",
	"retry_scheduled":    "next_attempt delay_ms reason discard",
	"message_completed":  "role blocks stop usage",
	"approval_requested": "call name arguments reason rule_suggestion?",
	"approval_resolved":  "call decision by note?",
	"tool_started":       "call name arguments summary class",
	"tool_output":        "call text",
	"tool_finished":      "call name ok text truncated started_at? wait_ms duration_ms error_kind? background?",
	"notice":             "level code text from? to? model? got? server?",
	"turn_ended":         "outcome limit? stop text steps usage duration_ms ttft_ms stalls error?",
}

const envelope = "type seq? seq_from? session turn? step? attempt? at"

// Field by field against the contract: none is missing, none is another's.
// Fields may be added freely, so this names what is new too.
func TestEventsHaveTheFieldsOfTheContract(t *testing.T) {
	seen, shown := map[string]bool{}, map[string]bool{}
	for _, e := range everyEvent() {
		line, err := AppendEvent(nil, e)
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]json.RawMessage
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		list, ok := fields[e.Type()]
		if !ok {
			t.Fatalf("no kind %s in the contract", e.Type())
		}
		seen[e.Type()] = true
		for f := range strings.FieldsSeq(envelope + " " + list) {
			f, optional := strings.CutSuffix(f, "?")
			if _, there := got[f]; !there && !optional {
				t.Errorf("%s lacks %s: %s", e.Type(), f, line)
			} else if there {
				shown[e.Type()+" "+f] = true
			}
			delete(got, f)
		}
		for f := range got {
			if !added[e.Type()+" "+f] {
				t.Errorf("%s has %s, which the contract does not know", e.Type(), f)
			}
		}
		if want := `{"type":"` + e.Type() + `",`; !strings.HasPrefix(string(line), want) {
			t.Errorf("the line does not begin with its type: %s", line)
		}
	}
	if len(seen) != len(fields) {
		t.Errorf("%d of %d kinds shown", len(seen), len(fields))
	}
	for kind, list := range fields {
		for f := range strings.FieldsSeq(list) {
			if f = strings.TrimSuffix(f, "?"); !shown[kind+" "+f] && !strings.HasSuffix(kind+" "+f, " reason") {
				t.Errorf("no %s with %s is among the events", kind, f)
			}
		}
	}
}

// added are fields that stand beside those of the contract.
var added = map[string]bool{}

// What is null and what is absent is part of the contract.
func TestNullsOfTheContract(t *testing.T) {
	for want, e := range map[string]Event{
		`"usage":null`:        MessageCompleted{Blocks: []provider.Block{provider.Text{Text: "x"}}},
		`"arguments":null`:    ApprovalRequested{},
		`"ttft_ms":null`:      TurnEnded{},
		`"raw_arguments":"{"`: MessageCompleted{Blocks: []provider.Block{provider.ToolCall{ID: "b", Raw: "{"}}},
		`"tools":[]`:          SessionStarted{Tools: []string{}},
	} {
		line, err := AppendEvent(nil, e)
		if err != nil || !strings.Contains(string(line), want) {
			t.Errorf("%s (%v) lacks %s", line, err, want)
		}
	}
}

// An event that cannot be encoded leaves what stood there.
func TestAnEventThatCannotBeEncodedIsAnError(t *testing.T) {
	got, err := AppendEvent([]byte("before"), ToolStarted{Arguments: json.RawMessage("{")})
	if err == nil || string(got) != "before" {
		t.Errorf("%q, %v", got, err)
	}
}

// The Go name of an event is its type in CamelCase.
func TestEventTypesAreNamedAlike(t *testing.T) {
	for _, e := range everyEvent() {
		var camel strings.Builder
		for part := range strings.SplitSeq(e.Type(), "_") {
			camel.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
		if got := reflect.TypeOf(e).Name(); got != camel.String() {
			t.Errorf("%s is a %s", e.Type(), got)
		}
	}
}
