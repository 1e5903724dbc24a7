package pipeline_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/script"
)

// answering is a model that answers each request by a function of it.
func answering(answer func(provider.Request) script.Step) *script.Provider {
	return script.New(script.Script{Loop: script.LoopLast, Steps: []script.Step{{Func: answer}}})
}

// says is a step that says text.
func says(text string) script.Step {
	return script.Step{Split: script.Whole, Blocks: []script.Block{script.Text{Text: text}}}
}

// narrow answers as a server whose window is real: it counts three bytes for a
// token, more tokens than weir estimates, and refuses what is too long.
func narrow(window int, answer func(provider.Request) script.Step) func(provider.Request) script.Step {
	return func(req provider.Request) script.Step {
		if pipeline.EstimateTokens(req)*4/3 > window {
			return script.Step{Blocks: []script.Block{script.Fault{
				Kind: script.HTTP, Status: 400, Message: fmt.Sprintf("maximum context length is %d tokens", window),
			}}}
		}
		return answer(req)
	}
}

func userSays(text string) provider.Message {
	return provider.Message{Role: provider.User, Blocks: []provider.Block{provider.Text{Text: text}}}
}

func modelSays(text string) provider.Message {
	return provider.Message{Role: provider.Assistant, Blocks: []provider.Block{provider.Text{Text: text}}}
}

// called is a step of the model with one call, and its result.
func called(id, result string) []provider.Message {
	return []provider.Message{
		{Role: provider.Assistant, Blocks: []provider.Block{provider.ToolCall{ID: id, Name: "look", Arguments: []byte(`{}`), Raw: `{}`}}},
		{Role: provider.Tool, Blocks: []provider.Block{provider.ToolResult{Call: id, Name: "look", Text: result}}},
	}
}

// roles is a conversation in a few letters: a summary, users, assistants, tools.
func roles(messages []provider.Message) string {
	var b strings.Builder
	for _, m := range messages {
		switch {
		case strings.HasPrefix(m.Text(), "Summary of the conversation"):
			b.WriteByte('S')
		default:
			b.WriteString(string(m.Role)[:1])
		}
	}
	return b.String()
}

func TestWhatACompactionKeeps(t *testing.T) {
	big := strings.Repeat("word ", 1000) // 1,250 tokens of a room of 2,000
	join := func(parts ...[]provider.Message) (all []provider.Message) {
		for _, p := range parts {
			all = append(all, p...)
		}
		return all
	}
	u, a := []provider.Message{userSays("hi")}, []provider.Message{modelSays("hello")}
	for _, c := range []struct {
		name string
		in   []provider.Message
		keep int
		want string
	}{
		{"the newest turns, from a user's message", join(u, a, u, a, u, a), 4, "Suaua"},
		{"no more than Keep", join(u, a, u, a, u, a), 3, "Sua"},
		{"a prompt nobody has answered, always", join(u, a, u), 10, "Su"},
		{"a short talk becomes a summary", join(u, a), 10, "S"},
		{"steps of one long turn, from an assistant's message", join(u, called("a", big), called("b", "x"), called("c", "y")), 10, "Satat"},
		{"no call without its result", join(u, called("a", "x"), called("b", big)), 10, "S"},
		{"a large prompt goes, its steps stay", join([]provider.Message{userSays(big + big)}, called("a", "x")), 10, "Sat"},
		{"an older summary goes into the new one", join([]provider.Message{userSays("Summary of the conversation so far. It stands in the place of the older messages, which are gone:\n\nx")}, a, u, a, u), 1, "Su"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := answering(func(provider.Request) script.Step { return says("it was so") })
			out, used, err := pipeline.Compact(t.Context(), p, provider.Request{Model: "m", Messages: c.in}, pipeline.Compaction{ContextTokens: 3000, Keep: c.keep})
			if err != nil || roles(out) != c.want || used.Input == 0 {
				t.Fatalf("got %q, used %+v, %v; want %q", roles(out), used, err, c.want)
			}
			if err := provider.CheckHistory(out); err != nil {
				t.Error(err)
			}
			if !strings.Contains(out[0].Text(), "it was so") {
				t.Errorf("no summary in %q", out[0].Text())
			}
		})
	}
	for name, in := range map[string][]provider.Message{"nothing": nil, "one prompt": u, "prompts alone": join(u, u)} {
		if _, _, err := pipeline.Compact(t.Context(), answering(nil), provider.Request{Messages: in}, pipeline.Compaction{}); !errors.Is(err, pipeline.ErrNothing) {
			t.Errorf("%s: %v, want ErrNothing", name, err)
		}
	}
}

