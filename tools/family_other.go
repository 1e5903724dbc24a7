//go:build !linux

package tools

import (
	"context"
	"os"
	"sync"
	"syscall"
)

// family is the process group of a shell; what has left it is not found.
type family struct {
	group int
	mu    sync.Mutex
	done  bool
}

type member struct{ pid int }

func newFamily(pid int, _ string, _ []*os.File) *family { return &family{group: pid} }

// newOrphans is a family without members: there are no stages here.
func newOrphans(string, []*os.File) *family { return &family{done: true} }

func (f *family) orphaned() {}

func (f *family) staged(int) {}

// members returns the group as one member while any of it lives.
func (f *family) members(context.Context) []member {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.done || syscall.Kill(-f.group, 0) != nil {
		f.done = true // The id may be another's from now on.
		return nil
	}
	return []member{{pid: f.group}}
}

func (f *family) end(ctx context.Context) { f.signal(f.members(ctx), syscall.SIGKILL) }

func (f *family) signal(members []member, signal syscall.Signal) {
	for _, m := range members {
		_ = syscall.Kill(-m.pid, signal) // It may have ended.
	}
}

func pids(members []member) []int {
	var ids []int
	for _, m := range members {
		ids = append(ids, m.pid)
	}
	return ids
}
