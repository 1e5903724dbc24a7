package anthropic

import (
	"encoding/json"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/script"
	"github.com/weir-agents/weir/provider/sim"
)

// conversation is a script whose answers hold one of each kind of block.
func conversation() script.Script {
	return script.Script{Steps: []script.Step{
		{Blocks: []script.Block{
			script.Thinking{Text: "Two things 😀.", Signature: "c2VhbA=="},
			script.Thinking{Redacted: "cmVk"},
			script.Thinking{Signature: "bGV4"},
			script.Text{Text: "I will \"look\".\n"},
			script.Opaque{Dialect: "anthropic", Raw: json.RawMessage(`{"type":"server_tool_use","id":"srv","name":"web_search","input":{"q":1}}`)},
			script.Call{ID: "a", Name: "read", Arguments: `{"path":"é"}`},
			script.Call{ID: "b", Name: "read", Arguments: `{"path":`},
			script.Call{ID: "b", Name: "now", Arguments: "{}"},
			script.Call{NoID: true, Name: "now", Arguments: "{}"},
		}},
		{Blocks: []script.Block{script.Text{Text: "Let me see. "}}, Stop: provider.StopPause},
		{Blocks: []script.Block{script.Text{Text: "Done."}}},
	}}
}

// converse plays a conversation to its end and returns its history. An answer
// that pauses is gone on from.
func converse(t *testing.T, p provider.Provider, noStream bool) []provider.Message {
	t.Helper()
	history := []provider.Message{user(text("hi"))}
	for {
		var a provider.Assembly
		req := provider.Request{Model: "m", System: "s", Messages: history, NoStream: noStream, IDPrefix: "made_", Thinking: true}
		req.Tools = []provider.ToolSpec{{Name: "read", Schema: json.RawMessage(`{"type":"object"}`)}, {Name: "now", Schema: json.RawMessage(`{"type":"object"}`)}}
		for d, err := range p.Stream(t.Context(), req) {
			if err != nil {
				t.Fatal(err)
			}
			a.Add(d)
		}
		m := a.Message()
		history = append(history, m)
		var answers []provider.Block
		for _, c := range m.Calls() {
			answers = append(answers, provider.ToolResult{Call: c.ID, Name: c.Name, Text: "r", IsError: c.Arguments == nil})
		}
		if answers != nil {
			history = append(history, results(answers...))
		}
		if a.Stop() == provider.StopEnd {
			return history
		}
	}
}

// The strict checker of the simulated vendor takes the history back after every
// answer; streamed or not, over HTTP or not, the conversation is the same.
func TestAConversationWithAStrictVendor(t *testing.T) {
	want := converse(t, script.New(conversation()), false)
	for _, noStream := range []bool{false, true} {
		server := sim.New(conversation(), sim.Config{})
		base := served(t, server.ServeHTTP)
		got := converse(t, newClient(t, Config{BaseURL: base}), noStream)
		if diff := cmp.Diff(withoutMadeIDs(want), withoutMadeIDs(got)); diff != "" {
			t.Errorf("unstreamed %v: %s", noStream, diff)
		}
		if n := len(server.Requests()); n != 3 {
			t.Errorf("%d requests", n)
		}
	}
}

func withoutMadeIDs(history []provider.Message) []provider.Message {
	ids := map[string]string{}
	name := func(id string) string {
		if id == "a" || id == "b" {
			return id
		}
		if ids[id] == "" {
			ids[id] = string(rune('1' + len(ids)))
		}
		return ids[id]
	}
	var all []provider.Message
	for _, m := range history {
		n := provider.Message{Role: m.Role}
		for _, b := range m.Blocks {
			switch c := b.(type) {
			case provider.ToolCall:
				c.ID = name(c.ID)
				b = c
			case provider.ToolResult:
				c.Call = name(c.Call)
				b = c
			}
			n.Blocks = append(n.Blocks, b)
		}
		all = append(all, n)
	}
	return all
}

func TestListingModels(t *testing.T) {
	s := conversation()
	s.Models = []string{"one", "two"}
	server := httptest.NewServer(sim.New(s, sim.Config{Key: "k"}))
	defer server.Close()
	names, err := newClient(t, Config{BaseURL: server.URL, APIKey: "k"}).Models(t.Context())
	if err != nil || !cmp.Equal(names, []string{"one", "two"}) {
		t.Errorf("%v, %v", names, err)
	}
	_, err = newClient(t, Config{BaseURL: server.URL, APIKey: "wrong"}).Models(t.Context())
	if e := provider.AsError(err); e.Kind != provider.HTTPError || e.Status != 401 {
		t.Errorf("%v", err)
	}
}
