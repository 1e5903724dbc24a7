package pipeline_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider"
)

// What asking again cannot mend is sent once, whatever the attempts that are
// left and the models that could stand in.
func TestWhatMustNotBeRetriedIsSentOnce(t *testing.T) {
	for _, c := range []struct {
		name, blocks string
		kind         provider.ErrorKind
	}{
		{"a request that is refused in the stream", `{"text":"half"},{"fault":"error","type":"invalid_request_error","message":"no"}`, "provider_error"},
		{"no money in the stream", `{"fault":"error","type":"insufficient_quota","message":"no"}`, "provider_error"},
		{"a number of 4xx in the stream", `{"text":"half"},{"fault":"error","code":402,"message":"no"}`, "provider_error"},
		{"no money", `{"fault":"http","status":429,"type":"insufficient_quota"}`, "http_error"},
		{"no money by code", `{"fault":"http","status":429,"code":"billing_hard_limit_reached"}`, "http_error"},
		{"a web page", `{"fault":"html"}`, "not_a_stream"},
		{"a redirect to somewhere", `{"fault":"http","status":302}`, "http_error"},
		{"too large", `{"text":{"repeat":"word ","bytes":200000}}`, "too_large"},
		{"bad arguments, strict", `{"call":"look","arguments":"{bad"}`, "bad_arguments"},
	} {
		for _, dialect := range dialects {
			t.Run(c.name+" "+dialect, func(t *testing.T) {
				tool := &recorder{}
				within(t, setting{
					dialect: dialect, script: always(c.blocks), messageBytes: 100_000,
					config: pipeline.Config{Tools: registry(t, tool.tool("look")), Fallback: []string{"another"}, StrictArguments: true},
				}, func(t *testing.T, w *world) {
					events := w.run("go", nil)
					_, failed := delays(events)
					if n := len(w.requests()); n != 1 || len(failed) != 1 || failed[0].Retryable || failed[0].Kind != c.kind {
						t.Errorf("%d requests, failures %+v; want one of %s", n, failed, c.kind)
					}
					if end := last(t, events); end.Outcome != pipeline.Failed || end.Error.Kind != string(c.kind) {
						t.Errorf("the turn ended as %+v", end)
					}
					if _, n := tool.calls(); n > 0 {
						t.Error("a tool ran after an error")
					}
				})
			})
		}
	}
}

// B125: a cancel ends the wait for the next try at once; no request follows.
func TestB125ACancelEndsTheWait(t *testing.T) {
	for _, dialect := range dialects {
		t.Run(dialect, func(t *testing.T) {
			within(t, setting{
				dialect: dialect, script: `{"select":"sequence","steps":[{"blocks":[{"fault":"http","status":429,"retry_after":50}]},"fine"]}`,
			}, func(t *testing.T, w *world) {
				events := w.run("go", func(e pipeline.Event) {
					if _, ok := e.(pipeline.RetryScheduled); ok {
						w.sleep(5 * time.Second)
						<-w.session.Cancel(pipeline.CancelNow)
					}
				})
				if end := last(t, events); end.Outcome != pipeline.Canceled || end.DurationMS != 5000 {
					t.Errorf("the turn ended as %+v", end)
				}
				w.sleep(time.Hour)
				if d := cmp.Diff([]time.Duration{0}, w.requests()); d != "" {
					t.Errorf("requests (-want +got):\n%s", d)
				}
				if end := last(t, w.run("again", nil)); end.Text != "fine" {
					t.Errorf("the next turn ended as %+v", end)
				}
			})
		})
	}
}

// A step that fails for good after steps that ran tools leaves their calls and
// results in the history, which a strict server takes.
func TestAFailingStepKeepsTheHistoryValid(t *testing.T) {
	for _, fault := range []string{`{"fault":"http","status":400}`, `{"text":"I"},{"call":"look"},{"fault":"error","code":400}`, `{"call":"look","arguments":"{","id":""},{"fault":"error","code":"403"}`} {
		for _, dialect := range dialects {
			t.Run(dialect+" "+fault, func(t *testing.T) {
				tool := &recorder{}
				within(t, setting{
					dialect: dialect, config: pipeline.Config{Tools: registry(t, tool.tool("look"))},
					script: `{"select":"sequence","steps":[
					 {"blocks":[{"call":"look","id":"a"},{"call":"look","id":"b","arguments":"[not an object"}]},
					 {"blocks":[{"text":"once more"},{"call":"look","id":"c"}]},
					 {"blocks":[` + fault + `]},
					 "fine"]}`,
				}, func(t *testing.T, w *world) {
					events := w.run("go", nil)
					if end := last(t, events); end.Outcome != pipeline.Failed || end.Steps != 3 || end.Text != "once more" {
						t.Errorf("the turn ended as %+v", end)
					}
					next := w.run("again", nil)
					if end := last(t, next); end.Text != "fine" {
						t.Errorf("the next turn ended as %+v", end)
					}
					if d := cmp.Diff([]string{
						"user", "assistant a b", "tool a b", "assistant c", "tool c", "user",
					}, callShape(w.server.Requests()[3].Decoded.Messages)); d != "" {
						t.Errorf("the history (-want +got):\n%s", d)
					}
					if _, n := tool.calls(); n != 2 {
						t.Errorf("%d calls ran, want a and c", n)
					}
				})
			})
		}
	}
}

// callShape is the roles of messages with the ids of their calls.
func callShape(messages []provider.Message) []string {
	var all []string
	for _, m := range messages {
		s := string(m.Role)
		for _, b := range m.Blocks {
			switch b := b.(type) {
			case provider.ToolCall:
				s += " " + b.ID
			case provider.ToolResult:
				s += " " + b.Call
			}
		}
		all = append(all, s)
	}
	return all
}

