package sim

import "time"

// Clock reads the machine's monotonic clock, which nothing sets and which is
// the same in all processes of the machine, so that what one process has
// stamped another can measure from. Where the system offers none it is the time
// since 1970, as it was when the Clock was made, and goes on evenly. The zero
// value is no clock; make one with NewClock.
type Clock struct {
	base time.Time
	at   int64
}

// NewClock returns a clock. It is tied to the machine's within about 100 ns.
func NewClock() Clock {
	best, c := time.Duration(1<<62), Clock{}
	for range 16 { // whoever is interrupted between the readings is not believed
		before := time.Now()
		at := monotonic(before)
		if took := time.Since(before); took < best {
			best, c = took, Clock{base: before, at: at - int64(took/2)}
		}
	}
	return c
}

// Now returns nanoseconds since a moment that is the machine's own. It costs
// what time.Since does.
func (c Clock) Now() int64 { return c.At(time.Now()) }

// At returns what Now did or will return at t, which must come from time.Now.
func (c Clock) At(t time.Time) int64 { return c.at + int64(t.Sub(c.base)) }
