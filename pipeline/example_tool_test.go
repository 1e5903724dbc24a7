package pipeline_test

import (
	"context"
	"fmt"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider/script"
	"github.com/weir-agents/weir/tools"
)

// level is the argument struct of a tool: the model sees it as a JSON Schema.
type level struct {
	River string `json:"river" jsonschema:"name of the river"`
}

// A tool of one's own is a Go function. What it returns is for the model.
func Example_ownTool() {
	levels := map[string]float64{"Isar": 1.42}
	gauge, err := tools.New(
		tools.Spec{Name: "water_level", Description: "Tells the water level of a river in metres.", Class: tools.ReadOnly},
		func(_ context.Context, _ tools.Call, args level) tools.Result {
			m, ok := levels[args.River]
			if !ok {
				return tools.Result{Kind: tools.Failed, Text: "no gauge at the river " + args.River}
			}
			return tools.Result{Text: fmt.Sprintf("%.2f m", m)}
		})
	if err != nil {
		fmt.Println(err)
		return
	}
	registry, err := tools.NewRegistry(gauge)
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := script.Parse([]byte(`{"steps": [
		{"blocks": [
			{"call": "water_level", "arguments": {"river": "Isar"}},
			{"call": "water_level", "arguments": {"river": "Styx"}},
			{"call": "water_level", "arguments": {"stream": "Isar"}}
		]},
		"The Isar stands at 1.42 m."
	]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := pipeline.New(script.New(answer), pipeline.Config{Tools: registry})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	session, err := p.Open("")
	if err != nil {
		fmt.Println(err)
		return
	}
	for event, err := range session.Run(context.Background(), "How high are Isar and Styx?") {
		switch e := event.(type) {
		case pipeline.ToolFinished:
			if e.ErrorKind == "bad_arguments" { // the model mends it; nothing has run
				fmt.Println(e.Name, "had bad arguments")
				continue
			}
			fmt.Println(e.Name, "->", e.Text)
		case pipeline.TurnEnded:
			fmt.Println(e.Text)
		case nil:
			fmt.Println(err)
		}
	}
	// Output:
	// water_level -> 1.42 m
	// water_level -> no gauge at the river Styx
	// water_level had bad arguments
	// The Isar stands at 1.42 m.
}
