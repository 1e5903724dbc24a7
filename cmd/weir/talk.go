package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/weir-agents/weir/cmd/weir/internal/edit"
	"github.com/weir-agents/weir/cmd/weir/internal/render"
	"github.com/weir-agents/weir/pipeline"
)

// leaveTime is how soon a second Ctrl-C has to follow to leave.
const leaveTime = 2 * time.Second

// talk is a conversation with a person on a terminal. One goroutine owns all
// of it but current and active, which that of signals reads, and known, which
// that of keys does.
type talk struct {
	turner
	lines <-chan line      // of a plain desk; nil for a console
	typed <-chan edit.Sent // of a console; nil for a plain desk
	taken int              // of them

	current atomic.Pointer[pipeline.Session]
	active  atomic.Bool // a turn runs or is about to
	known   atomic.Pointer[completer]
	events  <-chan told
	stop    context.CancelFunc // of the goroutine that feeds events
	sigs    chan signaled

	turn     string              // the turn that runs, "" if none
	waiting  map[string]struct{} // prompts that were accepted and have not begun or joined
	progress progress
	jobs     chan slashAnswer   // what the job of a command came to
	said     chan string        // lines of a command of the person's own
	stopJob  context.CancelFunc // nil while none runs
	tick     *time.Ticker       // of the status line; nil while nothing goes on
	leaving  bool               // standard input has ended, or the program is to
	ending   syscall.Signal     // that ends the program; 0 for none
	trusting bool               // the question for trust is open
	planning bool               // the question whether a plan is accepted is open
	pressed  time.Time
	code     int
}

// signaled is a signal, and whether it canceled a turn.
type signaled struct {
	signal syscall.Signal
	active bool
	sent   int // lines sent before it; -1 if that is not known
}

// talk talks until the person leaves. The exit code is that of the last turn.
func (a *app) talk() (int, error) {
	t := &talk{
		turner: turner{app: a}, waiting: map[string]struct{}{}, sigs: make(chan signaled, 4), stop: func() {},
		jobs: make(chan slashAnswer, 1), said: make(chan string),
	}
	t.turner.busy = t.busy
	h, err := a.open(true)
	if err != nil {
		return 0, err
	}
	t.house = h
	t.known.Store(h.completer())
	defer func() { t.house.close() }()
	if t.desk, t.lines, t.typed, err = a.openDesk(h.unsaved == nil, t.pressedKey, t.complete); err != nil {
		return 0, err
	}
	defer t.desk.close()
	t.sink = newSink(a.std, a.flags.Format, a.style())
	if a.std.OutTerminal && a.flags.Format == "text" {
		t.sink = t.screenSink()
	}
	a.tell = func(text string) { _ = t.note(text, true) } // the next write reports it
	defer func() { a.tell = nil }()
	a.signals.during(func(n syscall.Signal) {
		t.interrupt(n, -1)
		if n != syscall.SIGINT { // the program ends, whatever holds it up
			time.AfterFunc(endTime, func() {
				t.desk.close()
				os.Exit(exitSignal + int(n))
			})
		}
	})
	defer func() { t.stop() }()
	if err := t.begin(); err != nil {
		return 0, err
	}
	if err := t.sink.Note(fmt.Sprintf("weir: %s, %s; /help lists the commands", h.up.provider, *h.model.Load()), false); err != nil {
		return 0, err
	}
	if err := t.ready(); err != nil {
		return 0, err
	}
	if err := t.askTrust(); err != nil {
		return 0, err
	}
	return t.loop()
}

// screenSink shows events at the desk.
func (t *talk) screenSink() *screenSink {
	style := t.app.style()
	if d, ok := t.desk.(consoleDesk); ok && style.Color {
		return onPage(d, style)
	}
	return &screenSink{w: t.desk, screen: render.Screen{Style: style}}
}

// endTime is how long the end of the program may take after a signal for it.
const endTime = 2 * time.Second

// interrupt cancels what is going on and tells the loop of the signal. It does
// not block.
func (t *talk) interrupt(n syscall.Signal, sent int) (active bool) {
	in := signaled{n, t.active.Load(), sent}
	t.app.std.Hurry()
	if s := t.current.Load(); s != nil {
		s.Cancel(pipeline.CancelNow)
	}
	t.lookAway()
	select {
	case t.sigs <- in:
	default: // the ones before say enough
	}
	return in.active
}

