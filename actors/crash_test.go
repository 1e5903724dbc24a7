package actors

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/weir-agents/weir/journal"
	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/tools"
)

func silent(*actor.ActorSystem) *slog.Logger { return slog.New(slog.DiscardHandler) }

// nonsense is what no machine takes: it panics.
type nonsense struct{}

// stuck is a model whose first answer asks for calls "slow" and "quick", or
// says half a text and waits; later ones are short. gate lets a test know that
// it has come so far.
type stuck struct {
	calls bool
	there chan struct{}
}

func (s stuck) stream(ctx context.Context, req provider.Request, say func(provider.Delta) bool) error {
	last := req.Messages[len(req.Messages)-1]
	switch {
	case last.Text() != "go":
		say(text(0, "fine"))
		say(provider.Delta{Kind: provider.FinishDelta, Stop: provider.StopEnd})
	case s.calls:
		for i, name := range []string{"quick", "slow", "slow"} {
			say(whole(i, provider.ToolCall{ID: fmt.Sprint("c", i), Name: name, Arguments: []byte(`{}`), Raw: `{}`}))
		}
		say(provider.Delta{Kind: provider.FinishDelta, Stop: provider.StopToolCalls})
	default:
		say(text(0, "half"))
		close(s.there)
		<-ctx.Done()
		return ctx.Err()
	}
	return nil
}

// slowTools are "quick", which returns, and "slow", which waits to be stopped.
func slowTools(t *testing.T, there chan struct{}) *tools.Registry {
	signal := func() {
		select {
		case there <- struct{}{}:
		default:
		}
	}
	return registry(t,
		tool{"quick", tools.ReadOnly, func(context.Context, tools.Call) tools.Result { return tools.Result{Text: "done"} }},
		tool{"slow", tools.ReadOnly, func(ctx context.Context, c tools.Call) tools.Result {
			signal()
			<-ctx.Done()
			return tools.Result{Kind: tools.Failed, Text: "stopped"}
		}})
}

// I8: whichever machine panics, and whatever goes on then, the turn fails once
// with kind panic, its calls are answered, and the next prompt works.
func TestACrashOfAnyActorFailsOnlyItsTurn(t *testing.T) {
	for _, durable := range []bool{false, true} {
		for stage := range stages {
			for _, calls := range []bool{false, true} {
				t.Run(fmt.Sprintf("%v calls=%v durable=%v", stage, calls, durable), func(t *testing.T) {
					there := make(chan struct{}, 1)
					s := stuck{calls, there}
					k := newLiveTest(t, Config{
						Provider: model(s.stream), Tools: slowTools(t, there), Journal: &journal.Memory{AsDurable: durable},
					})
					defer k.close()
					k.send(Prompt{Text: "go"})
					k.wait(there, "the model or the tool")
					if !calls {
						k.until("text_delta")
					}
					k.system.Root.Send(k.stage(stage), nonsense{})
					wantPanic(t, k.until("turn_ended"), stage, calls)
					if e := k.run("again"); e.Outcome != Completed || e.Text != "fine" {
						t.Errorf("the next turn ended as %+v", e)
					}
				})
			}
		}
	}
}

// wantPanic checks the end of a turn that a panic broke.
func wantPanic(t *testing.T, events []Event, stage Stage, calls bool) {
	t.Helper()
	e := events[len(events)-1].(TurnEnded)
	want := fmt.Sprintf("the %v panicked: actors: %v: no such input actors.nonsense", stage, stage)
	if e.Outcome != Failed || e.Error.Kind != "panic" || e.Error.Message != want {
		t.Errorf("the turn ended as %+v, %+v", e, e.Error)
	}
	open := map[string]int{}
	for _, e := range events {
		switch e := e.(type) {
		case MessageCompleted:
			for _, c := range (provider.Message{Blocks: e.Blocks}).Calls() {
				open[c.ID]++
			}
		case ToolFinished:
			open[e.Call]--
		}
	}
	for id, n := range open {
		if n != 0 {
			t.Errorf("call %s has no end, or two", id)
		}
	}
	if calls && len(open) != 3 {
		t.Errorf("%d calls were told", len(open))
	}
}

