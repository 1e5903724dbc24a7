package actors

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/journal"
	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/tools"
)

// slowJournal holds every write that has a record of one of some kinds until
// it is let go.
type slowJournal struct {
	journal.Memory
	kinds   []string
	holding chan struct{} // one is held
	release chan struct{}
}

func newSlowJournal(durable bool, kinds ...string) *slowJournal {
	return &slowJournal{
		Memory: journal.Memory{AsDurable: durable}, kinds: kinds, holding: make(chan struct{}, 100), release: make(chan struct{}),
	}
}

func (j *slowJournal) Append(ctx context.Context, session string, records ...journal.Record) error {
	for _, r := range records {
		if slices.Contains(j.kinds, r.Kind) {
			j.holding <- struct{}{}
			<-j.release
			break
		}
	}
	return j.Memory.Append(ctx, session, records...)
}

// recordKinds returns what the journal holds of the session, in order.
func recordKinds(t *testing.T, j journal.Journal) []string {
	var kinds []string
	for r, err := range j.Read(t.Context(), "s1", 1) {
		if err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, r.Kind)
	}
	return kinds
}

// oneCall is a model that asks for one call of "write", then says "fine".
func oneCall(_ context.Context, req provider.Request, say func(provider.Delta) bool) error {
	if req.Messages[len(req.Messages)-1].Role == provider.Tool || len(req.Messages) > 2 {
		say(text(0, "fine"))
		say(provider.Delta{Kind: provider.FinishDelta, Stop: provider.StopEnd})
		return nil
	}
	say(whole(0, provider.ToolCall{ID: "c0", Name: "write", Arguments: []byte(`{}`), Raw: `{}`}))
	say(provider.Delta{Kind: provider.FinishDelta, Stop: provider.StopToolCalls})
	return nil
}

type allowAll struct{}

func (allowAll) Decide(tools.Call, tools.Spec) tools.Verdict {
	return tools.Verdict{Decision: tools.Allow, By: "mode"}
}
func (allowAll) Remember(string) error { return nil }

// writes is a tool that counts how often it ran.
func writes(t *testing.T, ran *atomic.Int32) *tools.Registry {
	return registry(t, tool{"write", tools.Mutating, func(context.Context, tools.Call) tools.Result {
		ran.Add(1)
		return tools.Result{Text: "written"}
	}})
}

// heldStart asks for one call, whose start the journal does not take before it is
// released.
func heldStart(t *testing.T, ran *atomic.Int32) (*liveTest, *slowJournal) {
	j := newSlowJournal(true, "call_started")
	k := newLiveTest(t, Config{Provider: model(oneCall), Tools: writes(t, ran), Policy: allowAll{}, Journal: j})
	k.send(Prompt{Text: "go"})
	k.wait(j.holding, "the record of the call's start")
	return k, j
}

// I9: no tool runs before the journal has its start.
func TestACallWaitsForTheJournal(t *testing.T) {
	var ran atomic.Int32
	k, j := heldStart(t, &ran)
	defer k.close()
	if n := ran.Load(); n != 0 {
		t.Errorf("the tool ran %d times before its start was recorded", n)
	}
	close(j.release)
	k.until("turn_ended")
	if n := ran.Load(); n != 1 {
		t.Errorf("the tool ran %d times", n)
	}
	want := []string{
		"prompt_accepted", "message_kept", "call_started", "call_ended", "message_kept", "turn_closed",
	}
	if diff := cmp.Diff(want, recordKinds(t, j)); diff != "" {
		t.Error(diff)
	}
}

// The stop goes out at once: a call whose start is still being recorded does
// not run any more.
func TestACancelWhileTheJournalTakesAStart(t *testing.T) {
	var ran atomic.Int32
	k, j := heldStart(t, &ran)
	defer k.close()
	ended := make(chan struct{})
	k.send(Cancel{Ended: func(Outcome) { close(ended) }})
	k.settle() // the cancel has gone out
	close(j.release)
	k.wait(ended, "the end of the turn")
	for _, e := range k.until("turn_ended") {
		if f, ok := e.(ToolFinished); ok && f.ErrorKind != "canceled" {
			t.Errorf("the call ended as %+v", f)
		}
	}
	if n := ran.Load(); n != 0 {
		t.Errorf("the tool ran %d times after the cancel", n)
	}
}

