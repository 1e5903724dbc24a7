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
}

// mailboxTurn is how many messages one mailbox handles before the next has its turn.
const mailboxTurn = 64

// lentTurns is how many turns of a mailbox run on a goroutine that lends itself: a
// delta on its way takes two, or four with its grants.
const lentTurns = 8

// Schedule runs f soon. It never blocks.
func (d *dispatcher) Schedule(f func()) {
	d.mu.Lock()
	d.ready = append(d.ready, f)
	start := !d.working
	d.working = true
	d.mu.Unlock()
	if start {
		d.give()
	}
}

// hold keeps what is scheduled from now on for the caller, who calls lend or give
// once it has let go of its locks. False says that a goroutine is at work already,
// which takes it.
func (d *dispatcher) hold() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	free := !d.working
	d.working = true
	return free
}

// lend runs the actors on the caller's goroutine, which has hold of them: a token
// that comes alone then costs one wake-up less, and what it needs is in the
// caches already. What goes on for long is left to a goroutine.
func (d *dispatcher) lend() {
	if !d.work(lentTurns) {
		d.give()
	}
}

// give has a goroutine run the actors that the caller has hold of.
func (d *dispatcher) give() {
	// Ends when no mailbox of the session has anything to do.
	go d.own()
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

// own is work on a goroutine of its own.
func (d *dispatcher) own() {
	grow(0)
	for !d.work(mailboxTurn) {
	}
}

// work runs what is scheduled, at most so many turns of a mailbox. It returns
// false if there may be more, and nobody else is at it.
func (d *dispatcher) work(turns int) (idle bool) {
	exited := true // by runtime.Goexit in a job
	defer func() {
		if exited {
			d.give()
		}
	}()
	for range turns {
		d.mu.Lock()
		if len(d.ready) == 0 {
			d.working, exited = false, false
			d.mu.Unlock()
			return true
		}
		f := d.ready[0]
		n := copy(d.ready, d.ready[1:])
		d.ready[n] = nil
		d.ready = d.ready[:n]
		d.mu.Unlock()
		f()
	}
	exited = false
	return false
}
