package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// New makes a [Tool] of a Go function. Args is a struct: its json tags name the
// arguments, a `jsonschema:"…"` tag describes one to the model, and omitempty
// or omitzero makes it optional. From it comes spec.Schema, unless that is
// given. Arguments that Args does not have are refused.
//
// If Args has a method Summary() string, the tool is a [Summarizer] as well. A
// result text beyond 256 KiB is cut; it is better to cut it where it makes
// sense, and to say how to get the rest.
// An error says what is wrong with spec or Args; it can only be a mistake of
// the program.
func New[Args any](spec Spec, run func(ctx context.Context, call Call, args Args) Result) (Tool, error) {
	if run == nil {
		return nil, fmt.Errorf("tool %q: no function given", spec.Name)
	}
	if len(spec.Schema) == 0 {
		schema, err := schemaFor[Args]()
		if err != nil {
			return nil, fmt.Errorf("tool %q: %w", spec.Name, err)
		}
		spec.Schema = schema
	}
	tool := &funcTool[Args]{spec: spec, run: run}
	if _, ok := any(*new(Args)).(summary); ok {
		return summarized[Args]{tool}, nil
	}
	return tool, nil
}

// mustNew is New for the built-in tools, whose types are known to fit.
func mustNew[Args any](spec Spec, run func(context.Context, Call, Args) Result) Tool {
	tool, err := New(spec, run)
	if err != nil {
		panic("tools: " + err.Error())
	}
	return tool
}

type summary interface{ Summary() string }

type funcTool[Args any] struct {
	spec Spec
	run  func(context.Context, Call, Args) Result
}

func (t *funcTool[Args]) Spec() Spec { return t.spec }

// Run decodes strictly although a Registry has validated the call: a tool can
// also be called by hand.
func (t *funcTool[Args]) Run(ctx context.Context, call Call) Result {
	args, err := decode[Args](call.Arguments)
	if err != nil {
		return badArgument("%v", err)
	}
	return bounded(t.run(ctx, call, args))
}

// bounded holds whatever a tool's own caps have let through.
func bounded(r Result) Result {
	if len(r.Text) > resultMax {
		head := wholeRunes([]byte(r.Text[:resultMax-100]))
		r.Text = fmt.Sprintf("%s\n… %d bytes cut …", head, len(r.Text)-len(head))
		r.Truncated = true
	}
	return r
}

type summarized[Args any] struct{ *funcTool[Args] }

// Summary is empty for arguments that Args cannot hold.
func (t summarized[Args]) Summary(arguments json.RawMessage) string {
	args, err := decode[Args](arguments)
	if err != nil {
		return ""
	}
	return any(args).(summary).Summary()
}

func decode[Args any](arguments json.RawMessage) (Args, error) {
	var args Args
	d := json.NewDecoder(bytes.NewReader(arguments))
	d.DisallowUnknownFields()
	if err := d.Decode(&args); err != nil {
		return args, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return args, errors.New("more than one JSON value")
	}
	return args, nil
}

func schemaFor[Args any]() (json.RawMessage, error) {
	schema, err := jsonschema.For[Args](nil)
	if err != nil {
		return nil, err
	}
	if schema.Type != "object" {
		return nil, fmt.Errorf("arguments must be a struct, not %T", *new(Args))
	}
	withoutNull(schema)
	return json.Marshal(schema)
}

// withoutNull takes the null out that inference adds to every slice: a model
// has no use for it, and some providers refuse a list of types.
func withoutNull(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if i := slices.Index(s.Types, "null"); i >= 0 && len(s.Types) == 2 {
		s.Type, s.Types = s.Types[1-i], nil
	}
	for _, p := range s.Properties {
		withoutNull(p)
	}
	withoutNull(s.Items)
}

// failed is the Result of a call that was understood but could not be done.
func failed(format string, args ...any) Result {
	return Result{Kind: Failed, Text: fmt.Sprintf(format, args...)}
}

// badArgument is the Result of a call that the model has to write differently.
func badArgument(format string, args ...any) Result {
	return Result{Kind: BadArgument, Text: fmt.Sprintf(format, args...)}
}
