package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/weir-agents/weir/tools"
)

// upperArgs are the arguments of the tool below, and their schema.
type upperArgs struct {
	Text  string `json:"text" jsonschema:"what to write in capitals"`
	Times int    `json:"times,omitempty" jsonschema:"how often, once if left out"`
}

// A tool is a Go function and a struct for its arguments.
func ExampleNew() {
	upper, err := tools.New(
		tools.Spec{Name: "upper", Description: "Writes text in capitals.", Class: tools.ReadOnly},
		func(_ context.Context, _ tools.Call, args upperArgs) tools.Result {
			return tools.Result{Text: strings.Repeat(strings.ToUpper(args.Text), max(args.Times, 1))}
		})
	if err != nil {
		fmt.Println(err)
		return
	}
	registry, err := tools.NewRegistry(upper)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, arguments := range []string{`{"text": "weir"}`, `{"test": "weir"}`} {
		tool, refused := registry.Check("upper", json.RawMessage(arguments), arguments)
		if refused != nil {
			fmt.Println(refused.Text)
			continue
		}
		fmt.Println(tool.Run(context.Background(), tools.Call{Arguments: json.RawMessage(arguments)}).Text)
	}
	// Output:
	// WEIR
	// upper: unexpected additional properties ["test"]; the arguments were "{\"test\": \"weir\"}"
	// upper takes {"text": string, "times"?: integer}
}

// The built-in tools act in the folders of a workspace and nowhere else.
func ExampleBuiltin() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "hello.txt"), []byte("hello\n"), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	workspace, err := tools.OpenWorkspace(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer workspace.Close()
	registry, err := tools.NewRegistry(tools.Builtin(workspace, tools.Config{Env: os.Environ()})...)
	if err != nil {
		fmt.Println(err)
		return
	}
	scope := tools.NewScope()
	defer scope.Close()
	for _, path := range []string{"hello.txt", "../secret.txt"} {
		arguments, _ := json.Marshal(map[string]string{"path": path}) // A map of strings always works.
		tool, _ := registry.Lookup("read_file")
		result := tool.Run(context.Background(), tools.Call{Arguments: arguments, Scope: scope, Output: func(string) {}})
		fmt.Println(result.Text)
	}
	// Output:
	// hello.txt: lines 1-1 of 1
	//      1	hello
	// ../secret.txt: outside the workspace
}

// A program of the user's own, with its output; with the path of the running
// program instead of "" nothing that it starts would get away from a cancel.
func ExampleRun() {
	var out strings.Builder
	cmd := exec.Command("/bin/sh", "-c", "echo built; exit 3")
	cmd.Stdout = &out
	err := tools.Run(context.Background(), "", cmd)
	fmt.Println(out.String()+"then", err)
	// Output:
	// built
	// then exit status 3
}