// I9: a prompt is answered when it is durable, also across a crash.
func TestAPromptIsAnsweredWhenItIsDurable(t *testing.T) {
	j := newSlowJournal(true, "prompt_accepted")
	k := newLiveTest(t, Config{Provider: model(stuck{there: make(chan struct{})}.stream), Journal: j})
	defer k.close()
	k.until("session_started")
	var mu sync.Mutex
	var answered []string
	both := make(chan struct{})
	post := func(id string) {
		k.send(Prompt{ID: id, Text: "fine", Reply: func(err error) {
			mu.Lock()
			defer mu.Unlock()
			if answered = append(answered, fmt.Sprint(id, " ", err)); len(answered) == 2 {
				close(both)
			}
		}})
	}
	post("p1")
	k.wait(j.holding, "the record of the prompt")
	post("p2")
	k.system.Root.Send(k.stage(Assembler), nonsense{})
	mu.Lock()
	if len(answered) > 0 {
		t.Errorf("%v before the journal had them", answered)
	}
	mu.Unlock()
	close(j.release)
	k.wait(both, "an answer to both prompts")
	if diff := cmp.Diff([]string{"p1 <nil>", "p2 <nil>"}, answered); diff != "" {
		t.Error(diff)
	}
	for range 2 {
		k.until("turn_ended")
	}
}

// A journal nobody waits for is written to its end when the session closes,
// each record once.
func TestClosingWritesWhatTheJournalHadNotTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := newSlowJournal(false, "prompt_accepted")
		k := newLiveTest(t, Config{Provider: model(stuck{there: make(chan struct{})}.stream), Journal: j})
		k.send(Prompt{Text: "fine"})
		k.wait(j.holding, "the record of the prompt")
		k.until("turn_ended") // though nothing is recorded yet
		synctest.Wait()       // the session knows it too: there is no turn to cancel
		k.send(Stop{})
		synctest.Wait() // the actors are gone, the write is still held
		close(j.release)
		k.close()
		if diff := cmp.Diff([]string{"prompt_accepted", "message_kept", "turn_closed"}, recordKinds(t, j)); diff != "" {
			t.Error(diff)
		}
		time.Sleep(time.Minute) // virtual: timers end
	})
}

// brokenJournal fails every write.
type brokenJournal struct{ journal.Memory }

func (*brokenJournal) Append(context.Context, string, ...journal.Record) error {
	return fmt.Errorf("disk full")
}

// I9: if the journal has failed the work goes on, and one notice says so.
func TestAJournalThatFailsIsToldOnce(t *testing.T) {
	k := newLiveTest(t, Config{
		Provider: model(stuck{there: make(chan struct{})}.stream), Journal: &brokenJournal{journal.Memory{AsDurable: true}},
	})
	defer k.close()
	notices := 0
	for range 2 {
		k.send(Prompt{Text: "fine"})
		for _, e := range k.until("turn_ended") {
			switch e := e.(type) {
			case Notice:
				notices++
				if e.Code != "unsaved" || e.Text != "the session is no longer saved: disk full" {
					t.Errorf("notice %+v", e)
				}
			case TurnEnded:
				if e.Outcome != Completed {
					t.Errorf("the turn ended as %+v", e)
				}
			}
		}
	}
	if notices != 1 {
		t.Errorf("%d notices", notices)
	}
}

// Every fact there is can be recorded; what is none panics.
func TestEveryFactCanBeRecorded(t *testing.T) {
	facts := []any{
		PromptAccepted{Prompt{ID: "p", Text: "x", Reply: func(error) {}, Attach: []provider.Block{provider.Image{MediaType: "image/png", Data: []byte{1}}}}},
		PromptsJoined{[]Prompt{{ID: "p"}}},
		CancelAsked{Turn: "t1"},
		MessageKept{Ref: ref(1, 1), Message: message(reads(0)), Usage: usage},
		CallApproved{Call: "a"},
		CallStarted{Call: "a"},
		TurnClosed{Turn: "t1"},
		CallEnded{Result: provider.ToolResult{Call: "a"}, Event: ToolFinished{Call: "a"}},
	}
	for i, r := range newRecorder(&journal.Memory{}, "s1", nil).encode(facts) {
		if !json.Valid(r.Data) || r.Kind == "" || r.At.IsZero() {
			t.Errorf("fact %d is recorded as %+v", i, r)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("nonsense was recorded")
		}
	}()
	factData(nonsense{})
}
