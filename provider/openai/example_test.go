package openai_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/openai"
)

// A local server needs no key; its address may come without /v1.
func ExampleClient_Stream() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"The tide turns \"}}]}\n\n"+
			"data: {\"choices\":[{\"delta\":{\"content\":\"at six.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	defer server.Close()

	client, err := openai.New(openai.Config{BaseURL: server.URL})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	request := provider.Request{
		Model:    "keel:7b",
		Messages: []provider.Message{{Role: provider.User, Blocks: []provider.Block{provider.Text{Text: "When does the tide turn?"}}}},
	}
	for delta, err := range client.Stream(context.Background(), request) {
		switch {
		case err != nil:
			fmt.Println(err) // a *provider.Error
		case delta.Kind == provider.TextDelta:
			fmt.Print(delta.Text)
		case delta.Kind == provider.FinishDelta:
			fmt.Println("|", delta.Stop)
		}
	}
	// Output: The tide turns at six.| stop
}
