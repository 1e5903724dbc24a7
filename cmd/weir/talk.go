package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/weir-agents/weir/pipeline"
)

const (
	promptText = "weir> "
	// leaveTime is how soon a second Ctrl-C has to follow to leave.
	leaveTime = 2 * time.Second
)

// talk is a conversation with a person on a terminal. One goroutine owns all
// of it but current and active, which that of signals reads.
type talk struct {
	turner
	house  *house
	screen io.Writer // where prompt and questions are shown

	current atomic.Pointer[pipeline.Session]
	active  atomic.Bool // a turn runs or is about to
	events  chan told
	stop    context.CancelFunc // of the goroutine that feeds events
	sigs    chan signaled

	turn     string              // the turn that runs, "" if none
	waiting  map[string]struct{} // prompts that were accepted and have not begun or joined
	asking   []pipeline.ApprovalRequested
	prompted bool // the prompt stands at the cursor
	leaving  bool // standard input has ended
	pressed  time.Time
	code     int
}

// signaled is a signal, and whether it canceled a turn.
type signaled struct {
	signal syscall.Signal
	active bool
}

// told is an event, or why there will be none.
type told struct {
	event pipeline.Event
	err   error
}

// talk talks until the person leaves. The exit code is that of the last turn.
func (a *app) talk() (int, error) {
	h, err := a.open(true)
	if err != nil {
		return 0, err
	}
	defer h.close()
	t := &talk{
		turner: turner{app: a, sink: newSink(a.std, a.flags.Format, a.style())},
		house:  h, screen: a.std.Err, waiting: map[string]struct{}{},
		sigs: make(chan signaled, 4), stop: func() {},
	}
	if a.std.OutTerminal && a.flags.Format == "text" {
		t.screen = a.std.Out
	}
	t.lines = readLines(a.std.In)
	defer func() { t.stop() }()
	a.signals.during(func(n syscall.Signal) {
		in := signaled{n, t.active.Load()}
		a.std.Hurry()
		if s := t.current.Load(); s != nil {
			s.Cancel(pipeline.CancelNow)
		}
		select {
		case t.sigs <- in:
		default: // the ones before say enough
		}
	})
	if err := t.begin(); err != nil {
		return 0, err
	}
	if err := t.sink.Note(fmt.Sprintf("weir: %s, %s; /help lists the commands", h.up.provider, h.model), false); err != nil {
		return 0, err
	}
	return t.loop()
}

