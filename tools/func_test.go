package tools

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type greetArgs struct {
	Name  string   `json:"name" jsonschema:"who is greeted"`
	Times int      `json:"times,omitempty"`
	Tags  []string `json:"tags,omitempty"`
}

func (a greetArgs) Summary() string { return "to " + a.Name }

func greetTool(t *testing.T, name string) Tool {
	t.Helper()
	tool, err := New(Spec{Name: name, Description: "greets"}, func(_ context.Context, _ Call, a greetArgs) Result {
		return Result{Text: strings.Repeat("hello "+a.Name, max(a.Times, 1))}
	})
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

func TestNewInfersTheSchema(t *testing.T) {
	tool := greetTool(t, "greet")
	want := `{"type":"object","properties":{` +
		`"name":{"type":"string","description":"who is greeted"},` +
		`"times":{"type":"integer"},` +
		`"tags":{"type":"array","items":{"type":"string"}}},` +
		`"required":["name"],"additionalProperties":false}`
	if d := cmp.Diff(want, string(tool.Spec().Schema)); d != "" {
		t.Error(d)
	}
	if s := tool.(Summarizer).Summary(json.RawMessage(`{"name":"Ann"}`)); s != "to Ann" {
		t.Errorf("summary %q", s)
	}
}

func TestNewRefusesArgumentsThatAreNoStruct(t *testing.T) {
	_, err := New(Spec{Name: "x"}, func(context.Context, Call, int) Result { return Result{} })
	if err == nil || !strings.Contains(err.Error(), "must be a struct") {
		t.Errorf("got %v", err)
	}
}

func TestCheckTellsTheModelWhatToMend(t *testing.T) {
	reg, err := NewRegistry(greetTool(t, "greet"), greetTool(t, "greet_all"))
	if err != nil {
		t.Fatal(err)
	}
	const takes = "\ngreet takes {\"name\": string, \"tags\"?: [string, …], \"times\"?: integer}"
	for _, c := range []struct {
		name, arguments, raw string
		kind                 ErrorKind
		text                 string
	}{
		{"greet", `{"name":"Ann"}`, "", "", ""},
		{"great", `{}`, "", UnknownTool, `no tool "great"; did you mean "greet"?; the tools are greet, greet_all`},
		{"rm", `{}`, "", UnknownTool, `no tool "rm"; the tools are greet, greet_all`},
		{"greet", "", `{"name": "An`, BadArgument, `greet: the arguments are no JSON object: "{\"name\": \"An"` + takes},
		{"greet", "", "", BadArgument, `greet: the arguments are no JSON object: ""` + takes},
		{"greet", `null`, "null", BadArgument, `greet: null is no JSON object; the arguments were "null"` + takes},
		{"greet", `{}`, "{}", BadArgument, `greet: required: missing properties: ["name"]; the arguments were "{}"` + takes},
		{
			"greet", `{"name":"Ann","age":3}`, "", BadArgument,
			`greet: unexpected additional properties ["age"]; the arguments were "{\"name\":\"Ann\",\"age\":3}"` + takes,
		},
		{
			"greet", `{"name":7}`, "", BadArgument,
			`greet: in name: type: 7 has type "integer", want "string"; the arguments were "{\"name\":7}"` + takes,
		},
		{
			"greet", `{"name":"a","name":"b"}`, "", BadArgument,
			`greet: the key "name" is there twice; the arguments were "{\"name\":\"a\",\"name\":\"b\"}"` + takes,
		},
	} {
		var arguments json.RawMessage
		if c.arguments != "" {
			arguments = json.RawMessage(c.arguments)
		}
		tool, refused := reg.Check(c.name, arguments, c.raw)
		if refused == nil {
			if tool == nil || c.kind != "" {
				t.Errorf("%s %s: let through", c.name, c.arguments)
			}
			continue
		}
		if d := cmp.Diff(Result{Kind: c.kind, Text: c.text}, *refused); d != "" {
			t.Errorf("%s %s: %s", c.name, c.arguments, d)
		}
	}
}

func TestCheckQuotesNoMoreThanItMust(t *testing.T) {
	reg, err := NewRegistry(greetTool(t, "greet"))
	if err != nil {
		t.Fatal(err)
	}
	_, refused := reg.Check("greet", nil, strings.Repeat("é", 1<<20))
	if len(refused.Text) > 1000 {
		t.Errorf("%d bytes", len(refused.Text))
	}
	has(t, refused.Text, "bytes more")
}

func TestRegistryRefusesNamesThatDoNotWork(t *testing.T) {
	for _, names := range [][]string{{"a", "a"}, {""}, {"a.b"}, {strings.Repeat("x", 65)}} {
		var list []Tool
		for _, n := range names {
			list = append(list, greetTool(t, n))
		}
		if _, err := NewRegistry(list...); err == nil {
			t.Errorf("%q: no error", names)
		}
	}
}

func TestSubset(t *testing.T) {
	reg, err := NewRegistry(greetTool(t, "greet"), greetTool(t, "part"), greetTool(t, "meet"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ ask, want, fault string }{
		{"meet,greet", "greet,meet", ""},
		{"none", "", ""},
		{"meat", "", `no tool "meat"; did you mean "meet"?; the tools are greet, part, meet`},
	} {
		sub, err := reg.Subset(strings.Split(c.ask, ","))
		if err != nil {
			if err.Error() != c.fault {
				t.Errorf("%s: %v", c.ask, err)
			}
			continue
		}
		if got := strings.Join(sub.Names(), ","); got != c.want || c.fault != "" {
			t.Errorf("%s: got %s", c.ask, got)
		}
		if _, ok := sub.Lookup("part"); ok {
			t.Errorf("%s: part is there", c.ask)
		}
	}
}

func TestNoResultIsBeyondTheBound(t *testing.T) {
	tool, err := New(Spec{Name: "flood"}, func(context.Context, Call, struct{}) Result {
		return Result{Text: strings.Repeat("é", resultMax)}
	})
	if err != nil {
		t.Fatal(err)
	}
	r := tool.Run(t.Context(), Call{Arguments: json.RawMessage("{}")})
	if !r.Truncated || len(r.Text) > resultMax || !strings.HasSuffix(r.Text, "éé\n… 262244 bytes cut …") {
		t.Errorf("%d bytes, truncated %v, …%q", len(r.Text), r.Truncated, r.Text[len(r.Text)-40:])
	}
}
