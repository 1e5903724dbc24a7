package stage

import (
	"bytes"
	"context"
	"os"
	"strconv"
	"syscall"
)

// Process is a running process as the system's table told it.
type Process struct {
	Pid, Parent, Group, Session int

	Start  uint64 // when, in ticks: with Pid it names one process only
	Kernel bool
}

// Read reports false for a process that has ended.
func Read(pid int) (Process, bool) {
	var buf [1024]byte
	return read(strconv.Itoa(pid), buf[:])
}

// Table returns what runs, but not this process itself, about 10 µs for each. It
// is not of one moment: what is started meanwhile can be missing, and what is
// left is when ctx ends.
func Table(ctx context.Context) []Process {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	names, _ := dir.Readdirnames(-1) // What has been read will do.
	_ = dir.Close()                  // Only read from.
	own := strconv.Itoa(os.Getpid())
	all := make([]Process, 0, len(names))
	buf := make([]byte, 1024)
	for _, name := range names {
		if ctx.Err() != nil {
			break
		}
		if name[0] < '0' || name[0] > '9' || name == own {
			continue
		}
		if p, ok := read(name, buf); ok {
			all = append(all, p)
		}
	}
	return all
}

// read uses no more than the system calls it needs and no new memory: there may
// be very many processes, and all of them want the processor.
func read(name string, buf []byte) (Process, bool) {
	pid, err := strconv.Atoi(name)
	if err != nil {
		return Process{}, false
	}
	fd, err := syscall.Open("/proc/"+name+"/stat", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return Process{}, false
	}
	n, err := syscall.Read(fd, buf)
	_ = syscall.Close(fd) // Only read from.
	if err != nil {
		return Process{}, false
	}
	// The name is in brackets and may hold anything, brackets too.
	stat := buf[:n]
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 || fields[0][0] == 'Z' || fields[0][0] == 'X' {
		return Process{}, false
	}
	number := func(i int) int {
		n, _ := strconv.Atoi(string(fields[i])) // The kernel wrote it.
		return n
	}
	const kernelThread, exiting = 0x00200000, 0x4
	if number(6)&exiting != 0 { // such as the dying init of a process namespace
		return Process{}, false
	}
	start, _ := strconv.ParseUint(string(fields[19]), 10, 64) // As above.
	return Process{
		Pid: pid, Parent: number(1), Group: number(2), Session: number(3),
		Start: start, Kernel: number(6)&kernelThread != 0,
	}, true
}

// Below returns those of all that descend from pid.
func Below(pid int, all []Process) []Process {
	children := map[int][]Process{}
	for _, p := range all {
		children[p.Parent] = append(children[p.Parent], p)
	}
	below := children[pid]
	for i := 0; i < len(below); i++ {
		below = append(below, children[below[i].Pid]...)
	}
	return below
}

// Signal sends to p, but not to a process that has got its id since.
func (p Process) Signal(signal syscall.Signal) {
	process, err := os.FindProcess(p.Pid) // By a handle, which stays with it.
	if err != nil {
		return
	}
	if now, ok := Read(p.Pid); ok && now.Start == p.Start {
		_ = process.Signal(signal) // It may have ended, or be another user's.
	}
	_ = process.Release() // Never fails here.
}
