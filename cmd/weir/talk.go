package main

import (
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
	"github.com/weir-agents/weir/cmd/weir/internal/render"
	"github.com/weir-agents/weir/cmd/weir/internal/workspace"
	"github.com/weir-agents/weir/pipeline"
)

// leaveTime is how soon a second Ctrl-C has to follow to leave.
const leaveTime = 2 * time.Second

// talk is a conversation with a person on a terminal. One goroutine owns all
// of it but current and active, which that of signals reads.
type talk struct {
	turner
	desk desk

	current atomic.Pointer[pipeline.Session]
	active  atomic.Bool // a turn runs or is about to
	events  chan told
	stop    context.CancelFunc // of the goroutine that feeds events
	sigs    chan signaled

	turn     string              // the turn that runs, "" if none
	waiting  map[string]struct{} // prompts that were accepted and have not begun or joined
	asking   []pipeline.ApprovalRequested
	progress progress
	jobs     chan slashAnswer   // what the job of a command came to
	stopJob  context.CancelFunc // nil while none runs
	tick     *time.Ticker       // of the status line; nil while nothing goes on
	leaving  bool               // standard input has ended
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
	t := &talk{
		turner: turner{app: a}, waiting: map[string]struct{}{}, sigs: make(chan signaled, 4), stop: func() {},
		jobs: make(chan slashAnswer, 1),
	}
	t.turner.busy = t.busy
	h, err := a.open(true)
	if err != nil {
		return 0, err
	}
	defer h.close()
	t.house = h
	if t.desk, t.lines, err = a.openDesk(t.pressedKey); err != nil {
		return 0, err
	}
	defer t.desk.close()
	h.tell.Store(&teller{func(text string) { _, _ = io.WriteString(t.desk, "◇ "+render.Line(text, 0)+"\n") }}) // a terminal that is gone ends the talk
	t.sink = newSink(a.std, a.flags.Format, a.style())
	if a.std.OutTerminal && a.flags.Format == "text" {
		t.sink = &screenSink{w: t.desk, screen: render.Screen{Style: a.style()}}
	}
	a.signals.during(func(n syscall.Signal) {
		t.interrupt(n)
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
	return t.loop()
}

// endTime is how long the end of the program may take after a signal for it.
const endTime = 2 * time.Second

// interrupt cancels what is going on and tells the loop of the signal. It does
// not block.
func (t *talk) interrupt(n syscall.Signal) (active bool) {
	in := signaled{n, t.active.Load()}
	t.app.std.Hurry()
	if s := t.current.Load(); s != nil {
		s.Cancel(pipeline.CancelNow)
	}
	select {
	case t.sigs <- in:
	default: // the ones before say enough
	}
	return in.active
}

// pressedKey acts on Ctrl-C and Escape and reports whether the line is to be
// emptied.
func (t *talk) pressedKey(act edit.Act) bool {
	if act == edit.Abort && !t.active.Load() {
		return false
	}
	return !t.interrupt(syscall.SIGINT)
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
			case answer := <-t.jobs:
				t.stopJob()
				t.stopJob = nil
				err = t.answered(answer)
			case now := <-t.ticks():
				err = t.desk.status(t.progress.text(now))
			}
		}
		switch {
		case errors.Is(err, errLeave):
			return t.code, nil
		case errors.Is(err, syscall.EIO): // the terminal has vanished; its signal is on the way
			return exitSignal + int(syscall.SIGHUP), nil
		case err != nil:
			return 0, err
		}
	}
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
	return t.desk.ready()
}

// note shows a line of the program's own, on a line of its own.
func (t *talk) note(text string, warn bool) error {
	t.desk.note()
	return t.sink.Note(text, warn)
}

func (t *talk) told(in told) error {
	if in.err != nil {
		return in.err
	}
	t.tally.add(in.event)
	now := time.Now()
	t.progress.see(in.event, now)
	t.metrics.see(in.event, now)
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
		t.turn = ""
		if len(t.asking) > 0 {
			t.asking = nil
			if err := t.desk.answered(); err != nil {
				return err
			}
		}
		t.code = exitCode(e.Outcome, len(t.tally.denied) > 0)
	default:
	}
	return nil
}