// When the attempts of a model are spent the next one named goes on, with
// attempts of its own and without a wait, and keeps the rest of the turn.
func TestFallbackModelsGoOn(t *testing.T) {
	down := `{"blocks":[{"text":"half"},{"fault":"cut"}]}`
	for _, dialect := range dialects {
		t.Run(dialect, func(t *testing.T) {
			tool := &recorder{}
			within(t, setting{
				dialect: dialect,
				script:  `{"select":"sequence","steps":[` + down + `,` + down + `,` + down + `,{"blocks":[{"call":"look"}]},` + down + `,` + down + `,"fine","fine"]}`,
				config: pipeline.Config{
					Model: "first", Fallback: []string{"second", "third"},
					Tools: registry(t, tool.tool("look")), Limits: pipeline.Limits{Attempts: 2},
				},
			}, func(t *testing.T, w *world) {
				events := w.run("go", nil)
				if end := last(t, events); end.Outcome != pipeline.Completed || end.Text != "fine" || end.Steps != 2 {
					t.Errorf("the turn ended as %+v", end)
				}
				var told []string
				for _, e := range events {
					if n, ok := e.(pipeline.Notice); ok {
						told = append(told, n.Code+" "+n.Model)
					}
				}
				if d := cmp.Diff([]string{"fallback second", "fallback third"}, told); d != "" {
					t.Errorf("notices (-want +got):\n%s", d)
				}
				w.run("again", nil)
				var asked []string
				for _, r := range w.server.Requests() {
					asked = append(asked, r.Decoded.Model)
				}
				want := []string{"first", "first", "second", "second", "second", "second", "third", "first"}
				if d := cmp.Diff(want, asked); d != "" {
					t.Errorf("models asked (-want +got):\n%s", d)
				}
				if got := gaps(w.requests()); got[1] != 0 || got[5] != 0 {
					t.Errorf("a model that stands in was waited for: %v", got)
				}
			})
		})
	}
}

// The idle timeout counts silence of the server, not of the reader: one who
// leaves in the middle of an answer for longer finds it whole.
func TestIdleTimeoutDoesNotCountTheReadersTime(t *testing.T) {
	for _, dialect := range dialects {
		t.Run(dialect, func(t *testing.T) {
			within(t, setting{
				dialect: dialect, idle: 90 * time.Second,
				script: `{"steps":[{"split":2000,"blocks":[{"text":{"repeat":"a slow river; ","bytes":2000000}}]}]}`,
			}, func(t *testing.T, w *world) {
				slept, got := 0, 0
				events := w.run("go", func(e pipeline.Event) {
					d, ok := e.(pipeline.TextDelta)
					if !ok {
						return
					}
					got += len(d.Text)
					if got >= slept*400_000 && slept < 3 {
						slept++
						w.sleep(10 * time.Minute)
					}
				})
				if end := last(t, events); end.Outcome != pipeline.Completed || len(end.Text) != 2_000_000 {
					t.Errorf("the turn ended as %s after %d bytes", end.Outcome, len(end.Text))
				}
				if n := len(w.requests()); n != 1 || slept != 3 || time.Since(w.began) != 30*time.Minute {
					t.Errorf("%d requests, slept %d times, took %v", n, slept, time.Since(w.began))
				}
			})
		})
	}
}

// The same silence, while the reader waits for more, is the server's.
func TestIdleTimeoutCountsTheServersSilence(t *testing.T) {
	for _, dialect := range dialects {
		t.Run(dialect, func(t *testing.T) {
			within(t, setting{
				dialect: dialect, idle: 90 * time.Second, config: pipeline.Config{Limits: pipeline.Limits{Attempts: 1}},
				script: `{"steps":[{"blocks":[{"text":["a",{"wait_ms":89000},"b",{"wait_ms":89000},"c",{"wait_ms":91000},"d"]}]}]}`,
			}, func(t *testing.T, w *world) {
				events := w.run("go", nil)
				if end := last(t, events); end.Error == nil || end.Error.Kind != "idle_timeout" || end.DurationMS != (89+89+90)*1000 {
					t.Errorf("the turn ended as %+v", end)
				}
				if text(events) != "abc" {
					t.Errorf("shown was %q", text(events))
				}
			})
		})
	}
}

// A step that breaks while nobody reads is asked again only when the reader is
// back: what it pays for is to be read.
func TestABrokenStepWaitsForItsReader(t *testing.T) {
	for _, dialect := range dialects {
		t.Run(dialect, func(t *testing.T) {
			within(t, setting{
				dialect: dialect, script: `{"select":"sequence","steps":[{"blocks":[{"text":"half"},{"fault":"reset"}]},"fine"]}`,
				config: pipeline.Config{Limits: pipeline.Limits{ReaderWindow: 1}},
			}, func(t *testing.T, w *world) {
				away := false
				events := w.run("go", func(e pipeline.Event) {
					if _, ok := e.(pipeline.TextDelta); ok && !away {
						away = true
						w.sleep(time.Hour)
						if n := len(w.requests()); n != 1 {
							t.Errorf("%d requests while nobody read", n)
						}
					}
				})
				if end := last(t, events); end.Text != "fine" {
					t.Errorf("the turn ended as %+v", end)
				}
				if n := len(w.requests()); n != 2 {
					t.Errorf("%d requests, want 2", n)
				}
			})
		})
	}
}
