package stage

import (
	"context"
	"encoding/gob"
	"errors"
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// shell is the command of a stage, by a handle that stays with it when it has
// ended: whatever it left in its process group is still found by that.
type shell struct{ pid, handle int }

func hold(pid int) shell {
	handle, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		handle = -1
	}
	return shell{pid, handle}
}

// pidfdGroup (PIDFD_SIGNAL_PROCESS_GROUP) is known to Linux since 6.9.
const pidfdGroup = 4

// signal signals the process group of the command at once, however many are in
// it, and reports false if the kernel cannot do that for certain.
func (s shell) signal(signal syscall.Signal) bool {
	if s.handle < 0 {
		return false
	}
	err := unix.PidfdSendSignal(s.handle, signal, nil, pidfdGroup)
	return err == nil || errors.Is(err, syscall.ESRCH)
}

// endWith does what the other end of the link asks for, and ends all below this
// process, whatever it does about it, once that is closed or gone: it is held by
// the program alone, and goes with it however it ends, also by a signal that
// nobody can answer. Then it goes on until the process ends, which it does when
// nothing is left below.
func endWith(requests *gob.Decoder, command shell) {
	runtime.LockOSThread() // The thread goes before others from the first request on.
	for {
		var ask request
		if requests.Decode(&ask) != nil { // However it ends, nobody is there.
			break
		}
		hurry()
		told := command.signal(ask.Signal)
		for _, p := range Below(os.Getpid(), Table(context.Background())) {
			if !told || p.Group != command.pid {
				p.Signal(ask.Signal)
			}
		}
	}
	hurry()
	for pause := time.Millisecond; ; pause = min(2*pause, time.Second) {
		command.signal(syscall.SIGKILL)
		End(context.Background(), func(ctx context.Context) ([]Process, []Process) {
			all := Table(ctx)
			return Below(os.Getpid(), all), all
		})
		time.Sleep(pause)
	}
}

// hurry lets this thread and this process go before others, where it may: what
// it has to end can be thousands that all want the processor.
func hurry() {
	if syscall.Getpgrp() == os.Getpid() {
		_ = unix.Setpriority(unix.PRIO_PGRP, 0, -20) // All its threads; root may.
	}
	_ = unix.SchedSetAttr(0, &unix.SchedAttr{Policy: unix.SCHED_RR, Priority: 1}, 0) // As above.
}
