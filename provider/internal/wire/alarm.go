package wire

import (
	"sync"
	"time"
)

// alarm ends reads that last too long. Its timer runs on from one read to the
// next and looks, when it fires, whether the read under way is late: setting and
// stopping one for every token costs twice as much. It is set and taken off by
// turns, by one goroutine.
type alarm struct {
	ring func()    // is called once, when a read is late
	from time.Time // the times below count from here

	mu    sync.Mutex
	timer *time.Timer
	at    time.Duration // when the timer fires; 0: it does not
	late  time.Duration // when the read under way is late; 0: there is none
	rang  bool
}

// set begins a read that may last for wait, which is more than 0.
func (a *alarm) set(wait time.Duration) {
	now := time.Since(a.from)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.late = now + wait
	switch {
	case a.timer == nil:
		a.at, a.timer = a.late, time.AfterFunc(wait, a.look)
	case a.at == 0 || a.late < a.at:
		a.at = a.late
		a.timer.Reset(wait)
	}
}

// off ends a read, and reports whether it was late.
func (a *alarm) off() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.late = 0
	return a.rang
}

// look is what the timer does.
func (a *alarm) look() {
	a.mu.Lock()
	defer a.mu.Unlock()
	left := a.late - time.Since(a.from)
	switch {
	case a.late == 0:
		a.at = 0
	case left > 0:
		a.at = a.late
		a.timer.Reset(left)
	case !a.rang:
		a.rang = true
		a.ring()
	}
}

// stop ends it. Nothing is read any more.
func (a *alarm) stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.timer != nil {
		a.timer.Stop()
	}
}
