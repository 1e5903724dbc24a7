package bench

import (
	"context"

	"github.com/weir-agents/weir/provider"
)

// adapter is the provider alone: everything weir reads, without actors.
type adapter struct {
	source Source
	model  provider.Provider
}

func openAdapter(src Source) (Client, error) {
	m, err := src.model()
	if err != nil {
		return nil, err
	}
	return &adapter{src, m}, nil
}

func (a *adapter) Session() (Session, error) { return stateless(a.read), nil }
func (a *adapter) Close()                    { a.source.close() }

// asked is the request of the subjects that have no session of their own.
func asked(model, question string) provider.Request {
	return provider.Request{Model: model, Messages: []provider.Message{
		{Role: provider.User, Blocks: []provider.Block{provider.Text{Text: question}}},
	}}
}

func (a *adapter) read(ctx context.Context, question string, take func(string) bool) error {
	for d, err := range a.model.Stream(ctx, asked(a.source.modelName(), question)) {
		if err != nil {
			return err
		}
		if d.Kind == provider.TextDelta && !take(d.Text) {
			return nil
		}
	}
	return nil
}