// begin opens a session in the place of the one there is.
func (t *talk) begin() error {
	t.stop()
	if t.session != nil {
		t.session.Close()
	}
	s, err := t.house.pipe.Open("")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	events := make(chan told)
	t.session, t.events, t.stop = s, events, cancel
	t.current.Store(s)
	// Ends when ctx is canceled or the session is closed.
	go func() {
		for e, err := range s.Events(ctx) {
			select {
			case events <- told{e, err}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return nil
}

// errLeave ends the talk.
var errLeave = errors.New("the person leaves")

func (t *talk) loop() (int, error) {
	for {
		err := t.ready()
		if err == nil {
			select {
			case e := <-t.events:
				err = t.told(e)
			case l, ok := <-t.lines:
				err = t.line(l, ok)
			case in := <-t.sigs:
				err = t.signal(in)
			}
		}
		switch {
		case errors.Is(err, errLeave):
			return t.code, nil
		case errors.Is(err, syscall.EIO): // the terminal has vanished; its signal is on the way
			return exitSignal + int(syscall.SIGHUP), nil
		}
		if err != nil {
			return 0, err
		}
	}
}

// busy reports whether a turn runs or is about to.
func (t *talk) busy() bool { return t.turn != "" || len(t.waiting) > 0 }

// ready shows the prompt when there is nothing to wait for, or leaves then.
func (t *talk) ready() error {
	if t.busy() || t.prompted {
		return nil
	}
	if t.leaving {
		return errLeave
	}
	t.prompted = true
	t.active.Store(false)
	t.app.std.Relax()
	return t.say(promptText)
}

func (t *talk) say(text string) error {
	_, err := io.WriteString(t.screen, text)
	return err
}

// note shows a line of the program's own, on a line of its own.
func (t *talk) note(text string, warn bool) error {
	t.prompted = false
	return t.sink.Note(text, warn)
}

func (t *talk) told(in told) error {
	if in.err != nil {
		return in.err
	}
	t.tally.add(in.event)
	if err := t.sink.Event(in.event); err != nil {
		return err
	}
	switch e := in.event.(type) {
	case pipeline.TurnStarted:
		t.turn = e.Turn
		delete(t.waiting, e.PromptID)
	case pipeline.PromptJoined:
		delete(t.waiting, e.PromptID)
	case pipeline.PromptDropped:
		delete(t.waiting, e.PromptID)
	case pipeline.ApprovalRequested:
		t.asking = append(t.asking, e)
		if len(t.asking) == 1 {
			return t.ask(false)
		}
	case pipeline.ApprovalResolved:
		return t.resolved(e.Call)
	case pipeline.TurnEnded:
		t.turn, t.asking = "", nil
		t.code = exitCode(e.Outcome, len(t.tally.denied) > 0)
	default:
	}
	return nil
}

// ask shows the first open question.
func (t *talk) ask(whole bool) error { return t.say(string(question(t.asking[0], whole))) }

// resolved takes a question back that has been answered, by whomever.
func (t *talk) resolved(call string) error {
	for i, q := range t.asking {
		if q.Call != call {
			continue
		}
		t.asking = append(t.asking[:i:i], t.asking[i+1:]...)
		if i == 0 && len(t.asking) > 0 {
			return t.ask(false)
		}
		break
	}
	return nil
}

func (t *talk) line(l line, open bool) error {
	switch {
	case l.err != nil:
		return l.err
	case !open:
		return t.end()
	case len(t.asking) > 0:
		return t.answer(l.text)
	}
	t.prompted = false
	text := strings.TrimSpace(l.text)
	switch {
	case text == "":
		return nil
	case strings.HasPrefix(l.text, "/"):
		return t.command(text)
	default:
		return t.post(l.text)
	}
}

// end leaves, or does so when the turn that runs has ended.
func (t *talk) end() error {
	t.lines, t.leaving = nil, true
	for _, q := range t.asking {
		t.session.Resolve(q.Call, "deny", "the person has left")
	}
	if !t.busy() {
		_ = t.say("\n") // the prompt's line; leaving is all that is left to do
		return errLeave
	}
	return nil
}

func (t *talk) answer(text string) error {
	r, ok := parseReply(text)
	switch {
	case !ok:
		return t.say(allow)
	case r.decision == "view":
		return t.ask(true)
	}
	call := t.asking[0].Call
	t.session.Resolve(call, r.decision, r.note)
	return t.resolved(call)
}

func (t *talk) post(text string) error {
	t.active.Store(true)
	id, err := t.session.Post(context.Background(), text)
	if err != nil {
		return t.note(err.Error(), true)
	}
	t.waiting[id] = struct{}{}
	return nil
}

func (t *talk) command(text string) error {
	switch name, _, _ := strings.Cut(text, " "); name {
	case "/exit", "/quit":
		return errLeave
	case "/help":
		return t.note(helpText, false)
	case "/clear":
		t.turn, t.waiting, t.asking = "", map[string]struct{}{}, nil
		if err := t.begin(); err != nil {
			return err
		}
		return t.note("a new session", false)
	default:
		return t.note(noCommand(name), true)
	}
}

// signal acts on a signal after the turn has been canceled. On Ctrl-C an idle
// program leaves if it comes twice; any other signal ends it.
func (t *talk) signal(in signaled) error {
	if in.signal != syscall.SIGINT {
		t.code = exitSignal + int(in.signal)
		return errLeave
	}
	if in.active {
		return nil // the turn's end says it
	}
	now := time.Now()
	if now.Sub(t.pressed) < leaveTime {
		_ = t.say("\n") // the prompt's line; leaving is all that is left to do
		return errLeave
	}
	t.pressed = now
	if err := t.say("\n"); err != nil {
		return err
	}
	return t.note("press Ctrl-C again to leave, or Ctrl-D", false)
}
