package actors

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weir-agents/weir/provider"
)

// callbacks are the places where a session calls its host in a Receive, with
// what sets them.
var callbacks = map[string]func(k *liveTest, bad func()){
	"reply":  func(k *liveTest, bad func()) { k.send(Prompt{Text: "go", Reply: func(error) { bad() }}) },
	"wanted": func(k *liveTest, bad func()) { k.send(Prompt{Text: "go", Wanted: func() bool { bad(); return true }}) },
	"ended":  func(k *liveTest, bad func()) { k.send(Cancel{Ended: func(Outcome) { bad() }}) },
	"reader": func(k *liveTest, bad func()) {
		k.send(Attach{To: readerFunc(func(Batch) { bad() })})
		k.send(Prompt{Text: "go"})
	},
	// At a delta the actors run on the goroutine that reads the model.
	"reader of a delta": func(k *liveTest, bad func()) {
		k.send(Attach{To: readerFunc(func(b Batch) {
			for _, e := range b.Events {
				if _, ok := e.(TextDelta); ok {
					bad()
				}
			}
			k.send(Grant{From: Reporter, Batches: len(b.Events)})
		})})
		k.send(Prompt{Text: "go"})
	},
	"stop": func(k *liveTest, bad func()) { k.send(Stop{Done: bad}) },
}

// I8: a callback that panics or ends its goroutine costs at most a turn. The
// session goes on, and Stop ends it.
func TestACallbackThatDoesNotReturn(t *testing.T) {
	for name, set := range callbacks {
		for what, bad := range map[string]func(){"panics": func() { panic("boom") }, "exits": runtime.Goexit} {
			t.Run(name+" "+what, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					k := newLiveTest(t, Config{Provider: model(oneCall)})
					reader := readerFunc(func(b Batch) {
						for _, e := range b.Events {
							k.events <- e
						}
						k.send(Grant{From: Reporter, Batches: len(b.Events)})
					})
					set(k, bad)
					synctest.Wait()
					if name != "stop" {
						k.send(Attach{To: reader})
						k.send(Prompt{ID: "next", Text: "next"})
						k.answered("next")
					}
					k.close()
					time.Sleep(time.Minute) // virtual: timers end
				})
			})
		}
	}
}

// answered waits for the end of the turn that the prompt with that id began.
func (k *liveTest) answered(id string) {
	k.t.Helper()
	turn := ""
	for {
		for _, e := range k.until("turn_ended") {
			switch e := e.(type) {
			case TurnStarted:
				if e.PromptID == id {
					turn = e.Turn
				}
			case TurnEnded:
				if turn != "" && e.Turn == turn {
					if e.Outcome != Completed {
						k.t.Errorf("its turn ended as %+v, %+v", e, e.Error)
					}
					return
				}
			}
		}
	}
}

// Grants that a host makes up, of any hop and any size, take no credit away
// from the reader and give nothing to the session's own windows, which would
// fail a turn.
func TestGrantsMadeUpByAHost(t *testing.T) {
	for _, n := range []int{-1 << 60, 1, 1 << 20, 1 << 60} {
		synctest.Test(t, func(t *testing.T) {
			var k *liveTest
			k = newLiveTest(t, Config{Provider: model(func(ctx context.Context, req provider.Request, say func(provider.Delta) bool) error {
				for from := range stages + 2 {
					if from != Reporter || n < 0 { // a reader's own is its own affair
						k.send(Grant{From: from, Ref: ref(int(from), 1), Batches: n, Bytes: n})
					}
				}
				return oneCall(ctx, req, say)
			})})
			k.send(Prompt{ID: "p", Text: "go"})
			k.answered("p")
			k.close()
			time.Sleep(time.Minute) // virtual: timers end
		})
	}
}
