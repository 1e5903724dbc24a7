package main

import (
	"fmt"
	"runtime/debug"
)

// fault is a panic in a goroutine beside the one that owns a talk. It is told to
// that one, so that the program ends as after any error and gives the terminal
// back first.
type fault struct {
	why   any
	stack []byte
}

func (f fault) Error() string { return fmt.Sprintf("a fault of weir's own: %v", f.why) }

// caught is deferred; it reports a panic.
func caught(report func(fault)) {
	if why := recover(); why != nil {
		report(fault{why, debug.Stack()})
	}
}
