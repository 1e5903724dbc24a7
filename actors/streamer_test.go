package actors

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/provider"
)

// streamerTest is a streamer in its actor, in virtual time, whose assembler
// only notes what it gets.
type streamerTest struct {
	t      *testing.T
	system *actor.ActorSystem
	pid    *actor.PID
	host   *streamer
	set    sync.WaitGroup

	mu  sync.Mutex
	got []string
}

// inStreamer runs a story in a bubble, where settle lets everything happen
// that can.
func inStreamer(t *testing.T, m model, l Limits, story func(k *streamerTest)) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		k := &streamerTest{t: t, system: actor.NewActorSystem(actor.WithLoggerFactory(silent), actor.WithDeadLetterThrottleInterval(time.Millisecond))}
		to := &routes{}
		at := func(stages ...Stage) actor.PropsOption {
			box := newMailbox(1<<10, 0, &gauge{}, func(msg any, why refusal) {
				if why == laneFull { // else it came after the story
					t.Errorf("%T was refused", msg)
				}
			})
			for _, s := range stages {
				to.box[s] = box
			}
			return actor.WithMailbox(func() actor.Mailbox { return box })
		}
		probe := k.system.Root.Spawn(actor.PropsFromFunc(func(c actor.Context) { k.note(c.Message()) }, at(Assembler, Turning, Supervising)))
		meter := &Meter{}
		k.host = &streamer{
			shell: shell{stage: Streamer, root: k.system.Root, routes: to, meter: meter, running: &k.set},
			line:  &dispatcher{}, provider: m, limits: l.Default(), ctx: ctx,
		}
		k.pid = k.system.Root.Spawn(actor.PropsFromProducer(func() actor.Actor { return host{k.host} }, actor.WithDispatcher(k.host.line), at(Streamer)))
		synctest.Wait()
		story(k)
		cancel()
		k.set.Wait()
		for _, pid := range []*actor.PID{k.pid, probe} {
			if err := k.system.Root.StopFuture(pid).Wait(); err != nil {
				t.Error(err)
			}
		}
		time.Sleep(time.Minute) // virtual: timers and the dead-letter throttle end
		k.system.Shutdown()
	})
}

func (k *streamerTest) note(msg any) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch in := msg.(type) {
	case DeltaBatch:
		all := map[bool]string{true: "free "}[in.Free]
		for _, d := range in.Deltas {
			all += "|" + d.Text
		}
		k.got = append(k.got, all)
	case StreamEnded:
		err := "well"
		if in.Err != nil {
			err, _, _ = strings.Cut(in.Err.Error(), "\n")
		}
		k.got = append(k.got, fmt.Sprintf("%s.%d.%d ended %s", in.Ref.Turn, in.Ref.Step, in.Ref.Attempt, err))
	case Crashed:
		k.got = append(k.got, "crashed "+in.Reason)
	}
}

func (k *streamerTest) send(inputs ...any) {
	for _, in := range inputs {
		k.system.Root.Send(k.pid, in)
	}
	synctest.Wait()
}

func (k *streamerTest) want(got ...string) {
	k.t.Helper()
	k.mu.Lock()
	defer k.mu.Unlock()
	if diff := cmp.Diff(got, k.got); diff != "" {
		k.t.Errorf("the assembler (-want +got):\n%s", diff)
	}
	k.got = nil
}

func open1() OpenStream { return OpenStream{Ref: ref(1, 1)} }

func credit(batches, bytes int) Grant {
	return Grant{From: Streamer, Ref: ref(1, 1), Batches: batches, Bytes: bytes}
}

// texts says texts one by one, then ends.
func texts(all ...string) model {
	return func(_ context.Context, _ provider.Request, say func(provider.Delta) bool) error {
		for _, s := range all {
			if !say(text(0, s)) {
				return nil
			}
		}
		say(finish(provider.StopEnd))
		return nil
	}
}

func TestStreamerSendsUnderCreditAndMergesWithout(t *testing.T) {
	inStreamer(t, texts("a", "b", "c", "d"), Limits{HopBatches: 2}, func(k *streamerTest) {
		k.send(open1())
		k.want("|a", "|b")
		k.send(credit(1, 1))
		k.want("|cd|", "t1.1.1 ended well")
	})
}

// A grant alone flushes what is pending, though the model says nothing more.
func TestStreamerFlushesByAGrantWhileTheModelIsSilent(t *testing.T) {
	silentModel := func(ctx context.Context, _ provider.Request, say func(provider.Delta) bool) error {
		say(text(0, "a"))
		say(text(0, "b"))
		<-ctx.Done()
		return ctx.Err()
	}
	inStreamer(t, silentModel, Limits{HopBatches: 1}, func(k *streamerTest) {
		k.send(open1())
		k.want("|a")
		stale := credit(1, 1)
		stale.Ref = ref(1, 0)
		k.send(stale) // I12
		k.want()
		k.send(credit(1, 1))
		k.want("|b")
		k.send(CloseStream{ref(1, 1)})
		k.want("t1.1.1 ended closed")
	})
}

