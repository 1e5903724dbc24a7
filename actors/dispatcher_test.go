package actors

import (
	"slices"
	"sync"
	"testing"
)

// What is scheduled runs one after the other, in order, whoever schedules it
// and from wherever; when nothing is left the goroutine ends (TestMain looks
// for one that did not).
func TestDispatcherRunsOneAtATime(t *testing.T) {
	var d dispatcher
	var all sync.WaitGroup
	inside, most := 0, 0 // no lock: the race detector watches
	last := map[int]int{}
	job := func(by, n int) func() {
		return func() {
			defer all.Done()
			inside++
			most = max(most, inside)
			if last[by] != n-1 {
				t.Errorf("job %d of %d ran after %d", n, by, last[by])
			}
			last[by] = n
			inside--
		}
	}
	const senders, each = 8, 200
	all.Add(senders * each)
	for by := range senders {
		go func() {
			for n := range each {
				d.Schedule(job(by, n+1))
			}
		}()
	}
	all.Wait()
	if most != 1 {
		t.Errorf("%d ran at once", most)
	}
	all.Add(2)
	d.Schedule(func() { d.Schedule(job(99, 1)); all.Done() }) // from within
	all.Wait()
}

// A mailbox that always has more gives the others their turn.
func TestAMailboxThatNeverEmptiesLetsOthersRun(t *testing.T) {
	var d dispatcher
	var busy, other gauge
	stop, ran := make(chan struct{}), make(chan struct{})
	forever := newMailbox(10, 1, &busy, func(any, refusal) {})
	forever.RegisterHandlers(invoker(func(any) {
		select {
		case <-stop:
		default:
			forever.PostUserMessage("more")
		}
	}), &d)
	second := newMailbox(10, 1, &other, func(any, refusal) {})
	second.RegisterHandlers(invoker(func(any) { close(ran) }), &d)
	forever.PostUserMessage("first")
	second.PostUserMessage("me too")
	<-ran
	close(stop)
}

// invoker is the actor of a mailbox, made of a function.
type invoker func(any)

func (f invoker) InvokeUserMessage(msg any)  { f(msg) }
func (f invoker) InvokeSystemMessage(any)    {}
func (f invoker) EscalateFailure(why, _ any) { panic(why) }

// What is scheduled while somebody has hold of the actors runs where it is lent
// to, and what goes on for long leaves that goroutine.
func TestHeldActorsRunWhereTheyAreLentTo(t *testing.T) {
	var d dispatcher
	if !d.hold() || d.hold() {
		t.Fatal("one at a time has hold of idle actors")
	}
	var ran []int // no lock: the race detector watches
	for n := range 3 {
		d.Schedule(func() { ran = append(ran, n) })
	}
	if len(ran) > 0 {
		t.Errorf("%v ran while they were held", ran)
	}
	d.lend()
	if want := []int{0, 1, 2}; !slices.Equal(ran, want) {
		t.Errorf("%v ran here, not %v", ran, want)
	}

	turns, over := 0, make(chan int)
	var again func()
	again = func() {
		if turns++; turns == 10*lentTurns {
			over <- turns // nobody takes it before lend is back
			return
		}
		d.Schedule(again)
	}
	if !d.hold() {
		t.Fatal("the actors are idle again")
	}
	d.Schedule(again)
	d.lend()
	if got := <-over; got != 10*lentTurns {
		t.Errorf("%d turns", got)
	}
}
