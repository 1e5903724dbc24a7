package anthropic_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/anthropic"
	"github.com/weir-agents/weir/provider/script"
	"github.com/weir-agents/weir/provider/sim"
)

func ExampleClient_Stream() {
	// In the place of the vendor's own API.
	server := httptest.NewServer(sim.New(script.Script{Steps: []script.Step{
		{Blocks: []script.Block{script.Text{Text: "It is a low dam."}}},
	}}, sim.Config{Key: "secret"}))
	defer server.Close()

	client, err := anthropic.New(anthropic.Config{BaseURL: server.URL, APIKey: "secret"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	req := provider.Request{
		Model: "claude-opus-5",
		Messages: []provider.Message{
			{Role: provider.User, Blocks: []provider.Block{provider.Text{Text: "What is a weir?"}}},
		},
	}
	for delta, err := range client.Stream(context.Background(), req) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Print(delta.Text)
	}
	// Output: It is a low dam.
}
