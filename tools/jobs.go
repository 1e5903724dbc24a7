package tools

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Bounds of the jobs of a session.
const (
	jobsRunningMax = 32 // beyond it no background job starts
	jobsKeptMax    = 64 // beyond it the oldest that has ended is forgotten
)

// jobs are the background processes of a session.
type jobs struct {
	mu   sync.Mutex
	last int
	list []*job // in order of their numbers
}

type job struct {
	id      string
	command string
	*process
	hold *Hold
}

type jobsKey struct{}

func jobsOf(s *Scope) *jobs {
	return s.Value(jobsKey{}, func() any { return &jobs{} }).(*jobs)
}

// add keeps p as a job that ends with the turn's cancel or the session.
func (j *jobs) add(call Call, command string, p *process) *job {
	hold := call.Scope.Keep(call.Turn, func() { p.kill() })
	j.mu.Lock()
	j.last++
	added := &job{id: strconv.Itoa(j.last), command: command, process: p, hold: hold}
	j.list = append(j.list, added)
	j.trim()
	j.mu.Unlock()
	go added.watch(call.Scope)
	return added
}

// watch lets the hold go when the job has ended by itself. It ends with the
// job's output; a child that has closed its output stays held.
func (b *job) watch(s *Scope) {
	<-b.exited
	<-b.drained
	if len(b.left(context.Background())) == 0 {
		s.Release(b.hold)
	}
}

// trim forgets old jobs that have ended. The caller holds the lock.
func (j *jobs) trim() {
	for len(j.list) > jobsKeptMax {
		i := slices.IndexFunc(j.list, func(b *job) bool { return !b.running() })
		if i < 0 {
			return
		}
		j.list = slices.Delete(j.list, i, i+1)
	}
}

// full reports whether no further job may start.
func (j *jobs) full() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := 0
	for _, b := range j.list {
		if b.running() {
			n++
		}
	}
	return n >= jobsRunningMax
}

// find returns the job of that number, or an error that lists what there is.
func (j *jobs) find(id string) (*job, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	var ids []string
	for _, b := range j.list {
		if b.id == strings.TrimPrefix(id, "job ") {
			return b, nil
		}
		ids = append(ids, b.id)
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("no job %s; there are none", quoteCapped(id))
	}
	return nil, fmt.Errorf("no job %s; the jobs are %s", quoteCapped(id), strings.Join(ids, ", "))
}

// running reports whether the shell or anything that writes to its output lives.
func (b *job) running() bool {
	select {
	case <-b.drained:
		return !b.hasExited()
	default:
		return true
	}
}

// state describes a job in a line.
func (b *job) state(ctx context.Context) string {
	members := b.left(ctx)
	switch {
	case !b.hasExited():
		return "running, pid " + strconv.Itoa(b.pid)
	case len(members) > 0:
		return "the shell has ended; still running: " + pidList(pids(members))
	case b.ending() == "":
		return "ended, exit 0"
	default:
		return "ended, " + b.ending()
	}
}

// pidsMax is how many processes a result names; a command may have left more.
const pidsMax = 50

func pidList(ids []int) string {
	words := make([]string, 0, pidsMax)
	for _, id := range ids[:min(len(ids), pidsMax)] {
		words = append(words, strconv.Itoa(id))
	}
	switch more := len(ids) - len(words); {
	case more > 0:
		return fmt.Sprintf("pids %s and %d more", strings.Join(words, ", "), more)
	case len(words) == 1:
		return "pid " + words[0]
	default:
		return "pids " + strings.Join(words, ", ")
	}
}