// The words of the request that is being worked on survive any number of
// compactions within its turn.
func TestACompactionQuotesTheRequestThatIsWorkedOn(t *testing.T) {
	p := answering(func(provider.Request) script.Step { return says("half done") })
	messages := append([]provider.Message{userSays("hello"), modelSays("hi"), userSays("rename Foo to Bar, but only in a.go")}, called("a", strings.Repeat("x ", 3000))...)
	for i := range 3 {
		out, _, err := pipeline.Compact(t.Context(), p, provider.Request{Messages: messages}, pipeline.Compaction{ContextTokens: 3000})
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(out[0].Text(), "rename Foo to Bar, but only in a.go"); n != 1 {
			t.Fatalf("compaction %d has the request %d times: %q", i, n, out[0].Text())
		}
		messages = append(out, called(fmt.Sprint("n", i), strings.Repeat("y ", 3000))...)
	}
}

// B121: a conversation of many windows is summarized by requests that all fit,
// even where a token is less than the estimate takes it for.
func TestB121ASummaryRequestAlwaysFits(t *testing.T) {
	for _, window := range []int{1500, 8000} {
		for name, one := range map[string]string{"many messages": strings.Repeat("word ", 40), "one huge message": strings.Repeat("word ", window*8)} {
			t.Run(fmt.Sprint(window, " ", name), func(t *testing.T) {
				var in []provider.Message
				for n := 0; n < window*40; n += len(one) {
					in = append(in, userSays("and this? "+one), modelSays("it is "+one))
				}
				p := answering(narrow(window, func(provider.Request) script.Step { return says(strings.Repeat("so it was. ", 5000)) }))
				out, _, err := pipeline.Compact(t.Context(), p, provider.Request{Model: "m", Messages: in}, pipeline.Compaction{ContextTokens: window})
				if err != nil {
					t.Fatalf("after %d requests: %v", len(p.Requests()), err)
				}
				if n := len(p.Requests()); n > 40 {
					t.Errorf("%d requests for one compaction", n)
				}
				if n := pipeline.EstimateTokens(provider.Request{Messages: out}); n > window*85/100 {
					t.Errorf("%d tokens are left in a window of %d", n, window)
				}
			})
		}
	}
}

func TestASummaryIsAskedForAtMostThreeTimes(t *testing.T) {
	fault := func(f script.Fault) script.Step { return script.Step{Blocks: []script.Block{f}} }
	for _, c := range []struct {
		name  string
		steps []script.Step // the last repeats
		tries int
		want  string // in the error; "" for none
	}{
		{"empty", []script.Step{{}}, 3, "empty summary"},
		{"blank", []script.Step{says(" \n")}, 3, "empty summary"},
		{"thinking alone", []script.Step{{Blocks: []script.Block{script.Thinking{Text: "hm"}}}}, 3, "empty summary"},
		{"overloaded", []script.Step{fault(script.Fault{Kind: script.HTTP, Status: 529})}, 3, "529"},
		{"empty twice, then one", []script.Step{{}, {}, says("so it was")}, 3, ""},
		{"cut off, then one", []script.Step{fault(script.Fault{Kind: script.Reset}), says("so it was")}, 2, ""},
		{"a bad key", []script.Step{fault(script.Fault{Kind: script.HTTP, Status: 401})}, 1, "401"},
		{"a wait of an hour", []script.Step{fault(script.Fault{Kind: script.HTTP, Status: 429, RetryAfter: "3600"})}, 1, "429"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked := 0
				p := answering(func(provider.Request) script.Step {
					asked++
					return c.steps[min(asked, len(c.steps))-1]
				})
				_, _, err := pipeline.Compact(t.Context(), p, provider.Request{Messages: []provider.Message{userSays("hi"), modelSays("hello")}}, pipeline.Compaction{})
				if asked != c.tries || (c.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
					t.Errorf("asked %d times, want %d: %v, want %q", asked, c.tries, err, c.want)
				}
			})
		})
	}
}

// fullDisk is a provider whose requests never leave the machine.
type fullDisk struct{ asked *int }

func (b fullDisk) Stream(context.Context, provider.Request) iter.Seq2[provider.Delta, error] {
	return func(yield func(provider.Delta, error) bool) {
		*b.asked++
		yield(provider.Delta{}, &fs.PathError{Op: "write", Path: "record", Err: errors.New("no space left on device")})
	}
}

func TestB110ALocalErrorIsNotAskedAgain(t *testing.T) {
	asked := 0
	_, _, err := pipeline.Compact(t.Context(), fullDisk{&asked}, provider.Request{Messages: []provider.Message{userSays("hi"), modelSays("hello")}}, pipeline.Compaction{})
	if asked != 1 || err == nil || !strings.Contains(err.Error(), "no space left on device") {
		t.Errorf("asked %d times: %v", asked, err)
	}
}

