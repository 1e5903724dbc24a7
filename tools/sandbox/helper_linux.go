package sandbox

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// serve confines this process step by step and becomes the command. What binds
// a thread is done on the one that execs; the others end with that.
func serve(args []string) error {
	spec, argv, err := decode(args)
	if err != nil {
		return err
	}
	runtime.LockOSThread() // Never unlocked: the thread is not fit for anything else.
	switch spec.Kind {
	case Bubblewrap:
		err = verify(spec.Places)
	case Namespaces:
		err = spec.namespaces()
	case Landlock:
	default:
		err = fmt.Errorf("kind %d is not known", spec.Kind)
	}
	if err != nil {
		return err
	}
	if err := spec.Limits.apply(); err != nil {
		return fmt.Errorf("limits: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up new privileges: %w", err)
	}
	if err := dropCaps(); err != nil {
		return fmt.Errorf("give up root's rights: %w", err)
	}
	if spec.Kind != Bubblewrap {
		if err := spec.restrict(); err != nil {
			return err
		}
	}
	if spec.Check {
		_, err := os.Stdout.WriteString(checked)
		return err
	}
	if err := syscall.Exec(spec.Path, argv, os.Environ()); err != nil {
		return fmt.Errorf("%s: %w", spec.Path, err)
	}
	return nil
}

// restrict applies what needs no mounts.
func (s spec) restrict() error {
	if err := s.landlock(); err != nil {
		return fmt.Errorf("restrict by Landlock: %w", err)
	}
	if s.Kind == Landlock && canFilter {
		if err := closeSockets(s.Net); err != nil {
			return fmt.Errorf("close sockets: %w", err)
		}
	}
	return nil
}

// dropCaps leaves root the rights over its own files, also in what it starts,
// because without new privileges nothing comes back by an exec.
func dropCaps() error {
	const kept = 1<<unix.CAP_CHOWN | 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_FOWNER | 1<<unix.CAP_FSETID
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return err
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return err
	}
	for i := range data {
		var mask uint32
		if i == 0 && os.Geteuid() == 0 {
			mask = kept
		}
		data[i].Effective &= mask
		data[i].Permitted &= mask
		data[i].Inheritable = 0
	}
	return unix.Capset(&header, &data[0])
}

// apply lowers the limits; a limit that is lower already stays.
func (l Limits) apply() error {
	for _, limit := range []struct {
		kind int
		max  uint64
		none bool
	}{
		{kind: unix.RLIMIT_CORE, max: 0}, // A dump would hold what the command knew.
		{kind: unix.RLIMIT_NPROC, max: l.Processes},
		{kind: unix.RLIMIT_FSIZE, max: l.FileBytes},
		{kind: unix.RLIMIT_AS, max: l.MemoryBytes, none: l.MemoryBytes == 0},
		{kind: unix.RLIMIT_CPU, max: uint64(l.CPU / time.Second), none: l.CPU == 0},
	} {
		if limit.none {
			continue
		}
		var now unix.Rlimit
		if err := unix.Getrlimit(limit.kind, &now); err != nil {
			return err
		}
		now.Max = min(now.Max, limit.max)
		now.Cur = min(now.Cur, now.Max)
		if err := unix.Setrlimit(limit.kind, &now); err != nil {
			return err
		}
	}
	return nil
}