// A crash before the reporter has seen the start of the turn, at every stage:
// the reader sees one start and one end all the same.
func TestACrashAtTheStartOfATurn(t *testing.T) {
	for stage := range stages {
		t.Run(stage.String(), func(t *testing.T) {
			k := newLiveTest(t, Config{Provider: model(stuck{there: make(chan struct{})}.stream)})
			defer k.close()
			k.until("session_started")
			for range 2 {
				pid := k.stage(stage)
				k.send(Prompt{Text: "fine"})
				k.system.Root.Send(pid, nonsense{})
				starts := 0
				for _, e := range k.until("turn_ended") {
					if e.Type() == "turn_started" {
						starts++
					}
				}
				if starts != 1 {
					t.Fatalf("the turn started %d times", starts)
				}
				if e := k.run("again"); e.Outcome != Completed && !strings.Contains(e.Error.Message, "nonsense") {
					t.Fatalf("the next turn ended as %+v", e)
				}
				k.settle()
			}
		})
	}
}

// settle waits until the five live, after a crash that may have come late.
func (k *liveTest) settle() {
	k.t.Helper()
	asked := make(chan struct{})
	k.send(Prompt{Reply: func(error) { close(asked) }}) // empty: refused, when all before it is done
	k.wait(asked, "an answer")
	for len(k.actors("")) != int(Supervising) {
		asked := make(chan struct{})
		k.send(Prompt{Reply: func(error) { close(asked) }})
		k.wait(asked, "an answer")
	}
}

// The crash of one session leaves another in the same system alone.
func TestACrashLeavesOtherSessionsAlone(t *testing.T) {
	s := stuck{there: make(chan struct{})}
	k := newLiveTest(t, Config{Provider: model(s.stream)})
	defer k.close()
	other := make(chan Event, 100)
	gone := make(chan struct{})
	reg, _ := tools.NewRegistry()
	pid, _, err := Spawn(k.system, Config{
		ID: "s2", Provider: model(s.stream), Tools: reg, Limits: Limits{}.Default(), Ended: func() { close(gone) },
	})
	if err != nil {
		t.Fatal(err)
	}
	k.system.Root.Send(pid, Attach{To: readerFunc(func(b Batch) {
		for _, e := range b.Events {
			other <- e
		}
	})})
	k.send(Prompt{Text: "go"})
	k.wait(s.there, "the model")
	k.system.Root.Send(pid, Prompt{Text: "fine"})
	k.system.Root.Send(k.stage(Assembler), nonsense{})
	k.until("turn_ended")
	for e := range other {
		if end, ok := e.(TurnEnded); ok {
			if end.Outcome != Completed {
				t.Errorf("the other session's turn ended as %+v", end)
			}
			break
		}
	}
	k.system.Root.Send(pid, Stop{})
	k.wait(gone, "the end of the other session")
}

// A policy that does not read the rule it suggested is a bug of ours or the
// embedder's: the turn fails, the session lives.
func TestAPolicyThatRefusesItsOwnRuleFailsTheTurn(t *testing.T) {
	there := make(chan struct{}, 1)
	k := newLiveTest(t, Config{Provider: model(stuck{true, there}.stream), Tools: slowTools(t, there), Policy: badPolicy{}})
	defer k.close()
	k.send(Prompt{Text: "go"})
	k.until("approval_requested")
	k.send(Resolve{Call: "c0", Decision: "allow_always"})
	events := k.until("turn_ended")
	if e := events[len(events)-1].(TurnEnded); e.Error == nil || !strings.Contains(e.Error.Message, "its own suggestion bad(") {
		t.Errorf("the turn ended as %+v", e)
	}
	if e := k.run("again"); e.Outcome != Completed {
		t.Errorf("the next turn ended as %+v", e)
	}
}

type badPolicy struct{}

func (badPolicy) Decide(tools.Call, tools.Spec) tools.Verdict {
	return tools.Verdict{Decision: tools.Ask, By: "mode", Suggestion: "bad("}
}
func (badPolicy) Remember(string) error { return fmt.Errorf("no such rule") }

// Stop while a crash is being mended ends the session all the same.
func TestStopDuringACrash(t *testing.T) {
	for range 10 {
		s := stuck{there: make(chan struct{})}
		k := newLiveTest(t, Config{Provider: model(s.stream)})
		k.send(Prompt{Text: "go"})
		k.wait(s.there, "the model")
		k.system.Root.Send(k.stage(Turning), nonsense{})
		k.close()
	}
}
