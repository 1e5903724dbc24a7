package actors

import (
	"context"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"go.uber.org/goleak"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/tools"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// liveTest is a session of real actors in a system of its own, with a reader
// that takes everything.
type liveTest struct {
	t      *testing.T
	system *actor.ActorSystem
	pid    *actor.PID
	meter  *Meter
	events chan Event
	gone   chan struct{}
}

// patience is how long a test waits for what should come at once.
const patience = 20 * time.Second

func newLiveTest(t *testing.T, c Config) *liveTest {
	t.Helper()
	k := &liveTest{t: t, events: make(chan Event, 10_000), gone: make(chan struct{})}
	k.system = actor.NewActorSystem(actor.WithLoggerFactory(silent), actor.WithDeadLetterThrottleInterval(time.Millisecond))
	c.ID, c.Limits, c.Ended = "s1", c.Limits.Default(), func() { close(k.gone) }
	if c.Tools == nil {
		c.Tools, _ = tools.NewRegistry()
	}
	var err error
	if k.pid, k.meter, err = Spawn(k.system, c); err != nil {
		t.Fatal(err)
	}
	k.send(Attach{To: readerFunc(func(b Batch) {
		for _, e := range b.Events {
			k.events <- e
		}
		k.send(Grant{From: Reporter, Batches: len(b.Events)})
	})})
	return k
}

func (k *liveTest) send(in any) { k.system.Root.Send(k.pid, in) }

// close ends the session and checks that nothing of it is left.
func (k *liveTest) close() {
	k.t.Helper()
	k.send(Stop{})
	k.wait(k.gone, "the end of the session")
	k.system.Shutdown()
	if left := k.actors(""); len(left) > 0 {
		k.t.Errorf("actors live on: %v", left)
	}
}

func (k *liveTest) wait(ch <-chan struct{}, what string) {
	k.t.Helper()
	select {
	case <-ch:
	case <-time.After(patience):
		k.t.Fatalf("%s did not come", what)
	}
}

// actors returns the PIDs below the session's whose names begin with prefix.
func (k *liveTest) actors(prefix string) []*actor.PID {
	var pids []*actor.PID
	for _, shard := range k.system.ProcessRegistry.LocalPIDs.LocalPIDs {
		for _, id := range shard.Keys() {
			if strings.HasPrefix(id, k.pid.Id+"/"+prefix) {
				pids = append(pids, actor.NewPID(k.system.Address(), id))
			}
		}
	}
	return pids
}

// stage returns the PID of an actor of the session.
func (k *liveTest) stage(s Stage) *actor.PID {
	k.t.Helper()
	if s == Supervising {
		return k.pid
	}
	pids := k.actors(s.String() + "-")
	if len(pids) != 1 {
		k.t.Fatalf("%d actors named %v", len(pids), s)
	}
	return pids[0]
}

// until returns the events up to the first that is of kind.
func (k *liveTest) until(kind string) []Event {
	k.t.Helper()
	var got []Event
	late := time.After(patience)
	for {
		select {
		case e := <-k.events:
			got = append(got, e)
			if e.Type() == kind {
				return got
			}
		case <-late:
			var kinds []string
			for _, e := range got {
				kinds = append(kinds, e.Type())
			}
			k.t.Fatalf("no %s came, only %v", kind, kinds)
		}
	}
}

// run posts a prompt and returns how its turn ended.
func (k *liveTest) run(text string) TurnEnded {
	k.t.Helper()
	k.send(Prompt{Text: text})
	events := k.until("turn_ended")
	return events[len(events)-1].(TurnEnded)
}

// model is a provider made of a function.
type model func(ctx context.Context, req provider.Request, say func(provider.Delta) bool) error

func (m model) Stream(ctx context.Context, req provider.Request) iter.Seq2[provider.Delta, error] {
	return func(yield func(provider.Delta, error) bool) {
		if err := m(ctx, req, func(d provider.Delta) bool { return yield(d, nil) }); err != nil {
			yield(provider.Delta{}, err)
		}
	}
}

// tool is one made of a function.
type tool struct {
	name  string
	class tools.Class
	run   func(ctx context.Context, c tools.Call) tools.Result
}

func (t tool) Spec() tools.Spec {
	return tools.Spec{Name: t.name, Description: t.name, Schema: []byte(`{"type":"object"}`), Class: t.class}
}

func (t tool) Run(ctx context.Context, c tools.Call) tools.Result { return t.run(ctx, c) }

func registry(t *testing.T, all ...tools.Tool) *tools.Registry {
	t.Helper()
	r, err := tools.NewRegistry(all...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
