package bench

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// Machine is where a run was, and how quiet it was there.
type Machine struct {
	OS    string `json:"os"`
	Arch  string `json:"arch"`
	Go    string `json:"go"`
	Cores int    `json:"cores"`
	CPU   string `json:"cpu,omitempty"` // what it calls itself
	// ClockNS is the least step of the clock that was seen.
	ClockNS int64 `json:"clock_ns"`
	// LateP50 and LateP99 are by how much a timer of 1 ms is late, in µs: the
	// noise under every latency.
	LateP50 float64 `json:"late_p50_us"`
	LateP99 float64 `json:"late_p99_us"`
}

// String returns m in one line.
func (m Machine) String() string {
	return fmt.Sprintf("%s/%s, %s, %d cores%s; clock step %d ns; a 1 ms timer is late by %.0f µs (p50), %.0f µs (p99)",
		m.OS, m.Arch, m.Go, m.Cores, named(m.CPU), m.ClockNS, m.LateP50, m.LateP99)
}

// look measures the machine. It takes about a second and a half.
func look() Machine {
	m := Machine{OS: runtime.GOOS, Arch: runtime.GOARCH, Go: runtime.Version(), Cores: runtime.GOMAXPROCS(0), CPU: cpuName(), ClockNS: 1 << 62}
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

func named(cpu string) string {
	if cpu == "" {
		return ""
	}
	return " (" + cpu + ")"
}

// cpuName is what the processor calls itself; empty where the system does not tell.
func cpuName() string {
	text, _ := os.ReadFile("/proc/cpuinfo") // there is none but on Linux
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// version is that of the program.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "of unknown version"
	}
	revision, changed := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = " " + s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = ", changed"
		}
	}
	return info.Main.Version + revision + changed
}

// busy is the processor time of all programs of the machine so far; not everywhere
// is it known.
func busy() (time.Duration, bool) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, false
	}
	line, _, _ := strings.Cut(string(text), "\n")
	var user, nice, system, idle, wait, irq, soft, steal int64
	if _, err := fmt.Sscanf(line, "cpu %d %d %d %d %d %d %d %d", &user, &nice, &system, &idle, &wait, &irq, &soft, &steal); err != nil {
		return 0, false
	}
	const tick = time.Second / 100 // Linux counts in hundredths for everybody
	return time.Duration(user+nice+system+irq+soft+steal) * tick, true
}

// watchOthers returns what tells the share of the processors that other programs
// have taken since, 0 to 1, or -1 where nobody knows. Children count as ours once
// they have ended.
func watchOthers() func() float64 {
	all, known := busy()
	own, begun := familyCPU(), time.Now()
	return func() float64 {
		now, ok := busy()
		if !ok || !known {
			return -1
		}
		there := time.Since(begun) * time.Duration(runtime.NumCPU())
		return min(1, max(0, float64(now-all-(familyCPU()-own))/float64(there)))
	}
}
