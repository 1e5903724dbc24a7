package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/weir-agents/weir/pipeline"
)

// openQuestion is a call that waits for consent.
type openQuestion struct {
	pipeline.ApprovalRequested
	shown bool // to the person
}

// consent takes what an event says about calls that wait for consent.
func (t *turner) consent(e pipeline.Event) error {
	switch e := e.(type) {
	case pipeline.ApprovalRequested:
		return t.asked(e)
	case pipeline.ApprovalResolved:
		if e.By == "user" && e.Decision == "allow" && e.Note != "" { // less than what was asked for
			if err := t.note(e.Note, false); err != nil {
				return err
			}
		}
		return t.resolved(e.Call, e.By == "cancel")
	case pipeline.TurnEnded:
		if len(t.asking) > 0 {
			t.asking = nil
			return t.desk.answered()
		}
	default:
	}
	return nil
}

// left says no to all questions, since nobody is there any more: those that are
// open, and those to come.
func (t *turner) left() error {
	t.gone = true
	if len(t.asking) == 0 {
		return nil
	}
	for _, q := range t.asking {
		t.session.Resolve(q.Call, "deny", hasLeft)
	}
	t.asking = nil
	return t.desk.answered()
}

// hasLeft is told to the model where nobody can be asked any more.
const hasLeft = "the person has left"

// late says that an answer answers nothing: its question has been answered, or
// taken back, in the meantime.
func (t *turner) late(text string) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return t.note(fmt.Sprintf("%q came when its question was closed, so it answers nothing", strings.TrimSpace(text)), true)
}

// asked takes a question up. The first is shown; of the second the person is
// told that one answer can be given to all.
func (t *turner) asked(e pipeline.ApprovalRequested) error {
	if t.gone {
		t.session.Resolve(e.Call, "deny", hasLeft)
		return nil
	}
	t.asking = append(t.asking, openQuestion{ApprovalRequested: e})
	switch len(t.asking) {
	case 1:
		t.question++
		return t.ask(false)
	case 2:
		return t.desk.ask("◇ more calls wait; y all, a all or n all answers them together\n", allow, t.question)
	default:
		return nil
	}
}

// ask shows the first open question.
func (t *turner) ask(whole bool) error {
	return t.desk.ask(t.show(0, whole)+t.others(), allow, t.question)
}

// show returns an open question, which counts as shown from now on. A cancel ends
// the look at what a file would become.
func (t *turner) show(i int, whole bool) string {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	t.looking.Store(&cancel)
	defer t.looking.Store(nil)
	t.asking[i].shown = true
	return t.house.question(ctx, t.asking[i].ApprovalRequested, whole, t.app.style().Color)
}

// others says how many questions wait behind the first.
func (t *turner) others() string {
	if len(t.asking) == 1 {
		return ""
	}
	return fmt.Sprintf("  %d more waiting; y all, a all or n all answers them together\n", len(t.asking)-1)
}

// resolved takes a question back that has been answered, by whomever. Behind one
// that a cancel has answered no other is shown: it will be answered, too.
func (t *turner) resolved(call string, canceled bool) error {
	i := slices.IndexFunc(t.asking, func(q openQuestion) bool { return q.Call == call })
	if i < 0 {
		return nil
	}
	t.asking = slices.Delete(t.asking, i, i+1)
	switch {
	case len(t.asking) == 0:
		return t.desk.answered()
	case i == 0 && canceled:
		t.question++ // what is typed for the one that was shown answers none
	case i == 0:
		t.question++
		return t.ask(false)
	}
	return nil
}

// answer takes a line for the first open question, or for all there are.
func (t *turner) answer(text string) error {
	r, ok := parseReply(text)
	switch {
	case !ok:
		return t.desk.ask("", allow, t.question)
	case r.decision == "view" && r.all:
		return t.askAll(true)
	case r.decision == "view":
		return t.ask(true)
	case r.all:
		return t.answerAll(r)
	}
	call := t.asking[0].Call
	t.session.Resolve(call, r.decision, r.note)
	return t.resolved(call, false)
}

// answerAll gives all open questions one answer. Nothing is allowed that has not
// been shown: then the person sees the rest, and answers again.
func (t *turner) answerAll(r reply) error {
	unseen := func(q openQuestion) bool { return !q.shown }
	if r.decision != "deny" && slices.ContainsFunc(t.asking, unseen) {
		return t.askAll(false)
	}
	for _, q := range t.asking {
		t.session.Resolve(q.Call, r.decision, r.note)
	}
	t.asking = nil
	return t.desk.answered()
}

// askAll shows the questions that have not been shown, or all of them whole.
func (t *turner) askAll(whole bool) error {
	var b strings.Builder
	for i, q := range t.asking {
		if whole || !q.shown {
			b.WriteString(t.show(i, whole))
		}
	}
	fmt.Fprintf(&b, "◇ that is all that waits; y all allows these %d, y the first of them\n", len(t.asking))
	t.question++ // an answer for all that was typed before they were shown is none
	return t.desk.ask(b.String(), allow, t.question)
}
