package sim_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/anthropic"
	"github.com/weir-agents/weir/provider/openai"
	"github.com/weir-agents/weir/provider/script"
	"github.com/weir-agents/weir/provider/sim"
)

// answer is what a stream told, however it was cut into deltas.
type answer struct {
	Message   provider.Message
	Shown     map[int]string // the text of each block's deltas
	Stop      provider.StopReason
	Kind      provider.ErrorKind
	Retryable bool
	Status    int
	After     string
}

func listen(t *testing.T, p provider.Provider, req provider.Request) answer {
	t.Helper()
	got := answer{Shown: map[int]string{}}
	var whole provider.Assembly
	for d, err := range p.Stream(t.Context(), req) {
		if err != nil {
			e := provider.AsError(err)
			got.Kind, got.Retryable, got.Status = e.Kind, e.Retryable, e.Status
			got.After = e.RetryAfter.String()
			break
		}
		whole.Add(d)
		got.Shown[d.Block] += d.Text
	}
	got.Stop = whole.Stop()
	got.Message = whole.Message()
	if got.Kind != "" {
		got.Message = provider.Message{} // of a broken answer only what was shown counts
	}
	for i, text := range got.Shown {
		if text == "" {
			delete(got.Shown, i)
		}
	}
	return got
}

// readers are the three ways to hear a script, and how to end them.
func readers(t *testing.T, s script.Script) map[string]provider.Provider {
	t.Helper()
	server := httptest.NewServer(sim.New(s, sim.Config{}))
	t.Cleanup(server.Close)
	o, err := openai.New(openai.Config{BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.Close)
	a, err := anthropic.New(anthropic.Config{BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	return map[string]provider.Provider{"script": script.New(s), "openai": o, "anthropic": a}
}

func TestAScriptIsTheSameThroughEveryReader(t *testing.T) {
	text := script.Text{Text: "Grüße an die 世界, \"all\"\n\tof it 👋🏽"}
	call := func(id, arguments string) script.Call {
		return script.Call{ID: id, Name: "read_file", Arguments: arguments}
	}
	cases := map[string]script.Step{
		"text":                {Blocks: []script.Block{text}},
		"thinking, text":      {Blocks: []script.Block{script.Thinking{Text: "hm, hm", Signature: "s"}, text}},
		"calls":               {Blocks: []script.Block{text, call("a", `{"path":"x"}`), call("b", `{"path":"y"}`)}},
		"calls interleaved":   {Blocks: []script.Block{script.Interleave{call("a", `{"path":"x y z"}`), call("b", `{"path":"y"}`)}}},
		"bad arguments":       {Blocks: []script.Block{call("a", `{"path":`), call("b", ``), call("c", `[1]`)}},
		"cut by length":       {Blocks: []script.Block{text, call("a", `{"pa`)}, Stop: provider.StopLength},
		"stop with calls":     {Blocks: []script.Block{call("a", `{}`)}, Stop: provider.StopEnd},
		"refusal":             {Blocks: []script.Block{text}, Stop: provider.StopRefusal},
		"nothing":             {},
		"only promises calls": {Stop: provider.StopToolCalls},
		"cut":                 {Blocks: []script.Block{text, script.Fault{Kind: script.Cut}}},
		"cut in a call":       {Blocks: []script.Block{script.Call{ID: "a", Name: "x", Pieces: []script.Piece{script.Say(`{}`), script.Fault{Kind: script.Cut}}}}},
		"cut at once":         {Blocks: []script.Block{script.Fault{Kind: script.Cut}}},
		"reset":               {Blocks: []script.Block{text, script.Fault{Kind: script.Reset}}},
		"reset at once":       {Blocks: []script.Block{script.Fault{Kind: script.Reset}}},
		"error":               {Blocks: []script.Block{text, script.Fault{Kind: script.Errored, Type: "overloaded_error"}}},
		"error that lasts":    {Blocks: []script.Block{text, script.Fault{Kind: script.Errored, Code: "402"}}},
		"error at once":       {Blocks: []script.Block{script.Fault{Kind: script.Errored, Type: "invalid_request_error"}}},
		"bad json":            {Blocks: []script.Block{text, script.Fault{Kind: script.BadJSON}}},
		"html":                {Blocks: []script.Block{script.Fault{Kind: script.HTML}}},
	}
	for status, f := range map[int]script.Fault{
		400: {}, 401: {}, 404: {}, 408: {}, 409: {}, 429: {RetryAfter: "3"}, 500: {}, 503: {RetryAfterMS: 1500}, 529: {},
	} {
		f.Kind, f.Status = script.HTTP, status
		cases[fmt.Sprint(status)] = script.Step{Blocks: []script.Block{f}}
	}
	cases["no money"] = script.Step{Blocks: []script.Block{script.Fault{Kind: script.HTTP, Status: 429, Type: "insufficient_quota"}}}
	for name, step := range cases {
		t.Run(name, func(t *testing.T) {
			all := readers(t, script.Script{Steps: []script.Step{step}})
			for _, noStream := range []bool{false, true} {
				req := provider.Request{Model: "m", NoStream: noStream, Messages: []provider.Message{
					{Role: provider.User, Blocks: []provider.Block{provider.Text{Text: "hi"}}},
				}}
				want := listen(t, all["script"], req)
				for _, dialect := range []string{"openai", "anthropic"} {
					got := listen(t, all[dialect], req)
					switch {
					case dialect == "openai":
						want = unsigned(want)
					default:
						want = filled(want)
					}
					if d := cmp.Diff(want, got); d != "" {
						t.Errorf("%s, blocking %v (-script +%s)\n%s", dialect, noStream, dialect, d)
					}
					want = listen(t, all["script"], req)
				}
			}
		})
	}
}

// unsigned is a without signatures, which OpenAI's dialect does not have.
func unsigned(a answer) answer {
	for i, b := range a.Message.Blocks {
		if t, ok := b.(provider.Thinking); ok {
			t.Signature = ""
			a.Message.Blocks[i] = t
		}
	}
	return a
}

// filled is a where a call without arguments has {}: Anthropic's dialect has no
// other way to say that there are none.
func filled(a answer) answer {
	for i, b := range a.Message.Blocks {
		if c, ok := b.(provider.ToolCall); ok && c.Raw == "" {
			c.Raw = "{}"
			a.Message.Blocks[i] = c
			a.Shown[i] = c.Raw
		}
	}
	return a
}

// TestEveryHistoryPassesTheStrictServer plays a conversation whose every answer
// is hard to give back.
func TestEveryHistoryPassesTheStrictServer(t *testing.T) {
	s := script.Script{Steps: []script.Step{
		{Blocks: []script.Block{
			script.Thinking{Text: "one", Signature: "sealed"},
			script.Thinking{Redacted: "secret"},
			script.Text{Text: "look:"},
			script.Call{ID: "a", Name: "x", Arguments: `{"n":1}`},
			script.Call{ID: "b", Name: "y", Arguments: `{bad`},
		}},
		{Blocks: []script.Block{script.Opaque{Raw: json.RawMessage(`{"type":"server_tool_use","id":"s","name":"n","input":{}}`)}, script.Text{Text: "and "}}, Stop: provider.StopPause},
		{Blocks: []script.Block{script.Text{Text: "so on"}}},
		{Blocks: []script.Block{script.Text{Text: "end"}}},
	}}
	// A paused answer and its rest are one message to this vendor.
	s.Select = script.BySequence
	for _, dialect := range []string{"openai", "anthropic"} {
		p := readers(t, s)[dialect]
		req := provider.Request{Model: "m", System: "be brief", Messages: []provider.Message{
			{Role: provider.User, Blocks: []provider.Block{provider.Text{Text: "hi"}}},
		}}
		for range s.Steps {
			m, err := provider.Complete(t.Context(), p, req)
			if err != nil {
				t.Fatalf("%s: %v", dialect, err)
			}
			req.Messages = append(req.Messages, m)
			results := provider.Message{Role: provider.Tool}
			for _, c := range m.Calls() {
				results.Blocks = append(results.Blocks, provider.ToolResult{Call: c.ID, Name: c.Name, Text: "done", IsError: c.Arguments == nil})
			}
			if len(results.Blocks) > 0 {
				req.Messages = append(req.Messages, results)
			}
			if m.Text() == "so on" {
				req.Messages = append(req.Messages, req.Messages[0])
			}
		}
	}
}
