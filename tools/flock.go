package tools

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

// lockFolder keeps other processes that use this package from writing in a
// folder meanwhile. Where the file system has no locks it does nothing. The
// lock is the kernel's, so it ends with the process at the latest.
func lockFolder(ctx context.Context, dir *os.Root) (unlock func(), err error) {
	file, err := dir.Open(".")
	if err != nil {
		return nil, plain(err)
	}
	pause := time.Millisecond
	for {
		err := flock(file, syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EWOULDBLOCK):
		case err != nil: // No locks here.
			return func() { _ = file.Close() }, nil
		default:
			return func() { _ = file.Close() }, nil // Closing unlocks.
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
			pause = min(2*pause, 50*time.Millisecond)
		case <-ctx.Done():
			timer.Stop()
			return nil, errors.Join(context.Cause(ctx), file.Close())
		}
	}
}

func flock(file *os.File, how int) error {
	conn, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var failure error
	if err := conn.Control(func(fd uintptr) { failure = syscall.Flock(int(fd), how) }); err != nil {
		return err
	}
	return failure
}
