package pipeline_test

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/anthropic"
	"github.com/weir-agents/weir/provider/openai"
	"github.com/weir-agents/weir/provider/script"
	"github.com/weir-agents/weir/provider/streamtest"
	"github.com/weir-agents/weir/tools"
)

// The recorded streams go through the whole pipeline: a real socket, the real
// client, a session with tools under the names that the answer calls. What
// follows the one answer is a script's, whose requests show the history.

const corpus = "../provider/testdata/streams"

// corpusAtOnce is how many cases run side by side: most of their time is waiting.
const corpusAtOnce = 12

// replay is one case in a session.
type replay struct {
	streamtest.Case
	server *streamtest.Server
	after  *script.Provider
	tool   *recorder
	events []pipeline.Event // of the first turn
	took   time.Duration    // from the request to what the reader made of it
	next   []pipeline.Event // of the turn after it
}

// thenAfter is a provider whose first answer comes from one provider and all
// others from another.
type thenAfter struct {
	provider.Provider
	after *script.Provider
	asked atomic.Int32
}

func (p *thenAfter) Stream(ctx context.Context, req provider.Request) iter.Seq2[provider.Delta, error] {
	if p.asked.Add(1) > 1 {
		return p.after.Stream(ctx, req)
	}
	return p.Provider.Stream(ctx, req)
}

// recorder notes the calls that ran.
type recorder struct {
	mu  sync.Mutex
	ran map[string]tools.Call // by id
	n   int
}

func (r *recorder) tool(name string) tools.Tool {
	return recording{name: name, in: r}
}

func (r *recorder) calls() (map[string]tools.Call, int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.ran), r.n
}

type recording struct {
	name string
	in   *recorder
}

func (r recording) Spec() tools.Spec {
	return tools.Spec{Name: r.name, Description: "notes that it ran", Schema: []byte(`{"type":"object"}`)}
}

func (r recording) Run(_ context.Context, c tools.Call) tools.Result {
	r.in.mu.Lock()
	defer r.in.mu.Unlock()
	if r.in.ran == nil {
		r.in.ran = map[string]tools.Call{}
	}
	r.in.ran[c.ID] = c
	r.in.n++
	return tools.Result{Text: "done"}
}

func TestEveryRecordedStreamThroughThePipeline(t *testing.T) {
	var all []*replay
	for _, dialect := range dialects {
		for _, c := range streamtest.Cases(t, corpus, dialect) {
			all = append(all, &replay{Case: c, tool: &recorder{}, server: c.Serve(t)})
		}
	}
	var wg sync.WaitGroup
	slots := make(chan struct{}, corpusAtOnce)
	for _, r := range all {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			r.play(t)
		})
	}
	wg.Wait()
	for _, r := range all {
		t.Run(r.Name, r.check)
	}
}

// play runs the two turns. It runs beside others, so it only reports to t.
func (r *replay) play(t *testing.T) {
	client, err := adapter(r.Dialect, r.server.URL, r.Idle())
	if err != nil {
		t.Error(err)
		return
	}
	defer client.Close()
	r.after = script.New(script.Script{
		Select: script.BySequence, Loop: script.LoopLast,
		Steps: []script.Step{{Blocks: []script.Block{script.Text{Text: "after"}}}},
	})
	reg, err := tools.NewRegistry(r.tools()...)
	if err != nil {
		t.Error(err)
		return
	}
	line, err := pipeline.New(&thenAfter{Provider: client, after: r.after}, pipeline.Config{
		Model: "any", Tools: reg, Limits: pipeline.Limits{Attempts: 1}, PanicOnRefusal: true,
		Compaction: pipeline.Compaction{Off: true}, // one case is larger than a window
	})
	if err != nil {
		t.Error(err)
		return
	}
	defer line.Close()
	s, err := line.Open("")
	if err != nil {
		t.Error(err)
		return
	}
	r.events = r.turn(t, s, "Ahoy")
	r.next = r.turn(t, s, "and now?")
}

// turn runs one turn and notes how long its first answer took.
func (r *replay) turn(t *testing.T, s *pipeline.Session, prompt string) []pipeline.Event {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var events []pipeline.Event
	begun := time.Now()
	for e, err := range s.Run(ctx, prompt) {
		if err != nil {
			t.Errorf("%s: run %q: %v", r.Name, prompt, err)
			return events
		}
		switch e.(type) {
		case pipeline.MessageCompleted, pipeline.StreamFailed, pipeline.TurnEnded:
			if r.took == 0 {
				r.took = time.Since(begun)
			}
		}
		events = append(events, e)
	}
	return events
}

// tools are those that the case names, and some more.
func (r *replay) tools() []tools.Tool {
	names := map[string]bool{"list_dir": true, "read_file": true, "now": true}
	for _, c := range r.Expect.ToolCalls {
		names[c.Name] = true
	}
	var all []tools.Tool
	for _, name := range slices.Sorted(maps.Keys(names)) {
		all = append(all, r.tool.tool(name))
	}
	return all
}

// closer is a provider that holds connections.
type closer interface {
	provider.Provider
	Close()
}

// adapter returns a client of the server at url.
func adapter(dialect, url string, idle time.Duration) (closer, error) {
	if dialect == "anthropic" {
		return anthropic.New(anthropic.Config{BaseURL: url, APIKey: canary, IdleTimeout: idle})
	}
	return openai.New(openai.Config{BaseURL: url, APIKey: canary, IdleTimeout: idle})
}

