package pipeline_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider/openai"
	"github.com/weir-agents/weir/provider/script"
)

// Ask once: the events of a turn come out of a range loop, and the loop is the
// demand.
func Example() {
	answer, err := script.Parse([]byte(`{"steps": ["A weir is a low dam."]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := pipeline.New(script.New(answer), pipeline.Config{})
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
	for event, err := range session.Run(context.Background(), "What is a weir?") {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch e := event.(type) {
		case pipeline.TextDelta:
			fmt.Print(e.Text)
		case pipeline.TurnEnded:
			fmt.Printf("\n%s after %d step\n", e.Outcome, e.Steps)
		}
	}
	// Output:
	// A weir is a low dam.
	// completed after 1 step
}

// The whole of an embedding, as README.md shows it.
func Example_embed() {
	if err := ask(context.Background(), "What is a weir?"); err != nil {
		fmt.Println(err)
	}
}

func ask(ctx context.Context, question string) error {
	model, err := openai.New(openai.Config{BaseURL: "http://localhost:11434"})
	if err != nil {
		return err
	}
	p, err := pipeline.New(model, pipeline.Config{Model: "qwen3:8b"})
	if err != nil {
		return err
	}
	defer p.Close()
	session, err := p.Open("")
	if err != nil {
		return err
	}
	for event, err := range session.Run(ctx, question) {
		switch e := event.(type) {
		case pipeline.TextDelta:
			fmt.Print(e.Text)
		case pipeline.TurnEnded:
			if e.Error != nil {
				return errors.New(e.Error.Message)
			}
		case nil:
			return err
		}
	}
	return nil
}
