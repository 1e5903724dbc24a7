package actors

import (
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
)

// taking is a machine's host that takes what comes and does nothing, so that the
// way through protoactor and the host is all there is.
type taking struct {
	shell
	got int
}

func (t *taking) handle(any) { t.got++ }

// hosted is a send to an actor that runs on the sender's goroutine.
func hosted(tb testing.TB) (send func()) {
	system := actor.NewActorSystem(actor.WithLoggerFactory(silent), actor.WithDeadLetterThrottleInterval(time.Millisecond))
	h := &taking{shell: shell{stage: Assembler, root: system.Root, routes: &routes{}, meter: &Meter{}}}
	pid := system.Root.Spawn(actor.PropsFromProducer(func() actor.Actor { return host{h} },
		actor.WithDispatcher(here{}),
		actor.WithMailbox(func() actor.Mailbox {
			h.routes.box[Assembler] = newMailbox(1, 0, &gauge{}, func(any, refusal) { tb.Error("a post was refused") })
			return h.routes.box[Assembler]
		})))
	tb.Cleanup(func() {
		if err := system.Root.StopFuture(pid).Wait(); err != nil {
			tb.Error(err)
		}
		system.Shutdown()
	})
	var in any = DeltaBatch{}
	return func() {
		had := h.got
		h.send(Assembler, in)
		if h.got != had+1 {
			tb.Fatal("what was sent has not been handled")
		}
	}
}

// BenchmarkHost is a send through protoactor, mailbox and host to the machine,
// without the wake-up of another goroutine.
func BenchmarkHost(b *testing.B) {
	send := hosted(b)
	b.ReportAllocs()
	for b.Loop() {
		send()
	}
}

func TestBudgetOfTheHost(t *testing.T) {
	send := hosted(t)
	if got := testing.AllocsPerRun(1000, send); got > 0 {
		t.Errorf("%v allocations for a send, the budget is none", got)
	}
}
