package bench

import (
	"context"
	"net/http"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// vendor is openai-go's stream, as its documentation uses it.
type vendor struct {
	client    sdk.Client
	transport http.RoundTripper
}

func openSDK(url string, transport http.RoundTripper) (Client, error) {
	return &vendor{sdk.NewClient(
		option.WithBaseURL(url+"/v1"), option.WithAPIKey("none"),
		option.WithHTTPClient(&http.Client{Transport: transport}),
	), transport}, nil
}

func (v *vendor) Session() (Session, error) { return v, nil }
func (v *vendor) Close()                    { (&http.Client{Transport: v.transport}).CloseIdleConnections() }

func (v *vendor) Read(ctx context.Context, take func(string) bool) error {
	stream := v.client.Chat.Completions.NewStreaming(ctx, sdk.ChatCompletionNewParams{
		Model:    model,
		Messages: []sdk.ChatCompletionMessageParamUnion{sdk.UserMessage(question)},
	})
	defer func() { _ = stream.Close() }() // It was read, or is given up.
	for stream.Next() {
		chunk := stream.Current()
		if len(chunk.Choices) > 0 && chunk.Choices[0].Delta.Content != "" && !take(chunk.Choices[0].Delta.Content) {
			return nil
		}
	}
	return stream.Err()
}
