package provider_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/provider"
)

// scripted is a model that cannot stream.
type scripted struct {
	message provider.Message
	stop    provider.StopReason
	usage   *provider.Usage
	err     error
	asked   int
}

func (s *scripted) Generate(ctx context.Context, _ provider.Request) (provider.Message, provider.StopReason, *provider.Usage, error) {
	s.asked++
	if ctx.Err() != nil {
		return provider.Message{}, "", nil, ctx.Err()
	}
	return s.message, s.stop, s.usage, s.err
}

// yields is a provider of fixed deltas and then an error, if there is one.
type yields struct {
	deltas []provider.Delta
	err    error
}

func (y yields) Stream(context.Context, provider.Request) iter.Seq2[provider.Delta, error] {
	return func(yield func(provider.Delta, error) bool) {
		for _, d := range y.deltas {
			if !yield(d, nil) {
				return
			}
		}
		if y.err != nil {
			yield(provider.Delta{}, y.err)
		}
	}
}

func everyBlock() provider.Message {
	return provider.Message{Role: provider.Assistant, Blocks: []provider.Block{
		provider.Thinking{Text: "hm", Signature: "s"},
		provider.Thinking{Redacted: "r"},
		provider.Text{Text: "look:"},
		provider.Text{},
		provider.ToolCall{ID: "c", Name: "x", Arguments: json.RawMessage(`{"n":1}`), Raw: `{"n":1}`},
		provider.Opaque{Dialect: "anthropic", Raw: json.RawMessage(`{"type":"t"}`)},
	}}
}

func TestAGeneratorIsAProvider(t *testing.T) {
	usage := &provider.Usage{Input: 3, Output: 2}
	g := &scripted{message: everyBlock(), stop: provider.StopToolCalls, usage: usage}
	stream := provider.FromGenerator(g).Stream(t.Context(), provider.Request{})
	if g.asked != 0 {
		t.Error("it was asked before the loop")
	}
	var a provider.Assembly
	n, finishes := 0, 0
	for d, err := range stream {
		if err != nil {
			t.Fatal(err)
		}
		n++
		if d.More == (d.Kind == provider.FinishDelta) {
			t.Errorf("delta %d has More %v", n, d.More)
		}
		if d.Kind == provider.FinishDelta {
			finishes++
		} else if finishes > 0 {
			t.Error("a delta after the finish")
		}
		a.Add(d)
	}
	if finishes != 1 || a.Stop() != provider.StopToolCalls || a.Usage() != usage || g.asked != 1 {
		t.Errorf("%d finishes, stop %q, usage %v, asked %d times", finishes, a.Stop(), a.Usage(), g.asked)
	}
	if d := cmp.Diff(everyBlock(), a.Message()); d != "" {
		t.Error(d)
	}
}