// ask shows the first open question.
func (t *talk) ask(whole bool) error { return t.desk.ask(string(question(t.asking[0], whole))) }

// resolved takes a question back that has been answered, by whomever.
func (t *talk) resolved(call string) error {
	for i, q := range t.asking {
		if q.Call != call {
			continue
		}
		t.asking = append(t.asking[:i:i], t.asking[i+1:]...)
		switch {
		case len(t.asking) == 0:
			return t.desk.answered()
		case i == 0:
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
	t.desk.note()
	text := strings.TrimSpace(l.text)
	switch {
	case text == "":
		return nil
	case strings.HasPrefix(l.text, "/"):
		if prompt, ok := t.house.custom(text); ok {
			return t.post(prompt)
		}
		return t.command(text, t.slash(text))
	case strings.HasPrefix(l.text, "!") && len(text) > 1:
		return t.command(text, slashAnswer{job: shell(t.house.work.Roots()[0], text[1:])})
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
		return t.leave()
	}
	return t.note("leaving when the turn has ended; Ctrl-C ends it now", false)
}

// leave leaves the line of the prompt behind.
func (t *talk) leave() error {
	if d, ok := t.desk.(*plainDesk); ok && d.prompted {
		_, _ = io.WriteString(d, "\n") // leaving is all that is left to do
	}
	return errLeave
}

func (t *talk) answer(text string) error {
	r, ok := parseReply(text)
	switch {
	case !ok:
		return t.desk.ask(allow)
	case r.decision == "view":
		return t.ask(true)
	}
	call := t.asking[0].Call
	t.session.Resolve(call, r.decision, r.note)
	return t.resolved(call)
}

func (t *talk) post(text string) error {
	t.active.Store(true)
	with := workspace.Attach(t.house.work, text)
	for _, note := range with.Notes {
		if err := t.note(note, false); err != nil {
			return err
		}
	}
	id, err := t.session.Post(context.Background(), with.Text, with.Blocks...)
	if err != nil {
		return t.note(err.Error(), true)
	}
	t.waiting[id] = struct{}{}
	return nil
}

func (t *talk) command(text string, answer slashAnswer) error {
	if answer.job == nil {
		return t.answered(answer)
	}
	if t.stopJob != nil {
		return t.note("the command before is not done", true)
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.stopJob = cancel
	t.active.Store(true)
	t.progress = progress{began: time.Now(), doing: text}
	// Ends when the job does, which ends soon after a cancel.
	go func() {
		answer.take(answer.job(ctx))
		t.jobs <- answer
	}()
	return nil
}

// answered does what a command wants.
func (t *talk) answered(answer slashAnswer) error {
	switch {
	case answer.leave:
		return errLeave
	case answer.clear:
		t.turn, t.waiting, t.asking, t.metrics = "", map[string]struct{}{}, nil, metrics{}
		t.house.scope.Store(nil)
		if err := t.begin(); err != nil {
			return err
		}
		return t.note("a new session", false)
	case answer.text != "":
		return t.note(answer.text, answer.warn)
	}
	return nil
}

// signal acts on a signal after the turn has been canceled. On Ctrl-C an idle
// program leaves if it comes twice; any other signal ends it.
func (t *talk) signal(in signaled) error {
	if in.signal != syscall.SIGINT {
		t.code = exitSignal + int(in.signal)
		return errLeave
	}
	if t.stopJob != nil {
		t.stopJob()
	}
	if in.active {
		return nil // the turn's end says it
	}
	now := time.Now()
	if now.Sub(t.pressed) < leaveTime {
		return t.leave()
	}
	t.pressed = now
	if d, ok := t.desk.(*plainDesk); ok {
		if _, err := io.WriteString(d, "\n"); err != nil {
			return err
		}
	}
	return t.note("press Ctrl-C again to leave, or Ctrl-D", false)
}
