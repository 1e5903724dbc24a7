package pipeline_test

import (
	"context"
	"crypto/sha256"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider/script"
)

// answerBytes is the long answer of the tests below. Most of it lies in the
// server, which waits for the reader.
const answerBytes = 50 << 20

// longAnswer is such an answer, and then silence until the gate opens.
const longAnswer = `{"steps":[{"split":2000,"blocks":[{"text":[{"repeat":"the river is long and slow; ","bytes":52428800},{"gate":"silence"}," end"]}]}]}`

// kernelBytes is more than the socket buffers of a loopback connection hold.
const kernelBytes = 16 << 20

// heldBytes is more than what is on its way through a session, and less than the
// answer.
const heldBytes = 8 << 20

// small limits, so that the ceiling says something about the heap.
func smallLimits() pipeline.Limits {
	return pipeline.Limits{LineBytes: 1 << 20, PromptBytes: 64 << 10, CallsMax: 8}
}

// longCall is the same answer as the arguments of one call.
const longCall = `{"steps":[{"split":2000,"blocks":[{"call":"keep","id":"call_1","arguments":[{"repeat":"the river is long and slow; ","bytes":52428800},{"gate":"silence"}," end"]}]},"kept"]}`

func TestAFrozenReaderStopsTheServerAndLosesNothing(t *testing.T) {
	for what, answer := range map[string]string{"text": longAnswer, "arguments": longCall} {
		for _, dialect := range dialects {
			t.Run(what+" "+dialect, func(t *testing.T) { frozenTwice(t, dialect, answer) })
		}
	}
}

// frozenTwice reads a long answer and stops twice on the way.
func frozenTwice(t *testing.T, dialect, answer string) {
	u := newUpstream(t, answer)
	limits := smallLimits()
	s := open(t, u.client(t, dialect), pipeline.Config{Limits: limits, Deltas: pipeline.DeltasTools})
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	before := liveHeap()
	sum, got, frozen := sha256.New(), 0, 0
	for e, err := range s.Run(ctx, "tell") {
		if err != nil {
			t.Fatal(err)
		}
		piece := pieceOf(e)
		if piece == "" {
			continue
		}
		sum.Write([]byte(piece))
		got += len(piece)
		if at := []int{answerBytes / 20, answerBytes * 19 / 20}; frozen < 2 && got >= at[frozen] {
			frozen++
			freeze(t, u, s, before, limits, got)
		}
		if got == answerBytes { // all that was held appears while the server is silent
			u.Open("silence")
		}
	}
	if want := answerSum(" end"); string(want) != string(sum.Sum(nil)) {
		t.Errorf("the answer is not the one that was sent: %d bytes", got)
	}
	if frozen != 2 {
		t.Errorf("froze %d times", frozen)
	}
}

// pieceOf returns what e brings of the first step.
func pieceOf(e pipeline.Event) string {
	switch e := e.(type) {
	case pipeline.TextDelta:
		if e.Step == 1 {
			return e.Text
		}
	case pipeline.ToolCallDelta:
		return e.Arguments
	}
	return ""
}

// answerSum is the hash of the long answer and what follows it.
func answerSum(rest string) []byte {
	const piece = "the river is long and slow; "
	h := sha256.New()
	for n := 0; n < answerBytes; n += len(piece) {
		h.Write([]byte(piece[:min(len(piece), answerBytes-n)]))
	}
	h.Write([]byte(rest))
	return h.Sum(nil)
}

// freeze is the loop body that takes its time: it waits until the server's
// writes block, and then looks at heap and processor.
func freeze(t *testing.T, u *upstream, s *pipeline.Session, before uint64, limits pipeline.Limits, got int) {
	t.Helper()
	written := settled(u)
	if ahead := written - int64(got)*5/4; ahead > kernelBytes {
		t.Errorf("the server is %d KiB ahead of a frozen reader at %d KiB", ahead>>10, got>>10)
	}
	// The ceiling counts the message up to its cap. Of what has not been read
	// there is far less here, or nothing would be held back.
	most := min(uint64(limits.Default().Ceiling()), uint64(got)*5/4+heldBytes)
	if heap := liveHeap(); heap > before+most {
		t.Errorf("live heap is %d KiB over the start at %d KiB, the most is %d KiB", (heap-before)>>10, got>>10, most>>10)
	}
	if share := busy(); share > idleShare {
		t.Errorf("a frozen pipeline kept %.0f %% of a processor busy", share*100)
	}
	if again := u.Written(); again != written {
		t.Errorf("the server wrote %d more bytes into a frozen reader", again-written)
	}
	if s.Meter().StallTime(pipeline.Reporter) == 0 {
		t.Error("no stage says that it waited for the reader")
	}
}

// settled waits until the server's writes stand still and returns their sum.
func settled(u *upstream) int64 {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	last, same := int64(-1), 0
	for range tick.C {
		now := u.Written()
		if now != last {
			last, same = now, 0
			continue
		}
		if same++; same == 10 {
			return now
		}
	}
	return last
}

func liveHeap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// idleShare is more of a processor than a process needs that has nothing to do,
// and less than one gets that spins, also where many others want to run.
const idleShare = 0.05

