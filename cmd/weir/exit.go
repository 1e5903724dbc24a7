package main

import (
	"errors"
	"syscall"

	"github.com/weir-agents/weir/pipeline"
)

// The exit codes of the event contract.
const (
	exitOK     = 0
	exitFailed = 1 // model or network
	exitUsage  = 2
	exitDenied = 3 // completed, but a needed permission was denied
	exitLimit  = 4
	exitSignal = 128 // and the number of the signal
	exitClosed = exitSignal + int(syscall.SIGPIPE)
	exitCtrlC  = exitSignal + int(syscall.SIGINT)
)

// exitCode says how a turn of that outcome ends a one-shot run.
func exitCode(outcome pipeline.Outcome, denied bool) int {
	switch outcome {
	case pipeline.Completed:
		if denied {
			return exitDenied
		}
		return exitOK
	case pipeline.Canceled:
		return exitCtrlC
	case pipeline.Limited:
		return exitLimit
	default: // failed, or no end at all
		return exitFailed
	}
}

// errorCode says how an error ends the program: one of writing to a reader
// that has left, of the caller, or else of the world.
func errorCode(err error) int {
	switch {
	case errors.Is(err, syscall.EPIPE):
		return exitClosed
	case errors.As(err, new(usageError)):
		return exitUsage
	default:
		return exitFailed
	}
}
