package main

import (
	"context"
	"strings"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/tools/rules"
)

const (
	// planPrompt ends the question whether a plan is accepted.
	planPrompt = "carry out this plan? [y]es, [e]dits unasked, [n]o "
	// planWords tell the model what a turn in mode plan is for.
	planWords = "\n\n# This is about a plan\n\nNothing can be changed or run now. Read what you need, then answer with a plan that the person can accept: what to change, where, in which order, and how to check it."
	// planAccepted is the prompt that has a plan carried out.
	planAccepted = "The plan is accepted. Carry it out."
)

// planned reports whether the turn that e ends came to a plan.
func (h *house) planned(e pipeline.TurnEnded) bool {
	return h.policy.Mode() == rules.Plan && e.Outcome == pipeline.Completed && strings.TrimSpace(e.Text) != ""
}

// tellPlan says how to go on with a plan where nobody can be asked.
func (t *turner) tellPlan(how string) error {
	if !t.house.planned(t.tally.ended) || t.app.flags.Quiet {
		return nil
	}
	return t.sink.Note("this is a plan, nothing was changed; to have it carried out, "+how, false)
}

// askPlan asks whether the plan that a turn came to is accepted. Nothing else
// must wait for the model.
func (t *talk) askPlan(e pipeline.TurnEnded) error {
	if !t.house.planned(e) || t.leaving || t.busy() {
		return nil
	}
	t.planning = true
	if err := t.desk.status(""); err != nil {
		return err
	}
	t.question++
	return t.desk.ask("", planPrompt, t.question)
}

// answerPlan takes the answer. Words, also those behind a no, go on with the
// planning.
func (t *talk) answerPlan(text string) error {
	mode, rest, ok := parsePlanReply(text)
	switch {
	case ok && mode == "": // no
		return t.keepPlanning(rest)
	case !ok || rest != "":
		return t.keepPlanning(text)
	}
	if err := t.keepPlanning(""); err != nil {
		return err
	}
	answer := t.slashMode(string(mode))
	if err := t.note(answer.text, answer.warn); err != nil || answer.warn {
		return err
	}
	return t.post(planAccepted)
}

// parsePlanReply reads a line: the mode to go on in, "" for a no, and what stands
// behind it. ok is false if it begins with neither.
func parsePlanReply(text string) (mode rules.Mode, rest string, ok bool) {
	word, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	rest = strings.TrimSpace(rest)
	switch strings.ToLower(strings.TrimRight(word, ",:")) {
	case "y", "yes":
		return rules.AskMode, rest, true
	case "e", "edits":
		return rules.AcceptEdits, rest, true
	case "n", "no", "":
		return "", rest, true
	}
	return "", "", false
}

// keepPlanning closes the question, and goes on with what the person says.
func (t *talk) keepPlanning(text string) error {
	t.planning = false
	if err := t.desk.answered(); err != nil {
		return err
	}
	if text == "" {
		t.desk.note()
		return nil
	}
	return t.line(line{text: text}, true)
}

// beforeStep tells the model of the repository, and of mode plan, as long as it
// holds.
func (h *house) beforeStep(_ context.Context, req *provider.Request) error {
	if status := h.status.Load(); status != nil {
		req.System += (*status)()
	}
	if h.policy.Mode() == rules.Plan {
		req.System += planWords
	}
	return nil
}
