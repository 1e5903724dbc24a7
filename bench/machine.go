package bench

import (
	"fmt"
	"runtime"
	"time"
)

// Machine is where a run was, and how quiet it was there.
type Machine struct {
	OS    string `json:"os"`
	Arch  string `json:"arch"`
	Go    string `json:"go"`
	Cores int    `json:"cores"`
	// ClockNS is the least step of the clock that was seen.
	ClockNS int64 `json:"clock_ns"`
	// LateP50 and LateP99 are by how much a timer of 1 ms is late, in µs: the
	// noise under every latency.
	LateP50 float64 `json:"late_p50_us"`
	LateP99 float64 `json:"late_p99_us"`
}

// String returns m in one line.
func (m Machine) String() string {
	return fmt.Sprintf("%s/%s, %s, %d cores; clock step %d ns; a 1 ms timer is late by %.0f µs (p50), %.0f µs (p99)",
		m.OS, m.Arch, m.Go, m.Cores, m.ClockNS, m.LateP50, m.LateP99)
}

// look measures the machine. It takes about a second and a half.
func look() Machine {
	m := Machine{OS: runtime.GOOS, Arch: runtime.GOARCH, Go: runtime.Version(), Cores: runtime.GOMAXPROCS(0), ClockNS: 1 << 62}
	for range 10_000 {
		a := time.Now()
		b := time.Now()
		if d := b.Sub(a); d > 0 {
			m.ClockNS = min(m.ClockNS, int64(d))
		}
	}
	late := NewTimes()
	tick := time.NewTimer(time.Millisecond)
	for range 1000 {
		due := time.Now().Add(time.Millisecond)
		tick.Reset(time.Millisecond)
		<-tick.C
		late.Add(time.Since(due))
	}
	m.LateP50, m.LateP99 = micro(late.h.ValueAtQuantile(50)), micro(late.h.ValueAtQuantile(99))
	return m
}
