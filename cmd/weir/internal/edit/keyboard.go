package edit

import (
	"errors"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// keyboard is a terminal to read from. It knows what has been typed, read or
// not, so that what was typed before a question came up is told from an answer.
type keyboard struct {
	tty *os.File
	fd  int // of tty, which may be closed while it is read

	mu       sync.Mutex // held while bytes that are there are read and counted
	got      int64      // bytes read
	question int        // that is open; 0 for none
}

func newKeyboard(tty *os.File) *keyboard { return &keyboard{tty: tty, fd: int(tty.Fd())} }

// read reads what is typed, and returns the question that was open then.
func (k *keyboard) read(p []byte) (n, question int, err error) {
	k.wait()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.unread() == 0 { // the end, or somebody else has read it: this may take long
		k.mu.Unlock()
		n, err = k.tty.Read(p)
		k.mu.Lock()
	} else {
		n, err = k.tty.Read(p)
	}
	k.got += int64(n)
	return n, k.question, err
}

// typed returns how many bytes have been typed up to now.
func (k *keyboard) typed() int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.got + int64(k.unread())
}

// ask says which question is open from now on. What was typed before a question
// and is not read, half a line too, is thrown away; lost says that it was more
// than that.
func (k *keyboard) ask(question int) (lost bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if question != 0 && question != k.question {
		lost = k.unread() > 0
		_ = flushInput(k.fd) // a terminal that is gone has nothing to throw away
	}
	k.question = question
	return lost
}

// unread is how many bytes wait to be read: where the terminal edits lines, of
// whole ones.
func (k *keyboard) unread() int {
	n, err := unix.IoctlGetInt(k.fd, inputQueue)
	if err != nil {
		return 0
	}
	return n
}

// wait returns when there is something to read, or might be.
func (k *keyboard) wait() {
	for k.fd >= 0 && k.fd < unix.FD_SETSIZE {
		var set unix.FdSet
		set.Set(k.fd)
		if _, err := unix.Select(k.fd+1, &set, nil, nil, nil); !errors.Is(err, unix.EINTR) {
			return // the read says what is wrong
		}
	}
}
