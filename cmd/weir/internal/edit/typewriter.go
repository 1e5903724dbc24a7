package edit

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
)

// Typewriter is a terminal that edits lines by itself. Line is called by one
// goroutine at a time, Ask by any.
type Typewriter struct {
	keys     *keyboard
	begun    []byte // of the next line
	question int    // at the last read
	end      error
}

// NewTypewriter reads the lines of tty.
func NewTypewriter(tty *os.File) *Typewriter { return &Typewriter{keys: newKeyboard(tty)} }

// errLongLine ends the lines of a Typewriter.
var errLongLine = errors.New("a line is longer than 16 MiB")

// Line waits for the next line. The error is io.EOF at the end of the input;
// nothing follows one.
func (w *Typewriter) Line() (Sent, error) {
	buf := make([]byte, 4<<10)
	for {
		if line, rest, ok := bytes.Cut(w.begun, []byte("\n")); ok {
			w.begun = rest
			return w.sent(line), nil
		}
		if w.end != nil {
			line := w.begun
			w.begun = nil
			if len(line) == 0 {
				return Sent{}, w.end
			}
			return w.sent(line), nil
		}
		n, question, err := w.keys.read(buf)
		if question != 0 && question != w.question {
			w.begun = nil // the start of a line was thrown away there, too
		}
		w.question = question
		if n == 0 && err == nil {
			err = io.EOF
		}
		w.begun, w.end = append(w.begun, buf[:n]...), err
		if len(w.begun) > lineBytes {
			w.begun, w.end = nil, errLongLine
		}
	}
}

func (w *Typewriter) sent(line []byte) Sent {
	return Sent{strings.ToValidUTF8(string(bytes.TrimSuffix(line, []byte("\r"))), "\ufffd"), w.question}
}

// Ask says which question is open from now on, 0 for none. What was typed before
// a question does not answer it: it is thrown away, and lost says that it was
// more than half a line.
func (w *Typewriter) Ask(question int) (lost bool) { return w.keys.ask(question) }
