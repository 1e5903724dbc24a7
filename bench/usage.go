package bench

import (
	"runtime"
	"syscall"
	"time"
)

// Usage is what this process has used since it started, or between two moments.
type Usage struct {
	Wall, CPU     time.Duration
	Allocs, Bytes uint64 // allocations, and their bytes
	at            time.Time
}

// Used returns what the process has used so far. It stops the world for a moment.
func Used() Usage {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return Usage{CPU: CPU(), Allocs: m.Mallocs, Bytes: m.TotalAlloc, at: time.Now()}
}

// Since returns what has been used between before and u.
func (u Usage) Since(before Usage) Usage {
	return Usage{
		Wall: u.at.Sub(before.at), CPU: u.CPU - before.CPU,
		Allocs: u.Allocs - before.Allocs, Bytes: u.Bytes - before.Bytes,
	}
}

// CPU returns the processor time of this process, user and system.
func CPU() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic("bench: getrusage: " + err.Error()) // no system we run on refuses it
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// familyCPU is the processor time of this process and of the children that have
// ended.
func familyCPU() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &r); err != nil {
		panic("bench: getrusage: " + err.Error()) // no system we run on refuses it
	}
	return CPU() + time.Duration(r.Utime.Nano()+r.Stime.Nano())
}

// Heap returns the live heap in bytes, after a collection.
func Heap() uint64 {
	runtime.GC()
	runtime.GC() // what finalizers and pools have let go
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