// pressedKey acts on Ctrl-C and Escape and reports whether the line is to be
// emptied.
func (t *talk) pressedKey(act edit.Act, sent int) bool {
	if act == edit.Abort && !t.active.Load() {
		return false
	}
	return !t.interrupt(syscall.SIGINT, sent)
}

// complete is called by the goroutine that reads keys.
func (t *talk) complete(before string) []string { return t.known.Load().complete(before) }

// begin opens a session in the place of the one there is.
func (t *talk) begin() error {
	t.stop()
	if t.session != nil {
		t.session.Close()
	}
	s, err := t.house.begin()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.session, t.events, t.stop = s, follow(s.Events(ctx), ctx.Done()), cancel
	t.progress = progress{window: t.house.window()}
	t.current.Store(s)
	return nil
}

// errLeave ends the talk.
var errLeave = errors.New("the person leaves")

func (t *talk) loop() (int, error) {
	for {
		err := t.ready()
		if err == nil {
			select {
			case e, ok := <-t.events:
				if !ok {
					t.events = nil
					break
				}
				err = t.told(e)
			case l, ok := <-t.lines:
				err = t.line(l, ok)
			case sent, ok := <-t.typed:
				t.taken++
				err = t.line(line{text: sent.Text, question: sent.Question}, ok)
			case in := <-t.sigs:
				err = t.signal(in)
			case lines := <-t.said:
				err = t.sink.Under(lines)
			case answer := <-t.jobs:
				t.stopJob()
				t.stopJob = nil
				err = t.answered(answer)
			case now := <-t.ticks():
				err = t.ticked(now)
			}
		}
		switch {
		case err != nil && t.ending != 0:
			return exitSignal + int(t.ending), nil
		case errors.Is(err, errLeave):
			return t.code, nil
		case errors.Is(err, syscall.EIO): // the terminal has vanished; its signal is on the way
			return exitSignal + int(syscall.SIGHUP), nil
		case err != nil:
			return 0, err
		}
	}
}

// ticked shows how long it takes, and what is open in the size of the terminal.
func (t *talk) ticked(now time.Time) error {
	if s, ok := t.sink.(*screenSink); ok {
		if err := s.again(); err != nil {
			return err
		}
	}
	return t.desk.status(t.progress.text(now))
}

// ticks is when the status line is due.
func (t *talk) ticks() <-chan time.Time {
	if t.tick == nil {
		return nil
	}
	return t.tick.C
}

// busy reports whether a turn runs or is about to.
func (t *talk) busy() bool { return t.turn != "" || len(t.waiting) > 0 || t.stopJob != nil }

// ready shows the prompt when there is nothing to wait for, or leaves then.
func (t *talk) ready() error {
	if t.busy() {
		if t.tick == nil {
			t.tick = time.NewTicker(time.Second)
			return t.desk.status(t.progress.text(time.Now()))
		}
		return nil
	}
	if t.tick != nil {
		t.tick.Stop()
		t.tick = nil
	}
	if t.leaving {
		return errLeave
	}
	t.active.Store(false)
	t.app.std.Relax()
	if t.trusting || t.planning {
		return nil
	}
	return t.desk.ready()
}

func (t *talk) told(in told) error {
	if in.err != nil {
		return in.err
	}
	t.tally.add(in.event)
	now, doing := time.Now(), t.progress.doing
	t.progress.see(in.event, now)
	t.metrics.see(in.event, now)
	if err := t.sink.Event(in.event); err != nil {
		return err
	}
	if t.progress.doing != doing { // otherwise the next second is soon enough
		if err := t.desk.status(t.progress.text(now)); err != nil {
			return err
		}
	}
	switch e := in.event.(type) {
	case pipeline.TurnStarted:
		t.turn = e.Turn
		delete(t.waiting, e.PromptID)
	case pipeline.PromptJoined:
		delete(t.waiting, e.PromptID)
	case pipeline.PromptDropped:
		delete(t.waiting, e.PromptID)
	case pipeline.TurnEnded:
		t.turn = ""
		t.code = exitCode(e.Outcome, len(t.tally.denied) > 0)
		if err := t.consent(e); err != nil {
			return err
		}
		return t.askPlan(e)
	default:
	}
	return t.consent(in.event)
}
