package stdio

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Streams are the standard streams of a program.
type Streams struct {
	In       *os.File
	Out, Err *Output
	// Screen is what Out writes to, to ask a terminal for its size.
	Screen *os.File
	// InTerminal, OutTerminal and ErrTerminal tell which are terminals.
	InTerminal, OutTerminal, ErrTerminal bool
}

// nowhere is a standard output that was closed before the program began.
type nowhere struct{}

func (nowhere) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "standard output", Err: errors.New("it is closed")}
}

// Take takes the standard streams over, once, at the start of the program.
// Descriptor 1 is standard error from then on, in this process and in all it
// starts; what was standard output is closed in children (B029). Standard error
// is an aside unless it is the same file.
func Take() (*Streams, error) {
	fd, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, fmt.Errorf("standard output: %w", err)
	}
	if err := redirect(2, 1); err != nil {
		return nil, fmt.Errorf("standard output: %w", err)
	}
	out := os.NewFile(uintptr(fd), "standard output")
	s := &Streams{
		In: os.Stdin, Screen: out, InTerminal: Terminal(os.Stdin), OutTerminal: Terminal(out), ErrTerminal: Terminal(os.Stderr),
	}
	switch {
	case outClosed():
		s.Out, s.Err = NewOutput(nowhere{}), NewAside(os.Stderr)
	case sameFile(out, os.Stderr):
		s.Out, s.Err = NewOutput(out), NewOutput(os.Stderr)
	default:
		s.Out, s.Err = NewOutput(out), NewAside(os.Stderr)
	}
	return s, nil
}

func sameFile(a, b *os.File) bool {
	one, err := a.Stat()
	if err != nil {
		return false
	}
	two, err := b.Stat()
	return err == nil && os.SameFile(one, two)
}

// Hurry calls [Output.Hurry] on both outputs.
func (s *Streams) Hurry() {
	s.Out.Hurry()
	s.Err.Hurry()
}

// Flush calls [Output.Flush] on both outputs, at the end of the program.
func (s *Streams) Flush() {
	s.Hurry()
	s.Out.Flush()
	s.Err.Flush()
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
