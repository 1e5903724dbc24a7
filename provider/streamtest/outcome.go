package streamtest

import (
	"encoding/json"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/weir-agents/weir/provider"
)

// Outcome is what a reader made of a response.
type Outcome struct {
	Text, Thinking string // after an error: what had come up to then
	Calls          []provider.ToolCall
	ThinkingBlocks []provider.Thinking
	Stop           provider.StopReason
	Usage          *provider.Usage
	Err            error // nil: completed
	Took           time.Duration
}

// Request is a small request to send; what it says does not matter.
func Request() provider.Request {
	return provider.Request{
		Model:    "any",
		Messages: []provider.Message{{Role: provider.User, Blocks: []provider.Block{provider.Text{Text: "Ahoy"}}}},
		IDPrefix: "t1s1a1",
	}
}

// Collect reads stream to its end and reports to t where it breaks the
// contract of a Provider.
func Collect(t testing.TB, stream iter.Seq2[provider.Delta, error]) Outcome {
	t.Helper()
	var o Outcome
	var a provider.Assembly
	begun := time.Now()
	for d, err := range stream {
		if o.Err != nil || a.Finished() {
			t.Errorf("a delta after the end: %+v, %v", d, err)
		}
		if err != nil {
			o.Err = err
			continue
		}
		if text := d.Kind == provider.TextDelta || d.Kind == provider.ThinkingDelta; text && d.Text == "" {
			t.Errorf("an empty delta: %+v", d)
		}
		a.Add(d)
	}
	o.Took = time.Since(begun)
	if o.Err == nil && !a.Finished() {
		t.Error("the stream ended with neither a finish nor an error")
	}
	if o.Err != nil {
		o.Usage = provider.AsError(o.Err).Usage
	} else {
		o.Stop, o.Usage = a.Stop(), a.Usage()
	}
	o.take(a.Message())
	return o
}

func (o *Outcome) take(m provider.Message) {
	for _, b := range m.Blocks {
		switch b := b.(type) {
		case provider.Text:
			o.Text += b.Text
		case provider.Thinking:
			o.Thinking += b.Text
			o.ThinkingBlocks = append(o.ThinkingBlocks, b)
		case provider.ToolCall:
			if o.Err == nil { // after an error no call may be run
				o.Calls = append(o.Calls, b)
			}
		}
	}
}

// Check compares o with what the case expects.
func (c Case) Check(t testing.TB, o Outcome) {
	t.Helper()
	c.checkEnd(t, o)
	if o.Text != c.Expect.Text {
		t.Errorf("text %q, want %q", short(o.Text), short(c.Expect.Text))
	}
	if o.Thinking != c.Expect.Thinking {
		t.Errorf("thinking %q, want %q", o.Thinking, c.Expect.Thinking)
	}
	switch want := c.Expect.Usage; {
	case want == nil && o.Usage != nil:
		t.Errorf("usage %+v, want none", *o.Usage)
	case want != nil && (o.Usage == nil || o.Usage.Input != want.Input || o.Usage.Output != want.Output):
		t.Errorf("usage %+v, want %+v", o.Usage, *want)
	}
	c.checkThinkingBlocks(t, o.ThinkingBlocks)
	if len(o.Calls) != len(c.Expect.ToolCalls) {
		t.Fatalf("%d calls, want %d: %+v", len(o.Calls), len(c.Expect.ToolCalls), o.Calls)
	}
	for i, want := range c.Expect.ToolCalls {
		want.check(t, o.Calls, i)
	}
	if limit := c.Limit(); o.Took > limit {
		t.Errorf("it took %v, more than %v", o.Took, limit)
	}
}

func (c Case) checkThinkingBlocks(t testing.TB, got []provider.Thinking) {
	t.Helper()
	if c.Expect.ThinkingBlocks == nil {
		return
	}
	var blocks []json.RawMessage
	for _, b := range got {
		if b.Redacted != "" {
			blocks = append(blocks, encode(map[string]string{"type": "redacted_thinking", "data": b.Redacted}))
			continue
		}
		blocks = append(blocks, encode(map[string]string{"type": "thinking", "thinking": b.Text, "signature": b.Signature}))
	}
	if !slices.EqualFunc(blocks, c.Expect.ThinkingBlocks, sameJSON) {
		t.Errorf("thinking blocks %s, want %s", blocks, c.Expect.ThinkingBlocks)
	}
}

func short(text string) string { return text[:min(len(text), 200)] }
