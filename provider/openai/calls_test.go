package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weir-agents/weir/provider"
)

// manners say what a server of some manners makes of calls. The calls come out of
// the stream as they went in, whatever the manners are.
type manners struct {
	index     string // right, zero, absent, from one
	ids       bool
	again     bool // id and name on every piece
	emptied   bool // id and name are "" on later pieces
	prelude   bool // a first entry with the name and no arguments
	mixed     bool // the pieces of several calls in turns
	wholeLast bool // the whole text once more at the end
}

func drawManners(t *rapid.T) manners {
	m := manners{
		index:   rapid.SampledFrom([]string{"right", "zero", "absent", "one"}).Draw(t, "index"),
		ids:     rapid.Bool().Draw(t, "ids"),
		again:   rapid.Bool().Draw(t, "again"),
		prelude: rapid.Bool().Draw(t, "prelude"),
	}
	m.emptied = !m.again && rapid.Bool().Draw(t, "emptied")
	numbered := m.index == "right" || m.index == "one"
	m.mixed = numbered && rapid.Bool().Draw(t, "mixed")
	m.wholeLast = numbered && rapid.Bool().Draw(t, "wholeLast")
	if !numbered {
		m.ids = true // else two calls cannot always be told apart
	}
	if m.index == "absent" && m.again {
		m.emptied = false
	}
	return m
}

// piece returns the entry that brings one piece of call i.
func (m manners) piece(i int, c provider.ToolCall, text string, first bool) string {
	e := map[string]any{"type": "function"}
	f := map[string]any{"arguments": text}
	switch m.index {
	case "right":
		e["index"] = i
	case "one":
		e["index"] = i + 1
	case "zero":
		e["index"] = 0
	}
	if first || m.again {
		f["name"] = c.Name
		if m.ids {
			e["id"] = c.ID
		}
	} else if m.emptied {
		f["name"], e["id"] = "", ""
	}
	e["function"] = f
	raw, _ := json.Marshal(e)
	return string(raw)
}

// entries returns all entries of call i.
func (m manners) entries(t *rapid.T, i int, c provider.ToolCall) []string {
	var all []string
	first := true
	if m.prelude {
		all = append(all, m.piece(i, c, "", true))
		first = false
	}
	rest := c.Raw
	for rest != "" {
		n := rapid.IntRange(1, len(rest)).Draw(t, "cut")
		all = append(all, m.piece(i, c, rest[:n], first))
		rest, first = rest[n:], false
	}
	if m.wholeLast {
		all = append(all, m.piece(i, c, c.Raw, false))
	}
	return all
}

func TestCallsComeOutAsTheyWentIn(t *testing.T) {
	client := reader(t, Config{})
	rapid.Check(t, func(rt *rapid.T) {
		m := drawManners(rt)
		var calls []provider.ToolCall
		var queues [][]string
		for i := range rapid.IntRange(1, 4).Draw(rt, "calls") {
			args := rapid.SampledFrom([]string{`{"path":"a"}`, `{"n":[1,{"x":"}"}],"s":"\\\"{"}`, `{"s":"{}"}`, `{"deep":{"a":{"b":[]}}}`}).Draw(rt, "args")
			c := provider.ToolCall{
				ID: fmt.Sprintf("c%d", i), Name: rapid.SampledFrom([]string{"read", "read_file", "now"}).Draw(rt, "name"),
				Arguments: json.RawMessage(args), Raw: args,
			}
			calls = append(calls, c)
			queues = append(queues, m.entries(rt, i, c))
		}
		var body bytes.Buffer
		for _, e := range order(rt, m, queues) {
			fmt.Fprintf(&body, "data: {\"choices\":[{\"delta\":{\"tool_calls\":[%s]}}]}\n\n", e)
		}
		body.WriteString("data: {\"choices\":[{\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n")
		text := body.String()
		got := outcome(rt, t, client, &body)
		for i := range got {
			if !m.ids && strings.HasPrefix(got[i].ID, "t1s1a1_") {
				got[i].ID = calls[min(i, len(calls)-1)].ID
			}
		}
		if diff := cmp.Diff(calls, got); diff != "" {
			rt.Fatalf("%+v\n%s\n%s", m, diff, text)
		}
	})
}

// order puts the entries of all calls in one line: call after call, or in turns
// once they have begun in order.
func order(t *rapid.T, m manners, queues [][]string) []string {
	var all []string
	begun := 0 // how many of the queues left have
	for len(queues) > 0 {
		i := 0
		if m.mixed {
			i = rapid.IntRange(0, min(begun, len(queues)-1)).Draw(t, "turn")
		}
		begun = max(begun, i+1)
		all = append(all, queues[i][0])
		if queues[i] = queues[i][1:]; len(queues[i]) == 0 {
			queues = append(queues[:i:i], queues[i+1:]...)
			begun--
		}
	}
	return all
}

func outcome(rt *rapid.T, t *testing.T, c *Client, body io.Reader) []provider.ToolCall {
	deltas, err := read(t, c, body)
	if err != nil {
		rt.Fatal(err)
	}
	var a provider.Assembly
	for _, d := range deltas {
		a.Add(d)
	}
	return a.Message().Calls()
}
