package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider/script"
	"github.com/weir-agents/weir/tools"
)

// flood calls each of fs from two goroutines until stop is called.
func flood(fs ...func()) (stop func()) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	for _, f := range append(fs, fs...) {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					f()
				}
			}
		})
	}
	return func() { close(done); wg.Wait() }
}

// Floods of answers, to calls that wait and to none, and of prompts neither
// break a turn nor starve it.
func TestAFloodOfAnswersBreaksNoTurn(t *testing.T) {
	step := `{"blocks":[` + strings.Repeat(`{"call":"quick","arguments":{}},`, 100) + `{"call":"quick","id":"asked"}]},`
	model := script.New(parse(t, `{"steps":[`+strings.Repeat(step, 8)+`"done"]}`))
	quick := waits{"quick", tools.Exec, func(tools.Call) <-chan struct{} { return now() }}
	s := open(t, model, pipeline.Config{Tools: registry(t, quick), Policy: asks{}, Limits: pipeline.Limits{Repeats: 100}})
	var stop func()
	var events []pipeline.Event
	for e, err := range s.Run(t.Context(), "go") {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
		switch e := e.(type) {
		case pipeline.MessageCompleted:
			if stop == nil {
				stop = flood(
					func() { s.Resolve("nonsense", "allow", "") },
					func() { s.Resolve("asked", "allow", "") },
				)
			}
		case pipeline.ApprovalRequested:
			s.Resolve(e.Call, "allow", "")
		}
	}
	stop()
	checkRules(t, events)
	if end := last(t, events); end.Outcome != pipeline.Completed || end.Text != "done" {
		t.Errorf("the turn ended as %+v, %+v", end, end.Error)
	}
}

// I7: a flood of answers to nothing takes no cancel its way.
func TestACancelPassesAFloodOfAnswers(t *testing.T) {
	model := script.New(parse(t, `{"select":"sequence","loop":true,"steps":[{"blocks":[{"text":["a",{"gate":"never"}]}]}]}`))
	s := open(t, model, pipeline.Config{})
	answer := func() { s.Resolve("nonsense", "allow", "") }
	stop := flood(answer, answer, answer, answer)
	defer stop()
	for range 20 {
		for e, err := range s.Run(t.Context(), "go") {
			if err != nil {
				t.Fatal(err)
			}
			if e.Type() != "text_delta" {
				continue
			}
			if o := <-s.Cancel(pipeline.CancelNow); o != pipeline.Canceled {
				t.Fatalf("the cancel was answered %q while its turn ran", o)
			}
		}
	}
}

// asks is a policy that asks about one call and allows the others.
type asks struct{ bypass }

func (asks) Decide(c tools.Call, _ tools.Spec) tools.Verdict {
	if c.ID == "asked" {
		return tools.Verdict{Decision: tools.Ask, By: "mode", Reason: "it is asked"}
	}
	return tools.Verdict{Decision: tools.Allow, By: "mode"}
}

// Cancels and prompts from everywhere: each turn ends once, canceled or
// completed, and nothing else.
func TestAFloodOfCancelsBreaksNoTurn(t *testing.T) {
	model := script.New(parse(t, `{"select":"sequence","loop":true,"steps":[{"blocks":[{"text":{"repeat":"abc ","bytes":20000}}]}]}`))
	s := open(t, model, pipeline.Config{})
	stop := flood(
		func() { s.Cancel(pipeline.CancelNow) },
		func() { s.Cancel(pipeline.CancelAfterStep) },
		func() {
			if _, err := s.Post(context.Background(), "x"); err != nil && !errors.Is(err, pipeline.ErrBusy) {
				t.Error(err)
			}
		},
	)
	ended := map[string]int{}
	for e, err := range s.Events(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		end, ok := e.(pipeline.TurnEnded)
		if !ok {
			continue
		}
		if ended[end.Turn]++; ended[end.Turn] > 1 || end.Outcome != pipeline.Canceled && end.Outcome != pipeline.Completed {
			t.Errorf("turn %s ended as %s, %+v", end.Turn, end.Outcome, end.Error)
		}
		if len(ended) == 200 {
			break
		}
	}
	stop()
	s.Close()
}

// I3: prompts that are posted and canceled again and again before a reader that
// reads nothing cost no more than the ceiling; at its limit the session is busy.
func TestAFrozenReaderBoundsPromptsAndCancels(t *testing.T) {
	model := script.New(parse(t, `{"select":"sequence","loop":true,"steps":[{"blocks":[{"text":["a",{"gate":"never"}]}]}]}`))
	limits := pipeline.Limits{LineBytes: 64 << 10, MessageBytes: 64 << 10, PromptBytes: 64 << 10, CallsMax: 1, Prompts: 4}
	s := open(t, model, pipeline.Config{Limits: limits})
	before := liveHeap()
	accepted := 0
	for i := range 100_000 {
		_, err := s.Post(t.Context(), fmt.Sprint(i)+strings.Repeat("p", 4<<10))
		if err == nil {
			accepted++
		} else if !errors.Is(err, pipeline.ErrBusy) {
			t.Fatal(err)
		}
		s.Cancel(pipeline.CancelNow)
	}
	<-s.Cancel(pipeline.CancelNow)
	if heap, most := liveHeap(), before+uint64(limits.Default().Ceiling()); heap > most {
		t.Errorf("live heap is %d KiB over the start, the ceiling is %d KiB; %d prompts were accepted",
			(heap-before)>>10, (most-before)>>10, accepted)
	}
	if accepted < 4 {
		t.Errorf("%d prompts were accepted", accepted)
	}
	// The reader comes back: all is told, and the session works.
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	fates := 0
	for e, err := range s.Events(ctx) {
		if err != nil {
			t.Fatalf("%v, after the fates of %d of %d prompts", err, fates, accepted)
		}
		switch e.(type) {
		case pipeline.TurnEnded, pipeline.PromptDropped:
			fates++
		}
		if fates == accepted {
			break
		}
	}
	model.Open("never")
	if end := last(t, run(t, s, "again")); end.Outcome != pipeline.Completed {
		t.Errorf("the next turn ended as %+v", end)
	}
}
