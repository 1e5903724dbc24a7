package script_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/script"
)

func TestParseReadsEveryField(t *testing.T) {
	got, err := script.Parse([]byte(`{
	"select": "sequence", "loop": "all", "first_ms": 200, "gap_ms": 0.5, "split": 7, "idle_ms": 1000, "models": ["a", "b"],
	"steps": [
		{"first_ms": 0, "gap_ms": 5, "split": "whole", "stop": "length", "usage": {"input": 5, "output": 2, "cache_read": 1}, "blocks": [
			{"thinking": "hm", "signature": "s"}, {"redacted": "r"},
			{"text": ["a", {"gate": "g"}, {"wait_ms": 3}, {"repeat": "x", "bytes": 9}, {"fault": "stall"}]},
			{"text": {"repeat": "y", "bytes": 8}},
			{"call": "read_file", "id": "c1", "arguments": {"path": [1, "é"]}, "extra": {"sig": {"k": 1}}},
			{"call": "raw", "id": "", "arguments": "{bad"},
			{"interleave": [{"text": "b"}, {"call": "none"}]},
			{"opaque": {"type": "t"}, "dialect": "openai", "unknown": true},
			{"gate": "h"}, {"wait_ms": 1},
			{"fault": "error", "message": "m", "type": "t", "code": 503}
		]},
		{"usage": null, "split": "tokens", "attempts": [
			{"blocks": [{"fault": "http", "status": 429, "retry_after": 2, "retry_after_ms": 1500, "body": "b"}]},
			"short"
		]}
	]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := script.Script{
		Select: script.BySequence, Loop: script.LoopAll, First: 200 * time.Millisecond, Gap: 500 * time.Microsecond,
		Split: 7, IdleTimeout: time.Second, Models: []string{"a", "b"},
		Steps: []script.Step{
			{
				First: script.None, Gap: 5 * time.Millisecond, Split: script.Whole, Stop: provider.StopLength,
				Usage: &provider.Usage{Input: 5, Output: 2, CacheRead: 1},
				Blocks: []script.Block{
					script.Thinking{Text: "hm", Signature: "s"},
					script.Thinking{Redacted: "r"},
					script.Text{Pieces: []script.Piece{
						script.Say("a"), script.Gate("g"), script.Wait(3 * time.Millisecond),
						script.Repeat{Text: "x", Bytes: 9},
						script.Fault{Kind: script.Stall},
					}},
					script.Text{Pieces: []script.Piece{script.Repeat{Text: "y", Bytes: 8}}},
					script.Call{
						Name: "read_file", ID: "c1", Arguments: `{"path":[1,"é"]}`,
						Extra: map[string]json.RawMessage{"sig": json.RawMessage(`{"k":1}`)},
					},
					script.Call{Name: "raw", NoID: true, Arguments: "{bad"},
					script.Interleave{script.Text{Text: "b"}, script.Call{Name: "none", Arguments: "{}"}},
					script.Opaque{Raw: json.RawMessage(`{"type":"t"}`), Dialect: "openai", Unknown: true},
					script.Gate("h"), script.Wait(time.Millisecond),
					script.Fault{Kind: script.Errored, Message: "m", Type: "t", Code: "503"},
				},
			},
			{NoUsage: true, Attempts: []script.Step{
				{Blocks: []script.Block{script.Fault{Kind: script.HTTP, Status: 429, RetryAfter: "2", RetryAfterMS: 1500, Body: "b"}}},
				{Blocks: []script.Block{script.Text{Text: "short"}}},
			}},
		},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// A byte order mark before a script is no part of it, and moves no place.
func TestAByteOrderMarkIsPassedOver(t *testing.T) {
	const mark = "\ufeff"
	path := filepath.Join(t.TempDir(), "s.json")
	if err := os.WriteFile(path, []byte(mark+`{"steps": ["hi"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := script.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	want := script.Script{Steps: []script.Step{{Blocks: []script.Block{script.Text{Text: "hi"}}}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	_, plain := script.Parse([]byte(`{"stepps": []}`))
	_, marked := script.Parse([]byte(mark + `{"stepps": []}`))
	if plain == nil || marked == nil || plain.Error() != marked.Error() {
		t.Errorf("with a mark: %v; without: %v", marked, plain)
	}
}

func TestParseNamesThePlaceOfEveryMistake(t *testing.T) {
	step := func(fields string) string { return "{\"steps\": [\n  {" + fields + "}\n]}" }
	block := func(fields string) string { return step(`"blocks": [{` + fields + `}]`) }
	for _, c := range []struct{ src, want string }{
		{``, "script:1:1: bad JSON: the file ends within a value"},
		{`{"steps": [`, "script:1:12: bad JSON: the file ends within a value"},
		{"{\n \"steps\": nope}", "script:2:11: bad JSON: invalid character 'o'"},
		{`{"steps": ["a"]} x`, "script:1:18: something follows the script"},
		{`{"steps": ["a"],}`, "script:1:17: bad JSON"},
		{`[]`, "script:1:1: a script is an object, not an array"},
		{`{}`, `script:1:1: a script needs at least one entry in "steps"`},
		{`{"steps": {}}`, `script:1:11: "steps" is an array, not an object`},
		{`{"stps": []}`, `script:1:2: unknown field "stps": a script has select, loop,`},
		{`{"é": 1, "stps": []}`, `script:1:2: unknown field "é"`},
		{`{"select": "random", "steps": ["a"]}`, `script:1:12: select "random": say "history" or "sequence"`},
		{`{"loop": 3, "steps": ["a"]}`, `script:1:10: "loop" is true`},
		{`{"gap_ms": -1, "steps": ["a"]}`, `script:1:12: "gap_ms" is a number of milliseconds from 0 to a day, not -1`},
		{`{"gap_ms": 1, "gap_ms": 2, "steps": ["a"]}`, `script:1:15: "gap_ms" is there twice`},
		{step(`"text": "a"`), `script:2:4: unknown field "text": a step has first_ms,`},
		{step(`"stop": "tired"`), `script:2:12: stop "tired": say stop, tool_calls,`},
		{step(`"split": 0`), `script:2:13: "split" is "tokens", "whole" or a number of characters, not 0`},
		{step(`"usage": {"in": 1}`), `script:2:14: unknown field "in": usage has input,`},
		{step(`"usage": {"input": 1.5}`), `script:2:23: "input" is a whole number from 0 up, not 1.5`},
		{step(`"attempts": [{"attempts": []}]`), `script:2:18: unknown field "attempts": an attempt has`},
		{step(`"attempts": ["a"], "blocks": ["b"]`), `script:2:34: a block is an object, not a string`},
		{step(`"attempts": ["a"], "blocks": [{"gate": "b"}]`), `script:2:3: a step has either blocks or attempts`},
		{block(`"txt": "a"`), `script:2:15: a block has one of the fields ["text" "thinking"`},
		{block(`"text": "a", "call": "b"`), `script:2:15: a block is either "text" or "call": make it two`},
		{block(`"text": 5`), `script:2:24: text is a string, an array of pieces, or a repeat, not a number`},
		{block(`"text": "a", "signature": "b"`), `script:2:29: unknown field "signature": a block with text has text`},
		{block(`"text": ["a", ""]`), `script:2:30: a piece is not empty`},
		{block(`"text": {"repeat": "a"}`), `script:2:24: repeat needs a text and a number of bytes`},
		{block(`"call": "a", "arguments": 1`), `text is a string, an array of pieces`},
		{block(`"gate": ""`), `script:2:15: a gate needs a name`},
		{block(`"wait_ms": 0`), `script:2:15: a wait is longer than 0`},
		{block(`"fault": "boom"`), `script:2:15: fault "boom": say cut, reset, stall,`},
		{block(`"fault": "http"`), `script:2:15: status 0: say one from 300 to 599`},
		{step(`"blocks": [{"text": "a"}, {"fault": "html"}]`), `script:2:30: an html fault comes before any text`},
		{step(`"blocks": [{"interleave": [{"gate": "g"}]}]`), `interleave holds text, thinking and calls`},
		{step(`"blocks": ` + strings.Repeat("[", 60)), `nested deeper than 50`},
		{block(`"opaque": [1]`), `an opaque block is a JSON object`},
	} {
		_, err := script.Parse([]byte(c.src))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n got %v\nwant %s", c.src, err, c.want)
		}
	}
}

func TestLoadNamesTheFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "bad.json")
	if err := os.WriteFile(file, []byte("{\"steps\":\n[7]}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := script.Load(file); err == nil || err.Error() != file+":2:2: a step is an object, not a number" {
		t.Errorf("got %v", err)
	}
	if _, err := script.Load(file + ".none"); err == nil || !strings.Contains(err.Error(), file+".none") {
		t.Errorf("got %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"steps":[{"blocks":[{"text":["a",{"gate":"g"}]}]},"b"]}`))
	f.Add([]byte(`{"steps":[{"attempts":[{"blocks":[{"fault":"http","status":429}]}]}]}`))
	f.Add([]byte("{\"steps\":[\n\"\xff\\ud800\"]}"))
	f.Fuzz(func(t *testing.T, src []byte) {
		s, err := script.Parse(src)
		if err == nil {
			script.New(s) // panics if Parse let something through
		}
	})
}
