//go:build !linux

package sim

import "time"

func monotonic(now time.Time) int64 { return now.UnixNano() }
