package main

import (
	"context"
	"io"
	"strings"
	"syscall"
	"time"

	"github.com/weir-agents/weir/cmd/weir/internal/workspace"
	"github.com/weir-agents/weir/pipeline"
)

func (t *talk) line(l line, open bool) error {
	switch {
	case l.err != nil:
		return l.err
	case !open:
		return t.end()
	}
	t.desk.heard()
	switch {
	case l.question != 0 && l.question == t.open():
		return t.reply(l.text)
	case l.question != 0 && answers(l.text): // a question that is closed
		if err := t.late(l.text); err != nil {
			return err
		}
		return t.again()
	case t.trusting, t.planning && strings.TrimSpace(l.text) == "": // sent before the question came up
		return t.again()
	case t.planning:
		return t.keepPlanning(l.text)
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
	case strings.HasPrefix(l.text, "!") && strings.TrimSpace(text[1:]) == "":
		return t.note("! runs what stands behind it, as in !ls; a blank before it makes it a prompt", true)
	case strings.HasPrefix(l.text, "!"):
		return t.own(text[1:])
	default:
		return t.post(l.text)
	}
}

// open returns the number of the question that is open, 0 if none is.
func (t *talk) open() int {
	if t.trusting || t.planning || len(t.asking) > 0 {
		return t.question
	}
	return 0
}

// again asks for the answer to the question that is open, if one is.
func (t *talk) again() error {
	switch {
	case t.trusting:
		return t.desk.ask("", trustPrompt, t.question)
	case t.planning:
		return t.desk.ask("", planPrompt, t.question)
	case len(t.asking) > 0:
		return t.desk.ask("", allow, t.question)
	}
	return nil
}

// reply takes a line for the question that is open.
func (t *talk) reply(text string) error {
	switch {
	case t.trusting:
		return t.trusted(text)
	case t.planning:
		return t.answerPlan(text)
	}
	return t.answer(text)
}

// answers reports whether a line is for a question, and no prompt.
func answers(text string) bool {
	_, consent := parseReply(text)
	_, rest, plan := parsePlanReply(text)
	return consent || plan && rest == ""
}

// end leaves, or does so when the turn that runs has ended.
func (t *talk) end() error {
	t.lines, t.typed, t.leaving = nil, nil, true
	if err := t.left(); err != nil {
		return err
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
	if !t.busy() {
		t.progress.begin(time.Now(), "starting")
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
	t.active.Store(true)
	if !t.busy() {
		t.progress.begin(time.Now(), text)
	}
	t.stopJob = cancel
	// Ends when the job does, which ends soon after a cancel.
	go func() {
		defer func() { t.jobs <- answer }()
		defer caught(func(f fault) { answer.fault = f })
		answer.take(answer.job(ctx))
	}()
	return nil
}

// answered does what a command wants.
func (t *talk) answered(answer slashAnswer) error {
	if answer.fault != nil {
		return answer.fault
	}
	t.progress.window = t.house.window() // of another model, perhaps
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
		t.desk.note()
		return answer.show(t.sink)
	}
	return nil
}

// ends leaves as soon as what goes on has ended, so that its end is on the screen;
// the wait for that is bounded where the signal is taken.
func (t *talk) ends(n syscall.Signal) error {
	t.ending, t.leaving = n, true
	t.lines, t.typed = nil, nil
	if !t.busy() {
		return errLeave
	}
	if t.stopJob != nil {
		t.stopJob()
	}
	t.session.Cancel(pipeline.CancelNow) // also of what was sent since the signal came
	return t.left()
}

// signal acts on a signal after the turn has been canceled. On Ctrl-C an idle
// program leaves if it comes twice; any other signal ends it.
func (t *talk) signal(in signaled) error {
	if in.signal != syscall.SIGINT {
		return t.ends(in.signal)
	}
	if t.stopJob != nil {
		t.stopJob()
	}
	if t.busy() && (!in.active || in.sent == t.taken) {
		// The cancel of the key may have overtaken what was sent just before it;
		// what was sent behind it goes on.
		t.session.Cancel(pipeline.CancelNow)
	}
	if in.active || t.busy() {
		return nil // the turn's end says it
	}
	if t.planning {
		if err := t.keepPlanning(""); err != nil {
			return err
		}
		return t.note("the plan waits: say what to change in it, or /mode ask and have it carried out", false)
	}
	now := time.Now()
	if now.Sub(t.pressed) < leaveTime {
		return t.leave()
	}
	t.pressed = now
	if d, ok := t.desk.(*plainDesk); ok {
		d.asking = false
		if _, err := io.WriteString(d, "\n"); err != nil {
			return err
		}
	}
	if err := t.note("press Ctrl-C again to leave, or Ctrl-D", false); err != nil {
		return err
	}
	return t.again()
}
