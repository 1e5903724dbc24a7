package stdio

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Streams are the standard streams of a program.
type Streams struct {
	In       *os.File
	Out, Err *Output
	// InTerminal, OutTerminal and ErrTerminal tell which are terminals.
	InTerminal, OutTerminal, ErrTerminal bool
}

// Take takes the standard streams over, once, at the start of the program.
// Descriptor 1 is standard error from then on, in this process and in all it
// starts; what was standard output is closed in children (B029).
func Take() (*Streams, error) {
	fd, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, fmt.Errorf("standard output: %w", err)
	}
	if err := redirect(2, 1); err != nil {
		return nil, fmt.Errorf("standard output: %w", err)
	}
	out := os.NewFile(uintptr(fd), "standard output")
	return &Streams{
		In: os.Stdin, Out: NewOutput(out), Err: NewOutput(os.Stderr),
		InTerminal: Terminal(os.Stdin), OutTerminal: Terminal(out), ErrTerminal: Terminal(os.Stderr),
	}, nil
}

// Hurry calls [Output.Hurry] on both outputs.
func (s *Streams) Hurry() {
	s.Out.Hurry()
	s.Err.Hurry()
}

// Relax calls [Output.Relax] on both outputs.
func (s *Streams) Relax() {
	s.Out.Relax()
	s.Err.Relax()
}

// Terminal reports whether f is a terminal.
func Terminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), getTermios)
	return err == nil
}
