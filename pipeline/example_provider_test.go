package pipeline_test

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider"
)

// parrot is a model that streams: it says what it was asked, word by word. A real
// one would read a socket where this one ranges over words; it is asked for the
// next delta only when the reader has room.
type parrot struct{}

func (parrot) Stream(ctx context.Context, req provider.Request) iter.Seq2[provider.Delta, error] {
	return func(yield func(provider.Delta, error) bool) {
		asked := req.Messages[len(req.Messages)-1].Text()
		for word := range strings.SplitAfterSeq(asked, " ") {
			if err := ctx.Err(); err != nil {
				yield(provider.Delta{}, err)
				return
			}
			if !yield(provider.Delta{Kind: provider.TextDelta, Text: word}, nil) {
				return
			}
		}
		yield(provider.Delta{Kind: provider.FinishDelta, Stop: provider.StopEnd}, nil)
	}
}

// oracle is a model that cannot stream.
type oracle struct{}

func (oracle) Generate(context.Context, provider.Request) (provider.Message, provider.StopReason, *provider.Usage, error) {
	return provider.Message{Role: provider.Assistant, Blocks: []provider.Block{provider.Text{Text: "Ask the river."}}}, provider.StopEnd, nil, nil
}

// A model of one's own has one method that yields deltas; one that cannot stream
// returns whole messages and goes through FromGenerator. The loop above is the
// same for both.
func Example_ownProvider() {
	for _, model := range []provider.Provider{parrot{}, provider.FromGenerator(oracle{})} {
		p, err := pipeline.New(model, pipeline.Config{})
		if err != nil {
			fmt.Println(err)
			return
		}
		session, err := p.Open("")
		if err != nil {
			fmt.Println(err)
			return
		}
		for event, err := range session.Run(context.Background(), "still waters run deep") {
			switch e := event.(type) {
			case pipeline.TextDelta:
				fmt.Print(e.Text)
			case pipeline.TurnEnded:
				fmt.Printf(" (%s)\n", e.Outcome)
			case nil:
				fmt.Println(err)
			}
		}
		p.Close()
	}
	// Output:
	// still waters run deep (completed)
	// Ask the river. (completed)
}
