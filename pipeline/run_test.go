package pipeline_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider/script"
	"github.com/weir-agents/weir/tools"
)

func TestFirst(t *testing.T) {
	s, err := script.Parse([]byte(`{"steps":[{"blocks":[{"text":"I look. "},{"call":"read_file","arguments":{"path":"session.go","limit":2}},{"call":"list_dir","arguments":{}}]},{"blocks":[{"text":"Done it is."}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	ws, err := tools.OpenWorkspace(".")
	if err != nil {
		t.Fatal(err)
	}
	reg, err := tools.NewRegistry(tools.Builtin(ws, tools.Config{})...)
	if err != nil {
		t.Fatal(err)
	}
	p, err := pipeline.New(script.New(s), pipeline.Config{Tools: reg, PanicOnRefusal: true})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	sess, err := p.Open("")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for e, err := range sess.Run(context.Background(), "hi") {
			if err != nil {
				t.Fatal(err)
			}
			b, err := pipeline.AppendEvent(nil, e)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Println(strings.TrimSpace(string(b))[:min(200, len(b))])
		}
	}
}
