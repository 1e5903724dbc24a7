package main

import (
	"fmt"
	"strings"

	"github.com/weir-agents/weir/tools/rules"
)

// trustPrompt ends the question for trust.
const trustPrompt = "trust this folder? [y/N] "

// root is the folder whose configuration counts.
func (t *talk) root() string { return t.house.work.Roots()[0] }

// askTrust asks whether the project's configuration may count, if there is one
// and nobody has said. Until then none of it does.
func (t *talk) askTrust() error {
	if !t.app.trust.NeedsTrust(t.root()) {
		return nil
	}
	t.trusting = true
	t.question++
	brings := "brings configuration in .weir"
	if t.app.trust.Changed(t.root()) {
		brings = "brings another .weir/config.toml than the one you trusted"
	}
	return t.desk.ask(fmt.Sprintf("◇ %s %s: rules, programs to run, servers, skills or commands\n",
		rules.ShowLine(t.root()), brings), trustPrompt, t.question)
}

// trusted takes the answer, remembers it, and begins anew with what counts now.
func (t *talk) trusted(text string) error {
	remember := t.app.trust.Refuse
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "y", "yes":
		remember = t.app.trust.Trust
	case "n", "no", "":
	default:
		return t.again()
	}
	t.trusting = false
	if err := remember(t.root()); err != nil && t.house.unsaved == nil {
		if err := t.note("the answer is not saved: "+err.Error(), true); err != nil {
			return err
		}
	}
	if err := t.desk.answered(); err != nil {
		return err
	}
	if err := t.app.configure(t.app.args, true); err != nil {
		return err
	}
	for _, text := range t.app.config.Refused {
		if err := t.note(text, true); err != nil {
			return err
		}
	}
	old := t.house
	h, err := t.app.open(true)
	if err != nil {
		return err
	}
	h.unsavedTold = old.unsavedTold
	t.house = h
	t.known.Store(h.completer())
	err = t.begin()
	old.close()
	return err
}
