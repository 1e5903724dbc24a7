package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// quotedMax bounds, in bytes, how much of a wrong call is quoted back.
const quotedMax = 500

// Check says whether a call can run. A nil Result means yes, with that Tool;
// otherwise the Result, of kind UnknownTool or BadArgument, tells the model how
// to mend it. arguments is nil if the model's text, raw, is no JSON object.
func (r *Registry) Check(name string, arguments json.RawMessage, raw string) (Tool, *Result) {
	i, ok := r.byName[name]
	if !ok {
		return nil, &Result{Kind: UnknownTool, Text: "no tool " + quoteCapped(name) + r.instead(name)}
	}
	t := r.tools[i]
	if arguments == nil {
		return nil, t.refuse("the arguments are no JSON object: " + quoteCapped(raw))
	}
	if err := t.validate(arguments); err != nil {
		if raw == "" {
			raw = string(arguments)
		}
		return nil, t.refuse(capped(err.Error(), quotedMax) + "; the arguments were " + quoteCapped(raw))
	}
	return t.tool, nil
}

func (t *registered) refuse(why string) *Result {
	r := badArgument("%s: %s\n%s takes %s", t.spec.Name, why, t.spec.Name, t.usage)
	return &r
}

func (t *registered) validate(arguments json.RawMessage) error {
	if err := repeatedKey(arguments); err != nil {
		return err
	}
	var value map[string]any
	if err := json.Unmarshal(arguments, &value); err != nil {
		return err
	}
	if value == nil {
		return fmt.Errorf("null is no JSON object")
	}
	err := t.schema.Validate(value)
	if err == nil {
		return nil
	}
	// The path into the schema helps nobody who has not read it.
	_, why, found := strings.Cut(err.Error(), "validating root: ")
	if !found {
		return err
	}
	return fmt.Errorf("%s", strings.ReplaceAll(why, "validating /properties/", "in "))
}

// repeatedKey refuses an object that names a key twice: readers of JSON differ
// in which one counts, and what a person approves must be what runs.
func repeatedKey(arguments json.RawMessage) error {
	d := json.NewDecoder(bytes.NewReader(arguments))
	d.UseNumber()
	var open []map[string]bool // nil for an array
	key := false               // the next token is a key
	for {
		token, err := d.Token()
		if err != nil {
			return nil // The end, or a fault that json.Unmarshal tells better.
		}
		switch v := token.(type) {
		case json.Delim:
			switch v {
			case '{':
				open = append(open, map[string]bool{})
			case '[':
				open = append(open, nil)
			default:
				open = open[:len(open)-1]
			}
			key = len(open) > 0 && open[len(open)-1] != nil
			continue
		case string:
			if key {
				if open[len(open)-1][v] {
					return fmt.Errorf("the key %s is there twice", quoteCapped(v))
				}
				open[len(open)-1][v] = true
				key = false
				continue
			}
		}
		key = len(open) > 0 && open[len(open)-1] != nil
	}
}

// usage writes a schema in one line: {"path": string, "limit"?: integer}.
func usage(s *jsonschema.Schema) string {
	switch {
	case s == nil:
		return "any"
	case len(s.Enum) > 0:
		words := make([]string, len(s.Enum))
		for i, v := range s.Enum {
			words[i] = fmt.Sprintf("%q", v)
		}
		return strings.Join(words, "|")
	case s.Type == "array":
		return "[" + usage(s.Items) + ", …]"
	case s.Type == "object":
		return usageObject(s)
	case s.Type == "":
		return "any"
	}
	return s.Type
}

func usageObject(s *jsonschema.Schema) string {
	names := slices.Sorted(maps.Keys(s.Properties))
	slices.SortStableFunc(names, func(a, b string) int {
		return required(s, b) - required(s, a)
	})
	fields := make([]string, len(names))
	for i, name := range names {
		mark := "?"
		if required(s, name) == 1 {
			mark = ""
		}
		fields[i] = fmt.Sprintf("%q%s: %s", name, mark, usage(s.Properties[name]))
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

func required(s *jsonschema.Schema, name string) int {
	if slices.Contains(s.Required, name) {
		return 1
	}
	return 0
}
