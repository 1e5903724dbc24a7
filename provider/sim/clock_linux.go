package sim

import (
	"time"

	"golang.org/x/sys/unix"
)

// monotonic reads the clock that time.Now counts on.
func monotonic(now time.Time) int64 {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) != nil {
		return now.UnixNano()
	}
	return t.Nano()
}