// busy returns which share of a processor this process uses for a second, or
// longer if the machine has no time for it.
func busy() float64 {
	used, began := cpu(), time.Now()
	<-time.After(time.Second)
	return float64(cpu()-used) / float64(time.Since(began))
}

// What a frozen pipeline is held against sees a single goroutine that spins.
func TestASpinningGoroutineIsSeen(t *testing.T) {
	var stop atomic.Bool
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for !stop.Load() {
		}
	}()
	if share := busy(); share <= idleShare {
		t.Errorf("it kept %.1f %% of a processor busy", share*100)
	}
	stop.Store(true)
	<-ended
}

func cpu() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// After the message too: the text is in memory once, and so are the arguments
// of a call.
func TestAReaderThatStopsAfterTheMessageCostsTheMessageOnce(t *testing.T) {
	const lorem = `{"repeat":"lorem ipsum ","bytes":52428800}`
	for what, block := range map[string]string{
		"text": `{"text":` + lorem + `}`,
		"call": `{"call":"keep","arguments":["{\"text\":\"",` + lorem + `,"\"}"]}`,
	} {
		t.Run(what, func(t *testing.T) {
			u := newUpstream(t, `{"steps":[{"split":2000,"blocks":[`+block+`]}]}`)
			limits := smallLimits()
			limits.ReaderWindow = 1 // the next step waits for the reader
			s := open(t, u.client(t, "openai"), pipeline.Config{Limits: limits})
			before := liveHeap()
			for e, err := range s.Run(t.Context(), "tell") {
				if err != nil {
					t.Fatal(err)
				}
				if _, ok := e.(pipeline.MessageCompleted); !ok {
					continue
				}
				if heap, most := liveHeap(), before+answerBytes+8<<20; heap > most {
					t.Errorf("live heap is %d MiB over the start after a message of %d MiB", (heap-before)>>20, answerBytes>>20)
				}
				return
			}
			t.Error("no message")
		})
	}
}

// A reader that never comes back, with a patience set: the turn fails.
func TestReaderPatienceFailsTheTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := script.New(parse(t, `{"steps":[{"blocks":[{"text":{"repeat":"word ","bytes":1000000}}]}]}`))
		system := pipeline.NewActorSystem()
		s := open(t, p, pipeline.Config{ActorSystem: system, Limits: pipeline.Limits{ReaderPatience: time.Minute}})
		seen := false
		for e, err := range s.Run(t.Context(), "tell") {
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := e.(pipeline.TextDelta); ok && !seen {
				seen = true
				time.Sleep(2 * time.Minute)
			}
			if end, ok := e.(pipeline.TurnEnded); ok {
				if end.Outcome != pipeline.Failed || end.Error.Kind != "reader_stalled" {
					t.Errorf("the turn ended as %+v", end)
				}
			}
		}
		s.Close()
		time.Sleep(time.Second) // protoactor's dead-letter throttle
	})
}

// Without a patience the turn waits, for hours if need be.
func TestWithoutAPatienceTheTurnWaitsForItsReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := script.New(parse(t, `{"steps":[{"blocks":[{"text":{"repeat":"word ","bytes":1000000}}]}]}`))
		s := open(t, p, pipeline.Config{ActorSystem: pipeline.NewActorSystem()})
		var got int
		for e, err := range s.Run(t.Context(), "tell") {
			if err != nil {
				t.Fatal(err)
			}
			if d, ok := e.(pipeline.TextDelta); ok {
				if got == 0 {
					time.Sleep(5 * time.Hour)
				}
				got += len(d.Text)
			}
			if end, ok := e.(pipeline.TurnEnded); ok {
				if end.Outcome != pipeline.Completed || end.Stalls["reporter"] < int64(5*time.Hour/time.Millisecond) {
					t.Errorf("the turn ended as %+v", end)
				}
			}
		}
		if got != 1000000 {
			t.Errorf("got %d bytes", got)
		}
		s.Close()
		time.Sleep(time.Second)
	})
}

// In lockstep no tool runs before the reader has taken the event before it.
func TestLockstepRunsNoToolBeforeItsMessageWasTaken(t *testing.T) {
	reg, _ := builtin(t, map[string]string{"a.txt": "hello\n", "b.txt": "world\n"})
	ran := make(chan string, 16)
	hooks := pipeline.Hooks{BeforeCall: beforeCall(ran)}
	p := script.New(parse(t, twoReads))
	s := open(t, p, pipeline.Config{Tools: reg, Hooks: hooks, Limits: pipeline.Limits{ReaderWindow: 1}})
	taken := map[string]bool{}
	var events []pipeline.Event
	for e, err := range s.Run(t.Context(), "go") {
		if err != nil {
			t.Fatal(err)
		}
		if !taken["message_completed"] && len(ran) > 0 {
			t.Errorf("a tool ran before %s was taken", e.Type())
		}
		taken[e.Type()] = true
		events = append(events, e)
	}
	checkRules(t, events)
	if text(events) != "I look. They say hello and world." || len(ran) != 2 {
		t.Errorf("the turn went wrong: %s", strings.Join(kinds(events), " "))
	}
}
