package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/weir-agents/weir/cmd/weir/internal/edit"
	"github.com/weir-agents/weir/cmd/weir/internal/stdio"
	"github.com/weir-agents/weir/cmd/weir/internal/workspace"
	"github.com/weir-agents/weir/pipeline"
)

// line is a line of standard input, without its end.
type line struct {
	text     string
	question int   // that was open when it was typed; 0 for none
	err      error // the stream broke or the line is too long; nothing follows
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

// typedLines is readLines of a terminal that edits lines by itself.
func typedLines(keys *edit.Typewriter) <-chan line {
	lines := make(chan line)
	go func() {
		defer close(lines)
		for {
			l := typedLine(keys)
			if l.err != nil && errors.Is(l.err, io.EOF) {
				return
			}
			lines <- l
			if l.err != nil {
				return
			}
		}
	}()
	return lines
}

// typedLine waits for the next line.
func typedLine(keys *edit.Typewriter) line {
	sent, err := keys.Line()
	if err != nil {
		err = fmt.Errorf("read standard input: %w", err)
	}
	return line{text: sent.Text, question: sent.Question, err: err}
}

// lines runs a turn for each line of standard input, in one session. Lines that
// start with a slash are commands. The exit code is that of the last turn.
func (a *app) lines() (int, error) {
	h, err := a.open(false)
	if err != nil {
		return 0, err
	}
	defer h.close()
	s, err := h.begin()
	if err != nil {
		return 0, err
	}
	t := &turner{app: a, house: h, session: s, sink: newSink(a.std, a.flags.Format, a.style())}
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
			if prompt, ok := t.house.custom(l.text); ok {
				l.text = prompt
				break
			}
			leave, err := t.command(l.text)
			if leave || err != nil {
				return code, err
			}
			continue
		}
		var signaled bool
		if code, signaled, err = t.runWith(l.text, ""); err == nil {
			err = t.tellPlan("/mode ask or /mode accept-edits, and then say so")
		}
		if signaled || err != nil {
			return code, err
		}
	}
}

// runWith runs a turn with the files that its prompt names. more stands behind
// the prompt and names none.
func (t *turner) runWith(prompt, more string) (code int, signaled bool, err error) {
	with := workspace.Attach(t.house.work, prompt)
	for _, note := range with.Notes {
		if err := t.sink.Note(note, false); err != nil {
			return 0, false, err
		}
	}
	return t.run(with.Text+more, with.Blocks...)
}

// nextLine waits for a line or a signal. A signal after the line, and before
// something else is to be done at one, ends the process.
func (a *app) nextLine(in <-chan line) (l line, ok bool, sig syscall.Signal) {
	const (
		waiting int32 = iota
		signaled
		read
	)
	var state atomic.Int32
	sigs := make(chan syscall.Signal, 1)
	a.signals.during(func(n syscall.Signal) {
		if state.CompareAndSwap(waiting, signaled) {
			sigs <- n // the first; one is enough
		} else if state.Load() == read {
			os.Exit(exitSignal + int(n))
		}
	})
	select {
	case l, ok = <-in:
		if state.CompareAndSwap(waiting, read) {
			return l, ok, 0
		}
		return line{}, false, <-sigs
	case sig = <-sigs:
		return line{}, false, sig
	}
}

// command runs a command line between turns and reports whether it says to
// leave. A signal ends a job early.
func (t *turner) command(text string) (leave bool, err error) {
	answer := t.slash(text)
	if answer.job != nil {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		t.app.signals.during(func(n syscall.Signal) {
			cancel()
			time.AfterFunc(endTime, func() { os.Exit(exitSignal + int(n)) })
		})
		if answer.noticed {
			err = t.watched(ctx, &answer)
		} else {
			answer.take(answer.job(ctx))
		}
		t.app.signals.during(nil)
		if err != nil {
			return false, err
		}
		if ctx.Err() != nil {
			return true, nil
		}
	}
	if answer.clear {
		t.session.Close()
		if t.session, err = t.house.begin(); err != nil {
			return false, err
		}
		t.metrics, answer.text = metrics{}, "a new session"
		t.house.scope.Store(nil)
	}
	if answer.text != "" {
		err = answer.show(t.sink)
	}
	return answer.leave, err
}

// show shows the text of the answer.
func (a slashAnswer) show(to sink) error {
	if a.under {
		return to.Under(a.text)
	}
	if a.diff && !a.warn {
		return to.Changes(a.text)
	}
	return to.Note(a.text, a.warn)
}

// watched does the job of a command and shows the notice that says how it went:
// between turns nobody else reads the events.
func (t *turner) watched(ctx context.Context, answer *slashAnswer) error {
	reading, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan struct{})
	// Ends when the job does, which ends soon after a cancel.
	go func() {
		defer close(done)
		answer.take(answer.job(ctx))
		if answer.text != "" {
			stop()
		}
	}()
	for e, err := range t.session.Events(reading) {
		if err != nil {
			break // nothing more is said
		}
		if err := t.saw(told{event: e}); err != nil {
			return err
		}
		if n, ok := e.(pipeline.Notice); ok && strings.HasPrefix(n.Code, "compact") {
			break
		}
	}
	<-done
	return nil
}

// take makes what a job returned the text of the answer.
func (a *slashAnswer) take(text string, err error) {
	a.text = text
	if err != nil {
		a.warn = true
		a.text = strings.TrimPrefix(text+"\n"+err.Error(), "\n")
	}
}
