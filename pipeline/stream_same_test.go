package pipeline_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/script"
)

// The same conversation, through either dialect or a script, is the same event
// stream: times, usage, made names and how text is cut aside.

// told returns the lines of events without what may differ. Neighbouring
// deltas of one block are one line, as readers must expect.
func told(t *testing.T, events []pipeline.Event, leave ...string) []map[string]any {
	t.Helper()
	var all []map[string]any
	for _, e := range events {
		raw, err := pipeline.AppendEvent(nil, e)
		if err != nil {
			t.Fatal(err)
		}
		var line map[string]any
		if err := json.Unmarshal(raw, &line); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		for _, name := range append(leave, "seq", "at", "session", "prompt_id", "usage", "duration_ms", "wait_ms", "ttft_ms", "first_token", "stalls", "started_at") {
			delete(line, name)
		}
		if n := len(all); n == 0 || !joined(all[n-1], line) {
			all = append(all, line)
		}
	}
	return all
}

// joined adds the text of a delta to the line before it, if it continues that.
func joined(last, line map[string]any) bool {
	for _, piece := range []string{"text", "arguments"} {
		before, ok := last[piece].(string)
		after, also := line[piece].(string)
		if !ok || !also || !slices.Contains([]any{"text_delta", "thinking_delta", "tool_call_delta"}, line["type"]) {
			continue
		}
		last[piece], line[piece] = "", ""
		same := cmp.Equal(last, line)
		last[piece], line[piece] = before, after
		if same {
			last[piece] = before + after
			return true
		}
	}
	return false
}

// conversation is one for all three.
const conversation = `{"split":3,"steps":[
 {"blocks":[
  {"thinking":"Two files, 世界 and all."},
  {"text":"I look at both. "},
  {"call":"look","id":"call_1","arguments":{"path":"a.txt","deep":[1,2.50,1e3]}},
  {"call":"look","id":"call_2","arguments":"{\"path\": "}
 ]},
 {"blocks":[{"text":"Once more: "},{"call":"missing","id":"call_3"}],"stop":"length"},
 {"blocks":[{"text":"Grüße 👋🏽, \"done\".\n"}]}]}`

// everyWay are the providers of a script.
func everyWay(t *testing.T, src string) map[string]provider.Provider {
	t.Helper()
	all := map[string]provider.Provider{"script": script.New(parse(t, src))}
	for _, dialect := range dialects {
		all[dialect] = newUpstream(t, src).client(t, dialect)
	}
	return all
}

func TestTheSamePromptIsTheSameEventStream(t *testing.T) {
	for name, c := range map[string]struct {
		script  string
		config  pipeline.Config
		unlike  []string // members whose words are each provider's own
		without string   // a dialect that cannot say it
	}{
		"calls":                {script: conversation},
		"calls, lockstep":      {script: conversation, config: pipeline.Config{Limits: pipeline.Limits{ReaderWindow: 1}}},
		"calls, raw deltas":    {script: conversation, config: pipeline.Config{Deltas: pipeline.DeltasTools}},
		"calls, no deltas":     {script: conversation, config: pipeline.Config{Deltas: pipeline.DeltasNone}},
		"signed and opaque":    {script: sealed, without: "openai"},
		"refusal":              {script: `{"steps":[{"blocks":[{"text":"I will not."}],"stop":"refusal"}]}`},
		"cut by length":        {script: `{"steps":[{"blocks":[{"text":"And so"}],"stop":"length"}]}`},
		"nothing":              {script: `{"steps":[{"blocks":[],"stop":"stop"}]}`},
		"thinking and no more": {script: `{"steps":[{"blocks":[{"thinking":"hm"}],"stop":"stop"}]}`},
		"ids twice":            {script: `{"steps":[{"blocks":[{"call":"look","id":"x"},{"call":"look","id":"x"}]},"fine"]}`},
		"retries": {
			script: `{"select":"sequence","steps":[{"blocks":[{"thinking":"hm, "},{"text":"half"},{"fault":"cut"}]},
			 {"blocks":[{"fault":"http","status":503,"retry_after_ms":20}]},
			 {"blocks":[{"text":"half"},{"fault":"error","type":"overloaded_error","message":"Overloaded"}]},"whole"]}`,
			config: pipeline.Config{Limits: pipeline.Limits{RetryBase: 1, RetryCap: 1}},
			unlike: []string{"message", "reason"},
		},
		"an error for good": {
			script: `{"steps":[{"blocks":[{"text":"half"},{"call":"look"},{"fault":"error","type":"invalid_request_error","message":"The dam is shut."}]}]}`,
			unlike: []string{"message", "error"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var want []map[string]any
			all := everyWay(t, c.script)
			for _, way := range []string{"script", "openai", "anthropic"} {
				if way == c.without {
					continue
				}
				config := c.config
				tool := &recorder{}
				config.Tools = registry(t, tool.tool("look"))
				events := run(t, open(t, all[way], config), "go")
				checkRules(t, events)
				got := told(t, events, c.unlike...)
				if want == nil {
					want = got
				}
				if d := cmp.Diff(want, got); d != "" {
					t.Errorf("(-script +%s):\n%s", way, d)
				}
			}
		})
	}
}

// A blocking answer tells the same as a streamed one, raw arguments too.
func TestABlockingAnswerTellsTheSame(t *testing.T) {
	for name, src := range map[string]string{
		"calls": `{"steps":[
		 {"blocks":[{"thinking":"hm"},{"text":"I look. "},{"call":"look","id":"call_1","arguments":{"a":1}},{"call":"look","id":"call_2","arguments":{"b":[]}}]},"done"]}`,
		"no arguments": `{"steps":[{"blocks":[{"call":"look","id":"call_1","arguments":{}},{"call":"look","id":"call_2"}]},"done"]}`,
		"surrogates": `{"split":3,"steps":[
		 {"blocks":[{"text":"boats 🚤🚤 "},{"call":"look","id":"call_1","arguments":"{\"a\":\"\\ud83d\\udea4 \\ud83dx \\udea4\"}"}]},"done 🚤"]}`,
		"no object": `{"steps":[{"blocks":[{"call":"look","id":"call_1","arguments":"{\"a\":"}]},"done"]}`,
	} {
		t.Run(name, func(t *testing.T) {
			for way, p := range everyWay(t, src) {
				var want []map[string]any
				for _, blocking := range []bool{false, true} {
					tool := &recorder{}
					config := pipeline.Config{Tools: registry(t, tool.tool("look")), NoStream: blocking, Deltas: pipeline.DeltasTools}
					got := told(t, run(t, open(t, p, config), "go"))
					if want == nil {
						want = got
					}
					if d := cmp.Diff(want, got); d != "" {
						t.Errorf("%s (-streamed +blocking):\n%s", way, d)
					}
				}
			}
		})
	}
}

// Times and usage, which are left out above, are told by every provider.
func TestATurnTellsItsTimes(t *testing.T) {
	for way, p := range everyWay(t, conversation) {
		begun := time.Now()
		events := run(t, open(t, p, pipeline.Config{}), "go")
		took := time.Since(begun).Milliseconds() + 1
		end := last(t, events)
		if end.TTFTMS == nil || *end.TTFTMS < 0 || *end.TTFTMS > end.DurationMS || end.DurationMS > took {
			t.Errorf("%s: %+v within %d ms", way, end, took)
		}
		if end.Usage.Input == 0 || end.Usage.Output == 0 {
			t.Errorf("%s: usage %+v", way, end.Usage)
		}
	}
}
