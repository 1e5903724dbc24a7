package actors

import "sync"

// dispatcher runs the actors of one session on one goroutine at a time. Along
// the way of a delta the next actor then goes on where the one before stopped:
// a token costs one wake-up inside the session and not one for each hop. The
// model's stream, tools and readers have goroutines of their own, so nothing
// that takes long waits behind an actor (I1). It implements actor.Dispatcher.
type dispatcher struct {
	mu      sync.Mutex
	ready   []func() // mailboxes with something to do, in the order they got it
	working bool
	run     func() // work, as a value made once
}

// mailboxTurn is how many messages one mailbox handles before the next has its turn.
const mailboxTurn = 64

// Schedule runs f soon. It never blocks.
func (d *dispatcher) Schedule(f func()) {
	d.mu.Lock()
	d.ready = append(d.ready, f)
	start := !d.working
	d.working = true
	if d.run == nil {
		d.run = d.work
	}
	d.mu.Unlock()
	if start {
		// Ends when no mailbox of the session has anything to do.
		go d.run()
	}
}

// Throughput implements actor.Dispatcher.
func (d *dispatcher) Throughput() int { return mailboxTurn }

// stackRoom is more stack than an actor's way through protoactor and its machine
// takes, so that a goroutine grows once.
const stackRoom = 4 << 10

// grow has the stack of a new goroutine grow while nothing stands on it. In the
// midst of an actor it would be copied frame by frame, twice: with a goroutine
// for each token that comes alone that was half of a token's cost. The room must
// be used by an index the compiler does not know, or it makes none.
//
//go:noinline
func grow(at int) byte {
	var room [stackRoom]byte
	room[at] = 1
	return room[stackRoom-1-at]
}

func (d *dispatcher) work() {
	grow(0)
	exited := true // by runtime.Goexit in a job
	defer func() {
		if exited {
			go d.work() // ends as this one would have
		}
	}()
	for {
		d.mu.Lock()
		if len(d.ready) == 0 {
			d.working, exited = false, false
			d.mu.Unlock()
			return
		}
		f := d.ready[0]
		n := copy(d.ready, d.ready[1:])
		d.ready[n] = nil
		d.ready = d.ready[:n]
		d.mu.Unlock()
		f()
	}
}
