// Package stage puts a process between a program and a command of its that
// inherits whatever the command leaves behind. A process whose parent ends is
// given to the stage and to nobody else, so all that the command ever starts
// stays below the stage in the tree of processes, however it cuts its other
// ties, and the stage ends when the last of it has. If the program ends first,
// however it does, the stage ends all of it.
package stage

import "syscall"

// Name is the hidden first argument of a program that is started as a stage.
const Name = "__stage"

// spec tells a stage what to start.
type spec struct {
	Path  string
	Args  []string
	Files []int // descriptors from 3 that are the command's
}

// started is the answer: the command's process id, or why there is none.
type started struct {
	Pid   int
	Errno int
}

// request asks for a signal to all below the stage.
type request struct{ Signal syscall.Signal }

// ended is sent once the command itself has, with its wait status.
type ended struct{ Status uint32 }
