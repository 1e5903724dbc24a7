package tools

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// family finds the processes that a shell has started, directly or not: they
// carry its mark in their environment, are in its session, hold its output
// pipes, or descend from one that does or from the stage. Without a stage, what
// gives up all four at once (a cleared environment, an own session, closed
// streams, a parent that has ended) is not found.
type family struct {
	mark  []byte
	pipes []string // as /proc/PID/fd shows them
	// since is when the shell started; what is older need not be looked at.
	since uint64

	mu      sync.Mutex
	stage   int // above the shell, and not of the family; 0 if there is none
	session int
	alive   bool           // the shell has not been reaped, so its id is its own
	sure    time.Time      // when the session's id was its own at last
	known   map[int]uint64 // members seen, with their start time
}

// sessionTime is how long the id of a session that has ended is taken to be
// its own still: process ids do not come round so soon.
const sessionTime = time.Second

func newFamily(pid int, mark string, pipes []*os.File) *family {
	f := &family{mark: []byte(mark), session: pid, alive: true, known: map[int]uint64{}}
	if shell, ok := readMember(pid); ok {
		f.since = shell.start
	}
	for _, pipe := range pipes {
		if info, err := pipe.Stat(); err == nil {
			if stat, ok := info.Sys().(*syscall.Stat_t); ok {
				f.pipes = append(f.pipes, fmt.Sprintf("pipe:[%d]", stat.Ino))
			}
		}
	}
	return f
}

// newOrphans is a family whose shell is not known: its mark and its pipes are.
func newOrphans(mark string, pipes []*os.File) *family {
	f := newFamily(0, mark, pipes)
	f.alive = false
	return f
}

// staged is told the process that all of the family descends from for certain,
// or 0 when there is none any more.
func (f *family) staged(pid int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stage = pid
}

// orphaned is told when the shell has been reaped: from now on its id counts
// only as long as a known member of its session lives.
func (f *family) orphaned() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.alive, f.sure = false, time.Now()
}

// member is a running process as /proc/PID/stat tells it.
type member struct {
	pid, parent, session int
	start                uint64
	kernel               bool
}

// scans is how often in a row nobody must be found for nobody to be there: a
// process that is started during a scan, by one that ends during it, is missed
// by the first.
const scans = 2

// members are the processes of the family that run.
func (f *family) members() []member {
	for range scans - 1 {
		if found := f.scan(); len(found) > 0 {
			return found
		}
	}
	return f.scan()
}

// scan looks through /proc, about 20 µs for each process of the machine.
func (f *family) scan() []member {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	names, err := dir.Readdirnames(-1)
	_ = dir.Close() // Only read from.
	if err != nil {
		return nil
	}
	var all []member
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil && pid != os.Getpid() {
			if m, ok := readMember(pid); ok {
				all = append(all, m)
			}
		}
	}
	return f.choose(all)
}

func (f *family) choose(all []member) []member {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.alive {
		f.sure = time.Now()
	}
	for _, m := range all {
		if m.session == f.session && f.known[m.pid] == m.start {
			f.sure = time.Now()
		}
	}
	ours := time.Since(f.sure) < sessionTime
	var chosen []member
	in := map[int]bool{f.stage: f.stage > 0}
	for _, m := range all {
		if m.pid == f.stage {
			continue
		}
		if ours && m.session == f.session || f.known[m.pid] == m.start || m.start >= f.since && !m.kernel && f.marked(m.pid) {
			chosen = append(chosen, m)
			in[m.pid] = true
		}
	}
	for grown := true; grown; {
		grown = false
		for _, m := range all {
			if !in[m.pid] && in[m.parent] {
				chosen, in[m.pid], grown = append(chosen, m), true, true
			}
		}
	}
	clear(f.known)
	for _, m := range chosen {
		f.known[m.pid] = m.start
	}
	return chosen
}

// marked reports whether the process carries the mark or holds the pipe. Those
// of other users cannot be read, and could not be ended either.
func (f *family) marked(pid int) bool {
	dir := "/proc/" + strconv.Itoa(pid)
	for wait := time.Microsecond; ; wait *= 4 {
		env, err := os.ReadFile(dir + "/environ")
		if err == nil && bytes.Contains(env, f.mark) {
			return true
		}
		// In the middle of an exec a process has neither environment nor
		// arguments; one that was started with none has its arguments.
		if err != nil || len(env) > 0 || wait > execTime || !empty(dir+"/cmdline") {
			break
		}
		time.Sleep(wait)
	}
	for _, fd := range []string{"/fd/1", "/fd/2"} {
		if target, err := os.Readlink(dir + fd); err == nil && slices.Contains(f.pipes, target) {
			return true
		}
	}
	return false
}

// execTime bounds the wait for one process to be through its exec.
const execTime = 20 * time.Millisecond

func empty(file string) bool {
	text, err := os.ReadFile(file)
	return err == nil && len(text) == 0
}

// signal sends to each member, but not to a process that has got its id since.
func (f *family) signal(members []member, signal syscall.Signal) {
	for _, m := range members {
		process, err := os.FindProcess(m.pid) // By a handle, which stays with it.
		if err != nil {
			continue
		}
		if now, ok := readMember(m.pid); ok && now.start == m.start {
			_ = process.Signal(signal) // It may have ended, or be another user's.
		}
		_ = process.Release() // Never fails here.
	}
}

// readMember reports false for a process that has ended.
func readMember(pid int) (member, bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return member{}, false
	}
	// The name is in brackets and may hold anything, brackets too.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 || fields[0][0] == 'Z' || fields[0][0] == 'X' {
		return member{}, false
	}
	number := func(i int) int {
		n, _ := strconv.Atoi(string(fields[i])) // The kernel wrote it.
		return n
	}
	const kernelThread, exiting = 0x00200000, 0x4
	if number(6)&exiting != 0 { // such as the dying init of a process namespace
		return member{}, false
	}
	start, _ := strconv.ParseUint(string(fields[19]), 10, 64) // The kernel wrote it.
	return member{pid: pid, parent: number(1), session: number(3), start: start, kernel: number(6)&kernelThread != 0}, true
}

func pids(members []member) []int {
	var ids []int
	for _, m := range members {
		ids = append(ids, m.pid)
	}
	return ids
}
