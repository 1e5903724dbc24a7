package bench

import (
	"context"
	"net/http"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/openai"
)

// adapter is the provider alone: everything weir reads, without actors.
type adapter struct{ client *openai.Client }

func openAdapter(url string, transport http.RoundTripper) (Client, error) {
	c, err := openai.New(openai.Config{BaseURL: url, Transport: transport})
	if err != nil {
		return nil, err
	}
	return &adapter{c}, nil
}

func (a *adapter) Session() (Session, error) { return a, nil }
func (a *adapter) Close()                    { a.client.Close() }

// asked is the request of the subjects that have no session of their own.
func asked() provider.Request {
	return provider.Request{Model: model, Messages: []provider.Message{
		{Role: provider.User, Blocks: []provider.Block{provider.Text{Text: question}}},
	}}
}

func (a *adapter) Read(ctx context.Context, take func(string) bool) error {
	for d, err := range a.client.Stream(ctx, asked()) {
		if err != nil {
			return err
		}
		if d.Kind == provider.TextDelta && !take(d.Text) {
			return nil
		}
	}
	return nil
}
