package bench

import (
	"cmp"
	"context"
	"net/http"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// vendor is openai-go's stream, as its documentation uses it.
type vendor struct {
	source Source
	client sdk.Client
}

func openSDK(src Source) (Client, error) {
	return &vendor{src, sdk.NewClient(
		option.WithBaseURL(src.base()), option.WithAPIKey(cmp.Or(src.Key, "none")),
		option.WithHTTPClient(&http.Client{Transport: src.Transport}),
	)}, nil
}

func (v *vendor) Session() (Session, error) { return stateless(v.read), nil }
func (v *vendor) Close()                    { v.source.close() }

func (v *vendor) read(ctx context.Context, question string, take func(string) bool) error {
	stream := v.client.Chat.Completions.NewStreaming(ctx, sdk.ChatCompletionNewParams{
		Model:    v.source.modelName(),
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
