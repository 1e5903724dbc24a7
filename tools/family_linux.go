package tools

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/weir-agents/weir/tools/internal/stage"
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
	if shell, ok := stage.Read(pid); ok {
		f.since = shell.Start
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

// member is a running process.
type member = stage.Process

// scans is how often in a row nobody must be found for nobody to be there: a
// process that is started during a scan, by one that ends during it, is missed
// by the first.
const scans = 2

// members are the processes of the family that run, or those that were found
// until ctx ended.
func (f *family) members(ctx context.Context) []member {
	for range scans - 1 {
		if found, _ := f.scan(ctx); len(found) > 0 {
			return found
		}
	}
	found, _ := f.scan(ctx)
	return found
}

// scan looks through all that runs, about 10 µs for each process of the machine
// and as much for each young one that does not descend from the family.
func (f *family) scan(ctx context.Context) (members, all []member) {
	all = stage.Table(ctx)
	return f.choose(all), all
}

// end kills the family, whatever it starts meanwhile, and all that it has seen
// when ctx ends.
func (f *family) end(ctx context.Context) { stage.End(ctx, f.scan) }

func (f *family) choose(all []member) []member {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.alive {
		f.sure = time.Now()
	}
	for _, m := range all {
		if m.Session == f.session && f.known[m.Pid] == m.Start {
			f.sure = time.Now()
		}
	}
	ours := time.Since(f.sure) < sessionTime
	in, chosen := map[int]bool{f.stage: f.stage > 0}, []member(nil)
	for _, m := range stage.Below(f.stage, all) {
		if f.stage > 0 {
			chosen, in[m.Pid] = append(chosen, m), true // Without a look at each.
		}
	}
	for _, m := range all {
		if in[m.Pid] {
			continue
		}
		if ours && m.Session == f.session || f.known[m.Pid] == m.Start || m.Start >= f.since && !m.Kernel && f.marked(m.Pid) {
			chosen, in[m.Pid] = append(chosen, m), true
		}
	}
	for grown := true; grown; {
		grown = false
		for _, m := range all {
			if !in[m.Pid] && in[m.Parent] {
				chosen, in[m.Pid], grown = append(chosen, m), true, true
			}
		}
	}
	clear(f.known)
	for _, m := range chosen {
		f.known[m.Pid] = m.Start
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

func (f *family) signal(members []member, signal syscall.Signal) {
	for _, m := range members {
		m.Signal(signal)
	}
}

func pids(members []member) []int {
	var ids []int
	for _, m := range members {
		ids = append(ids, m.Pid)
	}
	return ids
}
