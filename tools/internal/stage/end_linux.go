package stage

import (
	"context"
	"syscall"
)

// passesMax bounds how often End looks for what is not frozen yet.
const passesMax = 64

// End kills what list calls ours, of all that runs. What starts others as fast
// as it is killed cannot outrun it: everything is stopped first, which gives
// back no place in the table of processes and leaves every child below its
// parent, until nobody is found that still moves. Whole process groups are
// signalled at once, since no child of theirs slips through that. What is
// started while list looks can still be missed, so the caller repeats it until
// nothing is left. It returns early when ctx ends, having killed what it saw.
func End(ctx context.Context, list func(context.Context) (ours, all []Process)) {
	frozen, groups := map[Process]bool{}, map[int]bool{}
	for range passesMax {
		ours, all := list(ctx)
		whole := wholeGroups(ours, all)
		fresh, stopped := false, map[int]bool{}
		for _, p := range ours {
			key := Process{Pid: p.Pid, Start: p.Start} // Its parent may change.
			if frozen[key] {
				continue
			}
			frozen[key], fresh = true, true
			if stopped[p.Group] {
				continue
			}
			p.Signal(syscall.SIGSTOP)
			if whole[p.Group] && p.still() {
				_ = syscall.Kill(-p.Group, syscall.SIGSTOP) // As in Signal.
				stopped[p.Group], groups[p.Group] = true, true
			}
		}
		if !fresh || ctx.Err() != nil {
			break
		}
	}
	for group := range groups { // What is stopped in it keeps its id from others.
		_ = syscall.Kill(-group, syscall.SIGKILL) // As above.
	}
	for p := range frozen {
		p.Signal(syscall.SIGKILL)
	}
}

// wholeGroups are the process groups that nobody else is in.
func wholeGroups(ours, all []Process) map[int]bool {
	in := map[int]int{}
	for _, p := range all {
		in[p.Group]++
	}
	for _, p := range ours {
		in[p.Group]--
	}
	own := syscall.Getpgrp()
	whole := map[int]bool{}
	for _, p := range ours {
		whole[p.Group] = p.Group > 1 && p.Group != own && in[p.Group] == 0
	}
	return whole
}

// still reports that p runs, in the same group.
func (p Process) still() bool {
	now, ok := Read(p.Pid)
	return ok && now.Start == p.Start && now.Group == p.Group
}
