package actors

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

// boxTest is a mailbox whose actor runs only when the test says so, and notes
// what it got.
type boxTest struct {
	m       *mailbox
	gauge   gauge
	runs    []func()
	got     []any
	refused []refusal
}

func newBoxTest(capacity, guests int) *boxTest {
	k := &boxTest{}
	k.m = newMailbox(capacity, guests, &k.gauge, func(_ any, why refusal) { k.refused = append(k.refused, why) })
	k.m.RegisterHandlers(k, k)
	return k
}

func (k *boxTest) Schedule(f func())           { k.runs = append(k.runs, f) }
func (k *boxTest) Throughput() int             { return 3 }
func (k *boxTest) InvokeUserMessage(msg any)   { k.got = append(k.got, msg) }
func (k *boxTest) InvokeSystemMessage(msg any) { k.got = append(k.got, msg) }
func (k *boxTest) EscalateFailure(why, _ any)  { k.got = append(k.got, why) }

func (k *boxTest) run() []any {
	k.got = nil
	for len(k.runs) > 0 {
		f := k.runs[0]
		k.runs = k.runs[1:]
		f()
	}
	return k.got
}

func same(t *testing.T, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMailboxRefusesWhatDoesNotFit(t *testing.T) {
	k := newBoxTest(2, 9)
	for i := range 4 {
		k.m.PostUserMessage(i)
	}
	same(t, []refusal{laneFull, laneFull}, k.refused)
	if k.m.UserMessageCount() != 2 || k.gauge.depth.Load() != 2 || k.gauge.peak.Load() != 2 || k.gauge.refused.Load() != 2 {
		t.Errorf("count %d, gauge %+v", k.m.UserMessageCount(), &k.gauge)
	}
	same(t, []any{0, 1}, k.run())
	k.m.PostUserMessage(5)
	same(t, []any{5}, k.run())
	if k.gauge.depth.Load() != 0 || k.gauge.peak.Load() != 2 {
		t.Errorf("gauge %+v", &k.gauge)
	}
}

// I7: control passes a full data lane, also inside an envelope.
func TestMailboxLetsControlPass(t *testing.T) {
	k := newBoxTest(1, 9)
	k.m.PostUserMessage("data")
	bare := []any{CancelTurn{Turn: "a"}, CloseStream{}, CloseCalls{}, Resolve{Call: "c"}, Tick{Epoch: 1}, Attach{}, Crashed{}}
	for _, msg := range bare {
		k.m.PostUserMessage(msg)
	}
	inside := &actor.MessageEnvelope{Message: CancelTurn{Turn: "b"}}
	k.m.PostUserMessage(inside)
	same(t, fmt.Sprint(append(bare, inside, "data")), fmt.Sprint(k.run()))
	if len(k.refused) > 0 {
		t.Error("control was refused")
	}
}

func TestMailboxSumsGrantsInPlace(t *testing.T) {
	k := newBoxTest(1, 9)
	k.m.PostUserMessage(&actor.MessageEnvelope{Message: Grant{From: Reporter, Batches: 1, Bytes: 2}})
	k.m.PostUserMessage(Tick{})
	k.m.PostUserMessage(Grant{From: Streamer, Ref: ref(1, 1), Batches: 1})
	for range 5000 { // more than the lane holds
		k.m.PostUserMessage(Grant{From: Reporter, Batches: 1, Bytes: 2})
	}
	k.m.PostUserMessage(Grant{From: Streamer, Ref: ref(1, 2), Batches: 1}) // another try: that of the one before is stale
	same(t, []any{
		Grant{From: Reporter, Batches: 5001, Bytes: 10_002},
		Tick{},
		Grant{From: Streamer, Ref: ref(1, 2), Batches: 1},
	}, k.run())
}

// A reader's mistake takes no credit away that it has granted.
func TestMailboxTakesNoNegativeGrantOfAReader(t *testing.T) {
	k := newBoxTest(1, 0)
	for _, n := range []int{3, -5, math.MaxInt, math.MaxInt} {
		k.m.PostUserMessage(Grant{From: Reporter, Batches: n})
	}
	same(t, []any{Grant{From: Reporter, Batches: 3 + 2*grantMost}}, k.run())
}

// I7: whatever hop and try the grants of a host name, they take the room of one
// for each hop, and those of no hop none; what the reader gave is not lost.
func TestMailboxHoldsOneGrantOfEachHop(t *testing.T) {
	k := newBoxTest(1, 9)
	for n := range 40 * controlMax {
		k.m.PostUserMessage(Grant{From: Stage(n % 256), Ref: ref(n, n%7), Batches: 1})
	}
	k.m.PostUserMessage(CancelTurn{Turn: "a"})
	if got := len(k.m.control); got != int(stages)+1 {
		t.Errorf("%d commands stand in the lane, want a grant of each of %d hops and the cancel", got, stages)
	}
	if want := 160 * (256 - int(stages)); len(k.refused) != want {
		t.Errorf("%d were refused, want the %d of no hop", len(k.refused), want)
	}
	got := k.run()
	if !slices.Contains(got, any(Grant{From: Reporter, Batches: 160})) || !slices.Contains(got, any(CancelTurn{Turn: "a"})) {
		t.Errorf("of the reader's grant or the cancel something is lost: %v", got)
	}
}

func TestMailboxBoundsTheControlLane(t *testing.T) {
	k := newBoxTest(1, 9)
	for range controlMax + 1 {
		k.m.PostUserMessage(CloseCalls{})
	}
	same(t, []refusal{laneFull}, k.refused)
	same(t, controlMax, len(k.run()))
}

// A flood of answers leaves room for cancels, readers and the session's own
// commands, and lets its data through: one after each controlRun of them.
func TestMailboxIsNotStarvedByAFloodOfCommands(t *testing.T) {
	k := newBoxTest(2, 0)
	k.m.PostUserMessage(1)
	k.m.PostUserMessage(2)
	for range controlGuests {
		k.m.PostUserMessage(&actor.MessageEnvelope{Message: Resolve{}})
	}
	k.m.PostUserMessage(Resolve{})
	same(t, []refusal{laneFull}, k.refused)
	others := []any{Cancel{}, Attach{}, Stop{}, StopCompaction{}, CloseCalls{}}
	for _, in := range others {
		k.m.PostUserMessage(in)
	}
	same(t, []refusal{laneFull}, k.refused)
	got := k.run()
	same(t, controlGuests+2+len(others), len(got))
	same(t, []any{1, 2}, []any{got[controlRun], got[2*controlRun+1]})
	k.m.PostUserMessage(Resolve{}) // there is room again
	same(t, 1, len(k.run()))
}

// A flood of anything that comes from outside leaves room for the session's own
// actors (I2).
func TestMailboxKeepsRoomForItsOwnActors(t *testing.T) {
	for _, guest := range []any{Prompt{}, Notice{}, ReadHistory{}, ReplaceHistory{}, CompactHistory{}, UseModel{}} {
		k := newBoxTest(4, 2)
		for range 9 {
			k.m.PostUserMessage(guest)
		}
		k.m.PostUserMessage(&actor.MessageEnvelope{Message: guest})
		same(t, 8, len(k.refused))
		k.m.PostUserMessage("own")
		k.m.PostUserMessage("own")
		same(t, 8, len(k.refused))
		same(t, 4, len(k.run()))
		k.m.PostUserMessage(guest)
		same(t, 1, len(k.run()))
	}
}

func TestMailboxClosesWhenStopIsPosted(t *testing.T) {
	k := newBoxTest(4, 2)
	k.m.PostUserMessage("before")
	k.m.PostSystemMessage(&actor.Stop{})
	k.m.PostUserMessage("after")
	k.m.PostUserMessage(CancelTurn{})
	same(t, []refusal{laneClosed, laneClosed}, k.refused)
	// What stood there when the actor stopped is refused too: somebody may wait.
	if got := k.run(); len(got) != 1 {
		t.Errorf("the actor got %v after its stop", got)
	}
	same(t, []refusal{laneClosed, laneClosed, laneClosed}, k.refused)
}

func TestMailboxHoldsStillWhileSuspended(t *testing.T) {
	k := newBoxTest(4, 2)
	k.m.PostSystemMessage(&actor.SuspendMailbox{})
	k.m.PostUserMessage("data")
	k.m.PostUserMessage(CancelTurn{})
	if got := k.run(); len(got) != 0 {
		t.Errorf("suspended, the actor got %v", got)
	}
	k.m.PostSystemMessage(&actor.ResumeMailbox{})
	same(t, []any{CancelTurn{}, "data"}, k.run())
}

func TestMailboxRunsOnceHoweverMuchIsPosted(t *testing.T) {
	k := newBoxTest(100, 2)
	for i := range 50 {
		k.m.PostUserMessage(i)
	}
	if len(k.runs) != 1 {
		t.Errorf("%d runs", len(k.runs))
	}
	if got := k.run(); len(got) != 50 || got[0] != 0 || got[49] != 49 {
		t.Errorf("got %v", got)
	}
}

// ---- in a real system

// counter is an actor that checks the order of each sender.
type counter struct {
	mu   sync.Mutex
	last map[string]int
	n    int
	bad  []string
	done chan struct{}
	want int
}

type numbered struct {
	from string
	n    int
}

func (c *counter) Receive(ctx actor.Context) {
	in, ok := ctx.Message().(numbered)
	if !ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if in.n != c.last[in.from]+1 {
		c.bad = append(c.bad, fmt.Sprintf("%s: %d after %d", in.from, in.n, c.last[in.from]))
	}
	c.last[in.from] = in.n
	if c.n++; c.n == c.want {
		close(c.done)
	}
}

func testSystem(t *testing.T) *actor.ActorSystem {
	system := actor.NewActorSystem(actor.WithDeadLetterThrottleInterval(time.Millisecond))
	t.Cleanup(func() { system.Shutdown() })
	return system
}

func TestMailboxKeepsTheOrderOfEachSender(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	system := testSystem(t)
	const senders, each = 4, 5000
	c := &counter{last: map[string]int{}, done: make(chan struct{}), want: senders * each}
	var g gauge
	pid := system.Root.Spawn(actor.PropsFromProducer(func() actor.Actor { return c }, actor.WithMailbox(func() actor.Mailbox {
		return newMailbox(senders*each, 1, &g, func(msg any, why refusal) { t.Errorf("refused %v", msg) })
	})))
	for s := range senders {
		go func() {
			for i := range each {
				system.Root.Send(pid, numbered{fmt.Sprint("s", s), i + 1})
				if i%100 == 0 {
					system.Root.Send(pid, Tick{})
				}
			}
		}()
	}
	<-c.done
	if len(c.bad) > 0 {
		t.Error(c.bad)
	}
	if err := system.Root.StopFuture(pid).Wait(); err != nil {
		t.Error(err)
	}
	if g.depth.Load() != 0 {
		t.Errorf("depth %d", g.depth.Load())
	}
}

// An actor that panics outside of a host is stopped by its parent; the mailbox
// escalates as protoactor's own do. And all of it runs in virtual time.
func TestMailboxInVirtualTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		system := actor.NewActorSystem(actor.WithDeadLetterThrottleInterval(time.Millisecond))
		var g gauge
		got := make(chan any, 8)
		pid := system.Root.Spawn(actor.PropsFromFunc(func(c actor.Context) {
			switch in := c.Message().(type) {
			case Tick:
				got <- in
			case time.Duration:
				time.AfterFunc(in, func() { system.Root.Send(pid(c), Tick{Epoch: 7}) })
			}
		}, actor.WithMailbox(func() actor.Mailbox { return newMailbox(4, 1, &g, func(any, refusal) {}) })))
		began := time.Now()
		system.Root.Send(pid, time.Hour)
		same(t, any(Tick{Epoch: 7}), <-got)
		if d := time.Since(began); d != time.Hour {
			t.Errorf("it took %v", d)
		}
		if err := system.Root.StopFuture(pid).Wait(); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Second) // virtual: the dead-letter throttle ends
		system.Shutdown()
	})
}

func pid(c actor.Context) *actor.PID { return c.Self() }
