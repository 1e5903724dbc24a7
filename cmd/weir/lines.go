package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"syscall"

	"github.com/weir-agents/weir/cmd/weir/internal/stdio"
	"github.com/weir-agents/weir/pipeline"
)

// line is a line of standard input, without its end.
type line struct {
	text string
	err  error // the stream broke or the line is too long; nothing follows
}

// readLines reads in line by line; the channel is closed at its end. A line is
// taken once the one before has been. The goroutine ends at the end of in or
// with the process.
func readLines(in io.Reader) <-chan line {
	lines := make(chan line)
	go func() {
		defer close(lines)
		s := bufio.NewScanner(in)
		s.Buffer(nil, stdio.ContextBytes)
		for s.Scan() {
			lines <- line{text: strings.ToValidUTF8(s.Text(), "\ufffd")}
		}
		if err := s.Err(); err != nil {
			lines <- line{err: fmt.Errorf("read standard input: %w", err)}
		}
	}()
	return lines
}

// lines runs a turn for each line of standard input, in one session. Lines that
// start with a slash are commands. The exit code is that of the last turn.
func (a *app) lines() (int, error) {
	h, err := a.open(false)
	if err != nil {
		return 0, err
	}
	defer h.close()
	s, err := h.pipe.Open("")
	if err != nil {
		return 0, err
	}
	t := &turner{app: a, session: s, sink: newSink(a.std, a.flags.Format, a.style())}
	code := exitOK
	for in := readLines(a.std.In); ; {
		l, ok, sig := a.nextLine(in)
		switch {
		case sig != 0:
			return exitSignal + int(sig), nil
		case !ok:
			return code, nil
		case l.err != nil:
			return 0, l.err
		case strings.TrimSpace(l.text) == "":
			continue
		case strings.HasPrefix(l.text, "/"):
			leave, err := t.command(h, l.text)
			if leave || err != nil {
				return code, err
			}
			continue
		}
		var signaled bool
		code, signaled, err = t.run(l.text)
		if signaled || err != nil {
			return code, err
		}
	}
}

// nextLine waits for a line or a signal.
func (a *app) nextLine(in <-chan line) (l line, ok bool, sig syscall.Signal) {
	sigs := make(chan syscall.Signal, 1)
	a.signals.during(func(n syscall.Signal) {
		select {
		case sigs <- n:
		default: // one is enough
		}
	})
	select {
	case l, ok = <-in:
		return l, ok, 0
	case sig = <-sigs:
		return line{}, false, sig
	}
}

// command runs a command line between turns and reports whether it says to leave.
func (t *turner) command(h *house, text string) (leave bool, err error) {
	name, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	switch name {
	case "/exit", "/quit":
		return true, nil
	case "/help":
		return false, t.sink.Note(helpText(), false)
	case "/clear":
		fresh, err := t.fresh(h)
		if err != nil {
			return false, err
		}
		t.session = fresh
		return false, t.sink.Note("a new session", false)
	default:
		return false, t.sink.Note(noCommand(name), true)
	}
}

func noCommand(name string) string {
	return "no command " + name + ": /help lists them; a blank before the slash makes it a prompt"
}

// fresh closes the session and opens another.
func (t *turner) fresh(h *house) (*pipeline.Session, error) {
	t.session.Close()
	return h.pipe.Open("")
}
