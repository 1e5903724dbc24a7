package wire

import (
	"testing"
	"testing/synctest"
	"time"
)

// The timer runs on between reads and rings for a late one alone, to the moment.
func TestTheAlarmRingsForALateRead(t *testing.T) {
	for name, story := range map[string]struct {
		quick int           // reads of 9 s before, with a rest of 9 s after each
		wait  time.Duration // of the last one
	}{
		"at once":           {0, 10 * time.Second},
		"after quick reads": {7, 10 * time.Second},
		"sooner than those": {7, time.Second},
		"later than those":  {7, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rung := make(chan time.Time, 2)
				a := alarm{ring: func() { rung <- time.Now() }, from: time.Now()}
				for range story.quick {
					a.set(10 * time.Second)
					time.Sleep(9 * time.Second)
					if a.off() {
						t.Fatal("it rang in time")
					}
					time.Sleep(9 * time.Second)
				}
				due := time.Now().Add(story.wait)
				a.set(story.wait)
				if at := <-rung; !at.Equal(due) || !a.off() {
					t.Errorf("it rang %v after the read was late, and says so: %v", at.Sub(due), a.off())
				}
				a.stop()
				time.Sleep(2 * time.Hour)
				if len(rung) > 0 {
					t.Error("it rang again")
				}
			})
		})
	}
}

// A read that ends before the timer fires, and none after it: nothing rings.
func TestTheAlarmIsSilentBetweenReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := alarm{ring: func() { t.Error("it rang") }, from: time.Now()}
		a.set(10 * time.Second)
		time.Sleep(5 * time.Second)
		a.off()
		time.Sleep(time.Hour)
		a.set(10 * time.Second) // sets the timer anew
		time.Sleep(9 * time.Second)
		if a.off() {
			t.Error("it says that it rang")
		}
		a.stop()
	})
}
