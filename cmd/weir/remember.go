package main

import (
	"context"
	_ "embed"

	"github.com/weir-agents/weir/cmd/weir/internal/workspace"
	"github.com/weir-agents/weir/tools"
)

const remember = "remember"

//go:embed remember.md
var rememberText string

type rememberArgs struct {
	Line string `json:"line" jsonschema:"what to keep, one line of at most 500 characters"`
}

// Summary is the line.
func (a rememberArgs) Summary() string { return a.Line }

// rememberTool lets the model propose a line for the memory, where there is one
// and a person who can be asked.
func (a *app) rememberTool() ([]tools.Tool, error) {
	dir := a.dirs().config
	if dir == "" {
		return nil, nil
	}
	memory := workspace.NewMemory(dir)
	t, err := tools.New(
		tools.Spec{Name: remember, Description: rememberText, Class: tools.Mutating},
		func(_ context.Context, _ tools.Call, args rememberArgs) tools.Result {
			if err := memory.Append(args.Line); err != nil {
				return tools.Result{Text: err.Error(), Kind: tools.Failed}
			}
			return tools.Result{Text: "kept: " + workspace.MemoryLine(args.Line)}
		})
	if err != nil {
		return nil, err
	}
	return []tools.Tool{t}, nil
}

// keeping has the person asked about every line for the memory, in each mode:
// it is told to the model in all sessions to come. Only a rule of theirs allows it.
type keeping struct{ tools.Policy }

// Decide implements [tools.Policy].
func (k keeping) Decide(call tools.Call, spec tools.Spec) tools.Verdict {
	v := k.Policy.Decide(call, spec)
	asks := v.Decision == tools.Ask || v.Decision == tools.Allow && v.By == "mode"
	if call.Name == remember && asks {
		return tools.Verdict{Decision: tools.Ask, By: "mode", Reason: "the line would be told to the model in every session from now on"}
	}
	return v
}
