//go:build !linux

package stage

import (
	"errors"
	"os/exec"
	"syscall"
)

// Works says that there are stages on this system.
const Works = false

// Stage is a command that was started by a stage. There is none but on Linux.
type Stage struct{ Pid int }

// Start is an error.
func Start(string, *exec.Cmd) (*Stage, error) { return nil, errors.ErrUnsupported }

// Ended is never called.
func (*Stage) Ended() (syscall.WaitStatus, bool) { return 0, false }

// Stopped is never called.
func (*Stage) Stopped() <-chan struct{} { return nil }

// Signal is never called.
func (*Stage) Signal(syscall.Signal) {}

// End is never called.
func (*Stage) End() {}

// Close is never called.
func (*Stage) Close() {}

// Main handles nothing.
func Main([]string) (handled bool, code int) { return false, 0 }
