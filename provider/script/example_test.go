package script_test

import (
	"context"
	"fmt"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/script"
)

func Example() {
	s, err := script.Parse([]byte(`{"steps": [
		{"blocks": [{"text": ["It is ", "a Go ", "module."]}]}
	]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	p := script.New(s)
	req := provider.Request{Messages: []provider.Message{
		{Role: provider.User, Blocks: []provider.Block{provider.Text{Text: "What is it?"}}},
	}}
	for d, err := range p.Stream(context.Background(), req) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%q more=%v stop=%q\n", d.Text, d.More, d.Stop)
	}
	// Output:
	// "It is " more=true stop=""
	// "a Go " more=true stop=""
	// "module." more=true stop=""
	// "" more=false stop="stop"
}