func TestAGeneratorThatFails(t *testing.T) {
	wrong := &provider.Error{Kind: provider.HTTPError, Status: 500}
	for range 2 {
		n := 0
		for _, err := range provider.FromGenerator(&scripted{err: wrong}).Stream(t.Context(), provider.Request{}) {
			if n++; !errors.Is(err, wrong) {
				t.Errorf("got %v", err)
			}
		}
		if n != 1 {
			t.Errorf("%d yields", n)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := provider.Complete(ctx, provider.FromGenerator(&scripted{}), provider.Request{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestLeavingAGeneratorsLoop(t *testing.T) {
	for stop := 1; stop <= 8; stop++ {
		n := 0
		for range provider.FromGenerator(&scripted{message: everyBlock()}).Stream(t.Context(), provider.Request{}) {
			if n++; n == stop {
				break
			}
		}
		if n != stop {
			t.Errorf("%d deltas after leaving at %d", n-stop, stop)
		}
	}
}

func TestDeltasAreFollowedByAFinish(t *testing.T) {
	var got []provider.Delta
	for d := range provider.Deltas(provider.Message{Blocks: []provider.Block{
		provider.Text{Text: "a"},
		provider.Text{},
		provider.Thinking{Text: "b"},
		provider.ToolCall{ID: "c", Name: "x", Raw: "{}"},
	}}) {
		got = append(got, d)
	}
	want := []provider.Delta{
		{Kind: provider.TextDelta, More: true, Text: "a"},
		{Kind: provider.ThinkingDelta, More: true, Block: 2, Text: "b"},
		{Kind: provider.ToolCallDelta, More: true, Block: 3, ID: "c", Name: "x", Text: "{}"},
		{Kind: provider.BlockDelta, More: true, Block: 3, Done: provider.ToolCall{ID: "c", Name: "x", Raw: "{}"}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestCompleteGivesAWholeMessageOrNone(t *testing.T) {
	broken := &provider.Error{Kind: provider.IdleTimeout, Retryable: true}
	for name, c := range map[string]struct {
		stream yields
		want   string
		err    error
	}{
		"whole":          {yields{deltas: []provider.Delta{text(0, "a"), text(0, "b"), finish(provider.StopEnd)}}, "ab", nil},
		"broken":         {yields{deltas: []provider.Delta{text(0, "a")}, err: broken}, "", broken},
		"canceled":       {yields{err: context.Canceled}, "", context.Canceled},
		"without finish": {yields{deltas: []provider.Delta{text(0, "a")}}, "", nil},
	} {
		m, err := provider.Complete(t.Context(), c.stream, provider.Request{})
		if m.Text() != c.want {
			t.Errorf("%s: %q", name, m.Text())
		}
		switch {
		case name == "without finish":
			if e := provider.AsError(err); e.Kind != provider.TruncatedStream || !e.Retryable {
				t.Errorf("%s: %v", name, err)
			}
		case !errors.Is(err, c.err):
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && m.Blocks != nil {
			t.Errorf("%s: a message beside the error", name)
		}
	}
}

func TestEveryErrorIsOurs(t *testing.T) {
	own := &provider.Error{Kind: provider.BadJSON, Message: "no"}
	if got := provider.AsError((*provider.Error)(nil)); got.Kind != provider.ProviderError || got.Retryable {
		t.Errorf("a nil *Error became %+v", got)
	}
	if provider.AsError(errors.Join(errors.New("a"), own)) != own {
		t.Error("ours was not found")
	}
	dial := errors.New("dial tcp: no route")
	got := provider.AsError(dial)
	if got.Kind != provider.Unreachable || !got.Retryable || !errors.Is(got, dial) || got.Error() != "unreachable: dial tcp: no route" {
		t.Errorf("got %#v", got)
	}
	if got := (&provider.Error{Kind: provider.Panicked}).Error(); got != "panic" {
		t.Errorf("got %q", got)
	}
}

func TestMessagesKnowWhatTheyHold(t *testing.T) {
	for name, c := range map[string]struct {
		blocks []provider.Block
		text   string
		calls  int
		empty  bool
	}{
		"nothing":  {nil, "", 0, true},
		"no words": {[]provider.Block{provider.Text{}, provider.Thinking{Text: "hm"}}, "", 0, true},
		"words":    {[]provider.Block{provider.Text{Text: "a"}, provider.Thinking{Text: "hm"}, provider.Text{Text: "b"}}, "ab", 0, false},
		"a call":   {[]provider.Block{provider.ToolCall{}}, "", 1, false},
		"opaque":   {[]provider.Block{provider.Opaque{}}, "", 0, false},
	} {
		m := provider.Message{Blocks: c.blocks}
		if m.Text() != c.text || len(m.Calls()) != c.calls || m.Empty() != c.empty {
			t.Errorf("%s: %q, %d calls, empty %v", name, m.Text(), len(m.Calls()), m.Empty())
		}
	}
}

func TestUsageAddsUp(t *testing.T) {
	got := provider.Usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, Reasoning: 5}.Add(
		provider.Usage{Input: 10, Output: 20, CacheRead: 30, CacheWrite: 40, Reasoning: 50, Estimated: true})
	want := provider.Usage{Input: 11, Output: 22, CacheRead: 33, CacheWrite: 44, Reasoning: 55, Estimated: true}
	if got != want {
		t.Errorf("got %+v", got)
	}
}
