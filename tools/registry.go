package tools

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// nameValid holds for what every provider takes as the name of a function.
var nameValid = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// Registry holds the tools that a session offers. It never changes, so any
// number of goroutines and sessions may use one.
type Registry struct {
	tools  []registered
	byName map[string]int
}

type registered struct {
	tool   Tool
	spec   Spec
	schema *jsonschema.Resolved
	usage  string // the arguments in one line, for a model that got them wrong
}

// NewRegistry returns a registry of tools, in their order. A name that is
// there twice or that providers do not take, or a schema that is none, is an
// error.
func NewRegistry(tools ...Tool) (*Registry, error) {
	r := &Registry{byName: make(map[string]int, len(tools))}
	for _, tool := range tools {
		entry, err := register(tool)
		if err != nil {
			return nil, err
		}
		if _, ok := r.byName[entry.spec.Name]; ok {
			return nil, fmt.Errorf("two tools are called %q", entry.spec.Name)
		}
		r.byName[entry.spec.Name] = len(r.tools)
		r.tools = append(r.tools, entry)
	}
	return r, nil
}

func register(tool Tool) (registered, error) {
	spec := tool.Spec()
	if !nameValid.MatchString(spec.Name) {
		return registered{}, fmt.Errorf("tool name %q: use 1 to 64 letters, digits, _ and -", spec.Name)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(spec.Schema, &schema); err != nil {
		return registered{}, fmt.Errorf("schema of tool %q: %w", spec.Name, err)
	}
	if schema.Type != "object" {
		return registered{}, fmt.Errorf("schema of tool %q: the type is %q, not object", spec.Name, schema.Type)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		return registered{}, fmt.Errorf("schema of tool %q: %w", spec.Name, err)
	}
	return registered{tool: tool, spec: spec, schema: resolved, usage: usage(&schema)}, nil
}

// Specs returns what is fixed about each tool, always in the same order, so
// that a provider's prompt cache holds.
func (r *Registry) Specs() []Spec {
	specs := make([]Spec, len(r.tools))
	for i, t := range r.tools {
		specs[i] = t.spec
	}
	return specs
}

// Names returns the names of the tools in the order of Specs.
func (r *Registry) Names() []string {
	names := make([]string, len(r.tools))
	for i, t := range r.tools {
		names[i] = t.spec.Name
	}
	return names
}

// Lookup returns the tool of that exact name.
func (r *Registry) Lookup(name string) (Tool, bool) {
	i, ok := r.byName[name]
	if !ok {
		return nil, false
	}
	return r.tools[i].tool, true
}

// Subset returns a registry of the named tools only, in the order of r. The
// single name "none" stands for no tools. A name that r does not have is an
// error that suggests the nearest.
func (r *Registry) Subset(names []string) (*Registry, error) {
	sub := &Registry{byName: map[string]int{}}
	if len(names) == 1 && names[0] == "none" {
		return sub, nil
	}
	for _, name := range names {
		if _, ok := r.byName[name]; !ok {
			return nil, fmt.Errorf("no tool %q%s", name, r.instead(name))
		}
	}
	for _, t := range r.tools {
		if slices.Contains(names, t.spec.Name) {
			sub.byName[t.spec.Name] = len(sub.tools)
			sub.tools = append(sub.tools, t)
		}
	}
	return sub, nil
}

// instead says which tools there are, the nearest to a wrong name first.
func (r *Registry) instead(name string) string {
	if len(r.tools) == 0 {
		return "; there are no tools"
	}
	list := "; the tools are " + strings.Join(r.Names(), ", ")
	if best := nearest(name, r.Names()); best != "" {
		return fmt.Sprintf("; did you mean %q?", best) + list
	}
	return list
}

// nearest returns the candidate with the fewest changes to name, or "" if none
// is near enough to be meant.
func nearest(name string, candidates []string) string {
	best, fewest := "", max(2, len(name)/3)+1
	if len(name) > 100 {
		return ""
	}
	for _, c := range candidates {
		if n := changes(strings.ToLower(name), strings.ToLower(c)); n < fewest {
			best, fewest = c, n
		}
	}
	return best
}

// changes counts the bytes to insert, delete or replace between a and b.
func changes(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