func TestASummaryIsAskedForWithoutTools(t *testing.T) {
	p := answering(func(provider.Request) script.Step { return says("so it was") })
	_, _, err := pipeline.Compact(t.Context(), p, provider.Request{
		Model: "m", System: "you are weir", Tools: []provider.ToolSpec{{Name: "look", Schema: []byte(`{"type":"object"}`)}},
		Extra:    map[string]json.RawMessage{"tool_choice": json.RawMessage(`"required"`), "user": json.RawMessage(`"me"`)},
		Messages: append([]provider.Message{userSays("hi")}, called("a", "x")...),
	}, pipeline.Compaction{Prompt: "sum up"})
	if err != nil {
		t.Fatal(err)
	}
	got := p.Requests()[0]
	text := got.Messages[0].Text()
	got.Messages = nil
	want := provider.Request{Model: "m", System: "sum up", MaxTokens: 8192, IDPrefix: "compact_", Extra: map[string]json.RawMessage{"user": json.RawMessage(`"me"`)}}
	if d := cmp.Diff(want, got); d != "" || !strings.Contains(text, "[calls look {}]") || !strings.Contains(text, "[look answered]\nx") {
		t.Errorf("the request (-want +got):\n%s\nasks %q", d, text)
	}
}

// B037: whatever the conversation and the window, what a compaction leaves is
// one that a strict vendor accepts, its newest messages are the old ones, and no
// request for a summary is larger than the window.
func TestB037AnyCompactionLeavesAValidHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawHistory(t)
		c := pipeline.Compaction{
			ContextTokens: rapid.IntRange(600, 20_000).Draw(t, "window"),
			Keep:          rapid.IntRange(1, 12).Draw(t, "keep"), At: rapid.Float64Range(0.5, 1).Draw(t, "at"),
		}
		summary := strings.Repeat("é ", rapid.IntRange(1, 4000).Draw(t, "summary"))
		p := answering(func(provider.Request) script.Step { return says(summary) })
		before := cmp.Diff(nil, in)
		out, _, err := pipeline.Compact(context.Background(), p, provider.Request{Model: "m", Messages: in}, c)
		if before != cmp.Diff(nil, in) {
			t.Fatal("the conversation that was given has changed")
		}
		for _, req := range p.Requests() {
			if n := pipeline.EstimateTokens(req); n > c.ContextTokens {
				t.Fatalf("a request of %d tokens for a window of %d", n, c.ContextTokens)
			}
		}
		if err != nil {
			if !errors.Is(err, pipeline.ErrNothing) && !strings.Contains(err.Error(), "no room") {
				t.Fatal(err)
			}
			return
		}
		if err := provider.CheckHistory(out); err != nil {
			t.Fatalf("%s became %s: %v", roles(in), roles(out), err)
		}
		if tail := out[1:]; !cmp.Equal(tail, in[len(in)-len(tail):]) {
			t.Fatalf("%s became %s, whose end is not the old one", roles(in), roles(out))
		}
		if n := len(in); in[n-1].Role == provider.User && !cmp.Equal(out[len(out)-1], in[n-1]) {
			t.Fatal("the prompt at the end is gone")
		}
	})
}

func drawHistory(t *rapid.T) (all []provider.Message) {
	text := func(name string) string { return strings.Repeat("wörd ", rapid.IntRange(1, 600).Draw(t, name)) }
	for turn := range rapid.IntRange(1, 12).Draw(t, "turns") {
		all = append(all, userSays(text("prompt")))
		for step := range rapid.IntRange(0, 5).Draw(t, "steps") {
			said := provider.Message{Role: provider.Assistant}
			results := provider.Message{Role: provider.Tool}
			for n := range rapid.IntRange(1, 4).Draw(t, "calls") {
				id := fmt.Sprintf("c%d_%d_%d", turn, step, n)
				said.Blocks = append(said.Blocks, provider.ToolCall{ID: id, Name: "look", Raw: "{}"})
				results.Blocks = append(results.Blocks, provider.ToolResult{Call: id, Name: "look", Text: text("result")})
			}
			all = append(all, said, results)
			if rapid.IntRange(0, 5).Draw(t, "joins") == 0 {
				all = append(all, userSays(text("joined")))
			}
		}
		if rapid.IntRange(0, 6).Draw(t, "ends") > 0 {
			all = append(all, modelSays(text("answer")))
		}
	}
	return all
}
