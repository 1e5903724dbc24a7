package edit

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// raw is a terminal whose keys come one by one.
type raw struct {
	fd        int
	was, mode unix.Termios
}

// makeRaw makes keys come one by one and unseen. Output stays as it was.
func makeRaw(f *os.File) (*raw, error) {
	fd := int(f.Fd())
	was, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return nil, fmt.Errorf("read the terminal's modes: %w", err)
	}
	r := &raw{fd: fd, was: *was, mode: *was}
	r.mode.Iflag &^= unix.ICRNL | unix.INLCR | unix.IGNCR | unix.IXON | unix.ISTRIP | unix.BRKINT
	r.mode.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
	r.mode.Cc[unix.VMIN], r.mode.Cc[unix.VTIME] = 1, 0
	return r, r.again()
}

func (r *raw) again() error {
	if err := unix.IoctlSetTermios(r.fd, setTermios, &r.mode); err != nil {
		return fmt.Errorf("set the terminal's modes: %w", err)
	}
	return nil
}

func (r *raw) restore() error { return unix.IoctlSetTermios(r.fd, setTermios, &r.was) }

// Size returns the columns and rows of a terminal, 80 and 24 where it does not
// say.
func Size(f *os.File) (columns, rows int) {
	ws, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil || ws.Col == 0 || ws.Row == 0 {
		return 80, 24
	}
	return int(ws.Col), int(ws.Row)
}