// The pending batch is bounded: then the model is not read any more.
func TestStreamerStopsReadingWithoutCredit(t *testing.T) {
	said := 0
	flood := func(_ context.Context, _ provider.Request, say func(provider.Delta) bool) error {
		for said = 1; say(text(0, "0123456789")); said++ {
		}
		return nil
	}
	inStreamer(t, flood, Limits{HopBatches: 1, HopBytes: 100}, func(k *streamerTest) {
		k.send(open1())
		k.want("|0123456789")
		if said != 7 { // one is out, five are pending, one is in hand
			t.Errorf("%d deltas were read", said)
		}
		time.Sleep(time.Hour)
		k.send(CloseStream{ref(1, 1)})
		k.want("free |"+strings.Repeat("0123456789", 5), "t1.1.1 ended closed")
	})
}

func TestStreamerCutsWhatIsLargerThanHalfAWindow(t *testing.T) {
	inStreamer(t, texts("漢漢漢漢漢"), Limits{HopBatches: 64, HopBytes: 16}, func(k *streamerTest) {
		k.send(open1()) // pieces of two characters, gathered to less than a window
		k.want("|漢漢漢漢", "|漢", "|", "t1.1.1 ended well")
	})
}

func TestStreamerGathersWhatIsDecodedAlready(t *testing.T) {
	gathered := func(_ context.Context, _ provider.Request, say func(provider.Delta) bool) error {
		for i, s := range []string{"a", "b", "c"} {
			d := text(i, s)
			d.More = i < 2
			say(d)
		}
		return &provider.Error{Kind: provider.TruncatedStream, Message: "cut"}
	}
	inStreamer(t, gathered, Limits{}, func(k *streamerTest) {
		k.send(open1())
		k.want("|a|b|c", "t1.1.1 ended truncated_stream: cut")
	})
}

func TestStreamerEndsOfAllKinds(t *testing.T) {
	for want, m := range map[string]model{
		"t1.1.1 ended truncated_stream: the stream ended without a finish": func(context.Context, provider.Request, func(provider.Delta) bool) error { return nil },
		"t1.1.1 ended panic: the provider panicked: boom":                  func(context.Context, provider.Request, func(provider.Delta) bool) error { panic("boom") },
		"t1.1.1 ended no route": func(context.Context, provider.Request, func(provider.Delta) bool) error {
			return errors.New("no route")
		},
	} {
		inStreamer(t, m, Limits{}, func(k *streamerTest) {
			k.send(open1())
			k.want(want)
			k.send(CloseStream{ref(1, 1)}) // too late, and answered all the same
			k.want("t1.1.1 ended closed")
		})
	}
}

// I7: a close overtakes its open; the model is never asked, however many did.
func TestStreamerClosesBeforeItOpens(t *testing.T) {
	asked := 0
	m := func(context.Context, provider.Request, func(provider.Delta) bool) error { asked++; return nil }
	inStreamer(t, m, Limits{}, func(k *streamerTest) {
		k.send(CloseStream{ref(1, 1)}, CloseStream{ref(2, 1)})
		k.want("t1.1.1 ended closed", "t1.2.1 ended closed")
		k.send(open1(), OpenStream{Ref: ref(2, 1)})
		k.want()
		if asked != 0 {
			t.Errorf("the model was asked %d times", asked)
		}
		k.send(OpenStream{Ref: ref(3, 1)})
		k.want("t1.3.1 ended truncated_stream: the stream ended without a finish")
	})
}

// A provider that does not end when told is given up after StopGrace.
func TestStreamerGivesUpAProviderThatDoesNotEnd(t *testing.T) {
	release := make(chan struct{})
	deaf := func(_ context.Context, _ provider.Request, say func(provider.Delta) bool) error {
		say(text(0, "a"))
		<-release
		say(text(0, "late"))
		return nil
	}
	inStreamer(t, deaf, Limits{StopGrace: time.Second}, func(k *streamerTest) {
		release = make(chan struct{}) // of the bubble
		k.send(open1())
		k.want("|a")
		k.send(CloseStream{ref(1, 1)})
		k.want()
		time.Sleep(time.Second)
		synctest.Wait()
		k.want("t1.1.1 ended closed")
		close(release)
		synctest.Wait()
		k.want()
	})
}