func (r *replay) check(t *testing.T) {
	if len(r.next) == 0 {
		t.Fatal("it was not played to its end")
	}
	all := append(slices.Clone(r.events), r.next...)
	checkRules(t, all)
	end := last(t, r.events)
	o := outcome(r.events)
	o.Took = r.took
	r.Check(t, o)
	if n := r.server.Requests(); n != 1 {
		t.Errorf("%d requests, want one attempt", n)
	}
	if next := last(t, r.next); next.Outcome != pipeline.Completed || next.Text != "after" {
		t.Errorf("the next turn ended as %+v", next)
	}
	if strings.Contains(lines(t, all), canary) {
		t.Error("the key is in the events")
	}
	if r.Expect.Outcome == "error" {
		r.checkFailed(t, end)
	} else {
		r.checkCalls(t, end, o)
	}
}

// outcome is what the events of a turn tell of its first answer.
func outcome(events []pipeline.Event) streamtest.Outcome {
	var o streamtest.Outcome
	texts, thoughts := map[int]string{}, map[int]string{}
	for _, e := range events {
		if e.Head().Step > 1 {
			continue
		}
		switch e := e.(type) {
		case pipeline.TextDelta:
			texts[e.Block] += e.Text
		case pipeline.ThinkingDelta:
			thoughts[e.Block] += e.Text
		case pipeline.StreamFailed:
			o.Err = &provider.Error{Kind: e.Kind, Message: e.Message, Retryable: e.Retryable, Status: e.Status}
		case pipeline.MessageCompleted:
			o.Stop, o.Usage = e.Stop, e.Usage
			o.Calls = provider.Message{Blocks: e.Blocks}.Calls()
			for _, b := range e.Blocks {
				if t, ok := b.(provider.Thinking); ok {
					o.ThinkingBlocks = append(o.ThinkingBlocks, t)
				}
			}
		case pipeline.TurnEnded: // of a failed or an empty answer nothing else tells these
			if o.Stop == "" {
				o.Stop = e.Stop
			}
			if o.Usage == nil && e.Usage != (provider.Usage{}) {
				o.Usage = &e.Usage
			}
		}
	}
	o.Text, o.Thinking = inOrder(texts), inOrder(thoughts)
	return o
}

// inOrder joins the texts of blocks.
func inOrder(blocks map[int]string) string {
	var all strings.Builder
	for _, i := range slices.Sorted(maps.Keys(blocks)) {
		all.WriteString(blocks[i])
	}
	return all.String()
}

// checkFailed: after an error nothing runs and nothing is kept.
func (r *replay) checkFailed(t *testing.T, end pipeline.TurnEnded) {
	t.Helper()
	if end.Outcome != pipeline.Failed || end.Error == nil || end.Error.Kind != r.Expect.ErrorKind {
		t.Errorf("the turn ended as %+v", end)
	}
	if calls, n := r.tool.calls(); n > 0 {
		t.Errorf("after an error these ran: %v", calls)
	}
	got := r.after.Requests()[0].Messages
	want := []provider.Message{
		{Role: provider.User, Blocks: []provider.Block{provider.Text{Text: "Ahoy"}}},
		{Role: provider.User, Blocks: []provider.Block{provider.Text{Text: "and now?"}}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the history after an error (-want +got):\n%s", d)
	}
}

// rawBytes compares JSON as the bytes it is: one case has a MiB of them.
var rawBytes = cmp.Comparer(func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })

// checkCalls: what may run has run once, with its arguments; the history has
// the whole message and a result for each call.
func (r *replay) checkCalls(t *testing.T, end pipeline.TurnEnded, o streamtest.Outcome) {
	t.Helper()
	want := map[string]json.RawMessage{}
	for _, c := range o.Calls {
		if o.Stop == provider.StopToolCalls && c.Arguments != nil {
			want[c.ID] = c.Arguments
		}
	}
	got := map[string]json.RawMessage{}
	calls, n := r.tool.calls()
	for id, c := range calls {
		got[id] = c.Arguments
	}
	if d := cmp.Diff(want, got, rawBytes); d != "" || n != len(want) {
		t.Errorf("%d calls ran (-want +got):\n%s", n, d)
	}
	r.checkResults(t, o)
	outcome, limit := pipeline.Completed, ""
	switch {
	case o.Stop == provider.StopLength && len(o.Calls) == 0:
		outcome, limit = pipeline.Limited, "length"
	case o.Stop == provider.StopEnd && o.Text == "":
		outcome, limit = pipeline.Limited, "empty"
	}
	if end.Outcome != outcome || end.Limit != limit {
		t.Errorf("the turn ended as %+v, want %s %s", end, outcome, limit)
	}
}

func (r *replay) checkResults(t *testing.T, o streamtest.Outcome) {
	t.Helper()
	if len(o.Calls) == 0 {
		return
	}
	sent := r.after.Requests()[0].Messages
	if d := cmp.Diff(o.Calls, sent[1].Calls(), rawBytes); d != "" {
		t.Errorf("the calls in the history (-told +kept):\n%s", d)
	}
	results := sent[2].Blocks
	if len(results) != len(o.Calls) {
		t.Fatalf("%d results for %d calls", len(results), len(o.Calls))
	}
	for i, c := range o.Calls {
		got := results[i].(provider.ToolResult)
		ran := o.Stop == provider.StopToolCalls && c.Arguments != nil
		if got.Call != c.ID || got.Name != c.Name || got.IsError == ran {
			t.Errorf("the result of %s is %+v", c.ID, got)
		}
		if raw := strings.Trim(c.Raw, `"{[ `); c.Arguments == nil && o.Stop == provider.StopToolCalls && !strings.Contains(got.Text, raw[:min(len(raw), 5)]) {
			t.Errorf("the result of %s does not quote %q: %s", c.ID, c.Raw, got.Text)
		}
	}
}
