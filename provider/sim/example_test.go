package sim_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/openai"
	"github.com/weir-agents/weir/provider/script"
	"github.com/weir-agents/weir/provider/sim"
)

func Example() {
	s, err := script.Parse([]byte(`{"steps": [
		{"attempts": [
			{"blocks": [{"fault": "http", "status": 429, "retry_after": 2}]},
			{"blocks": [{"text": "It is a Go module."}]}
		]}
	]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	server := httptest.NewServer(sim.New(s, sim.Config{}))
	defer server.Close()
	p, err := openai.New(openai.Config{BaseURL: server.URL})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	req := provider.Request{Model: "any", Messages: []provider.Message{
		{Role: provider.User, Blocks: []provider.Block{provider.Text{Text: "What is it?"}}},
	}}
	_, err = provider.Complete(context.Background(), p, req)
	fmt.Println(provider.AsError(err).Status, provider.AsError(err).RetryAfter)
	m, err := provider.Complete(context.Background(), p, req)
	fmt.Println(m.Text(), err)
	// Output:
	// 429 2s
	// It is a Go module. <nil>
}
