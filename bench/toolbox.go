package bench

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/tools"
)

// toolbox holds the one tool of the benchmarks, which takes its time and returns
// so many bytes. It notes when its last call ended.
type toolbox struct{ ended atomic.Int64 }

type pauseArgs struct {
	MS    int `json:"ms" jsonschema:"how long it takes"`
	Bytes int `json:"bytes" jsonschema:"how much it returns"`
}

const pauseName = "pause"

// tool is the tool.
func (b *toolbox) tool() (tools.Tool, error) {
	return tools.New(tools.Spec{Name: pauseName, Description: "Waits.", Class: tools.ReadOnly, Timeout: 2 * time.Hour},
		func(ctx context.Context, _ tools.Call, a pauseArgs) tools.Result {
			wait(ctx, time.Duration(a.MS)*time.Millisecond)
			b.ended.Store(time.Now().UnixNano())
			return tools.Result{Text: strings.Repeat("o", a.Bytes)}
		})
}

// whole leaves a conversation as it is: no summary is asked for in what is measured.
var whole = pipeline.Compaction{Off: true}

// agent is a pipeline with that tool.
func agent(src Source, l pipeline.Limits, b *toolbox) (*pipeline.Pipeline, error) {
	m, err := src.model()
	if err != nil {
		return nil, err
	}
	tool, err := b.tool()
	if err != nil {
		return nil, err
	}
	registry, err := tools.NewRegistry(tool)
	if err != nil {
		return nil, err
	}
	return pipeline.New(m, pipeline.Config{Model: src.modelName(), Tools: registry, Limits: l, Compaction: whole})
}

// callsScript is a step with calls, the first of which takes head and the others
// rest, and a step with text; each begins after first.
func callsScript(first, rest time.Duration, calls int, head time.Duration, bytes int) string {
	var all []string
	for i := range calls {
		took := rest
		if i == 0 || rest == 0 {
			took = head
		}
		all = append(all, call(took, bytes))
	}
	return turnScript(first, strings.Join(all, ", "))
}

func call(took time.Duration, bytes int) string {
	return fmt.Sprintf(`{"call": %q, "arguments": {"ms": %d, "bytes": %d}}`, pauseName, took.Milliseconds(), bytes)
}

// turnScript is a step of blocks and a step with text, each after first.
func turnScript(first time.Duration, blocks string) string {
	return fmt.Sprintf(`{"first_ms": %g, "steps": [{"blocks": [%s]}, "It is done."]}`, ms(first), blocks)
}

// plainTurn is what a program would do without weir: ask, run the calls of the
// answer side by side, ask again.
func plainTurn(ctx context.Context, m provider.Provider, model, question string, tool tools.Tool) (results int, err error) {
	spec := tool.Spec()
	req := asked(model, question)
	req.Tools = []provider.ToolSpec{{Name: spec.Name, Description: spec.Description, Schema: spec.Schema}}
	for {
		answer, err := provider.Complete(ctx, m, req)
		if err != nil {
			return results, err
		}
		calls := answer.Calls()
		if len(calls) == 0 {
			return results, nil
		}
		req.Messages = append(req.Messages, answer, provider.Message{Role: provider.Tool, Blocks: runAll(ctx, tool, calls)})
		results += len(calls)
	}
}

// runAll runs calls side by side and returns their results in order.
func runAll(ctx context.Context, tool tools.Tool, calls []provider.ToolCall) []provider.Block {
	out := make([]provider.Block, len(calls))
	done := make(chan struct{})
	for i, c := range calls {
		go func() { // ends with its call
			r := tool.Run(ctx, tools.Call{ID: c.ID, Name: c.Name, Arguments: c.Arguments})
			out[i] = provider.ToolResult{Call: c.ID, Name: c.Name, Text: r.Text, IsError: !r.OK()}
			done <- struct{}{}
		}()
	}
	for range calls {
		<-done
	}
	return out
}

// errFailedCall says that a call did not do what it was to do.
var errFailedCall = errors.New("a call failed")

// weirTurn is the same turn by weir; told is called with the end of the last call.
func weirTurn(ctx context.Context, s *pipeline.Session, question string) (results int, last time.Time, err error) {
	for event, e := range s.Run(ctx, question) {
		switch v := event.(type) {
		case pipeline.ToolFinished:
			if !v.OK {
				err = fmt.Errorf("%w: %s", errFailedCall, v.Text[:min(len(v.Text), 200)])
			}
			results++
			last = time.Now()
		case pipeline.TurnEnded:
			if v.Error != nil {
				err = errors.New(v.Error.Message)
			}
		case nil:
			return results, last, e
		}
	}
	return results, last, err
}
