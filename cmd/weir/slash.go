package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/weir-agents/weir/cmd/weir/internal/render"
	"github.com/weir-agents/weir/cmd/weir/internal/workspace"
	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/tools"
	"github.com/weir-agents/weir/tools/rules"
)

// slashCommand is a command of a talk. run is called between turns or during
// one, and must not wait for anything; what takes time is a job.
type slashCommand struct {
	name, arg, help string
	run             func(t *turner, arg string) slashAnswer
}

// slashAnswer is what a command wants.
type slashAnswer struct {
	text  string // to be shown; it may have several lines
	warn  bool
	diff  bool // the lines under the first are those of a diff
	under bool // all lines belong under a notice that was shown
	leave bool
	clear bool // a new session
	// job takes time; it ends early with ctx. What it returns is shown.
	job func(ctx context.Context) (string, error)
	// noticed says that what the job came to is a notice in the events, unless it
	// returns something.
	noticed bool
	fault   error // that of the job
}

// slashCommands are the commands there are.
func slashCommands() []slashCommand {
	leave := func(*turner, string) slashAnswer { return slashAnswer{leave: true} }
	return []slashCommand{
		{"/help", "", "what you can type", func(t *turner, _ string) slashAnswer { return slashAnswer{text: t.house.help()} }},
		{"/status", "", "whom you talk with, and what fills the model's window", (*turner).slashStatus},
		{"/model", "[NAME]", "the models there are, or another model from the next step on", (*turner).slashModel},
		{"/mode", "[MODE]", "what the model may do: ask, read-only, accept-edits, plan, bypass", (*turner).slashMode},
		{"/tools", "", "the tools the model has", (*turner).slashTools},
		{"/metrics", "", "tokens, times and retries of this session and its last turn", (*turner).slashMetrics},
		{"/compact", "", "make the conversation shorter by a summary", (*turner).slashCompact},
		{"/diff", "", "what the model's edits have changed in this session", (*turner).slashDiff},
		{"/undo", "", "take back what the last turn with edits has written", (*turner).slashUndo},
		{"/clear", "", "a new session", func(*turner, string) slashAnswer { return slashAnswer{clear: true} }},
		{"/exit", "", "leave; /quit too", leave},
		{"/quit", "", "", leave},
	}
}

// slash answers a line that starts with a slash.
func (t *turner) slash(line string) slashAnswer {
	name, arg, _ := strings.Cut(strings.TrimSpace(line), " ")
	for _, c := range slashCommands() {
		switch {
		case c.name != name:
		case c.arg == "" && strings.TrimSpace(arg) != "":
			return slashAnswer{text: name + " takes no argument", warn: true}
		default:
			return c.run(t, strings.TrimSpace(arg))
		}
	}
	return slashAnswer{text: "no command " + name + ": /help lists them; a blank before the slash makes it a prompt", warn: true}
}

// besideOurs leaves out the commands that have the name of one of weir's: a file
// of a folder must not take /quit or /mode away.
func besideOurs(all []workspace.Command, notes []string) (own []workspace.Command, more []string) {
	for _, c := range all {
		if slices.ContainsFunc(slashCommands(), func(s slashCommand) bool { return s.name == "/"+c.Name }) {
			notes = append(notes, fmt.Sprintf("command %s was left out: /%s is a command of weir's", c.Path, c.Name))
			continue
		}
		own = append(own, c)
	}
	return own, notes
}

// custom returns the prompt of a command that the person has written.
func (h *house) custom(line string) (prompt string, ok bool) {
	name, arg, _ := strings.Cut(strings.TrimSpace(line), " ")
	for _, c := range h.commands {
		if "/"+c.Name == name {
			return c.Expand(strings.TrimSpace(arg)), true
		}
	}
	return "", false
}

// help is helpText and the commands that the person has written.
func (h *house) help() string {
	text := helpText()
	for _, c := range h.commands {
		text += fmt.Sprintf("\n%-16s %s", "/"+c.Name, c.About)
	}
	return text
}

func helpText() string {
	var b strings.Builder
	b.WriteString("what you can type:")
	for _, c := range slashCommands() {
		if c.help != "" {
			fmt.Fprintf(&b, "\n%-16s %s", c.name+" "+c.arg, c.help)
		}
	}
	b.WriteString("\n@PATH            a file in a prompt goes with it" +
		"\n!COMMAND         a command of yours, which the model does not see" +
		"\nEnter sends; \\ and Enter, or Ctrl-J, begins a new line" +
		"\nUp and Ctrl-R find what you typed before; Tab completes commands and paths" +
		"\nCtrl-C or Escape cancels what goes on; Ctrl-D leaves")
	return b.String()
}

func (t *turner) slashTools(string) slashAnswer {
	text := fmt.Sprintf("%d tools:", len(t.house.registry.Names()))
	for _, s := range t.house.registry.Specs() {
		text += "\n" + toolLine(s)
	}
	return slashAnswer{text: text}
}

// toolLine is a tool in one line.
func toolLine(s tools.Spec) string {
	first, _, _ := strings.Cut(strings.TrimSpace(s.Description), "\n")
	if sentence, _, more := strings.Cut(first, ". "); more {
		first = sentence + "."
	}
	return fmt.Sprintf("%-12s %-10s %s", s.Name, s.Class, first)
}

func (t *turner) slashMode(arg string) slashAnswer {
	if arg == "" {
		return slashAnswer{text: "the mode is " + string(t.house.policy.Mode()) + "; /mode MODE sets ask, read-only, accept-edits, plan or bypass"}
	}
	if err := t.house.policy.SetMode(rules.Mode(arg)); err != nil {
		return slashAnswer{text: err.Error(), warn: true}
	}
	return slashAnswer{text: "the mode is " + arg + " from now on"}
}

func (t *turner) slashModel(arg string) slashAnswer {
	now := *t.house.model.Load()
	if arg != "" {
		s := t.session
		return slashAnswer{job: func(ctx context.Context) (string, error) {
			return "the model is " + arg + " from the next step on", t.house.useModel(ctx, s, arg)
		}}
	}
	lister, ok := t.house.provider.(provider.Lister)
	if !ok {
		return slashAnswer{text: "the model is " + now + "; the provider cannot list others"}
	}
	return slashAnswer{job: func(ctx context.Context) (string, error) {
		ctx, cancel := context.WithTimeout(ctx, listTime)
		defer cancel()
		models, err := lister.Models(ctx)
		if err != nil {
			return "", fmt.Errorf("the model is %s; list others: %w", now, err)
		}
		slices.Sort(models)
		return "the model is " + now + "; /model NAME takes another:\n" + strings.Join(models, "\n"), nil
	}}
}

func (t *turner) slashCompact(string) slashAnswer {
	s := t.session
	return slashAnswer{noticed: true, job: func(ctx context.Context) (string, error) {
		err := s.Compact(ctx)
		for _, mine := range []error{pipeline.ErrNoCompaction, pipeline.ErrBusy, pipeline.ErrClosed} {
			if errors.Is(err, mine) {
				return "", err
			}
		}
		return "", nil
	}}
}

func (t *turner) slashStatus(string) slashAnswer {
	h, s := t.house, t.session
	head := fmt.Sprintf("session %s\nprovider %s (%s)\nmodel %s\nmode %s\nfolder %s",
		s.ID(), h.up.provider, h.up.why, *h.model.Load(), h.policy.Mode(), strings.Join(h.work.Roots(), ", "))
	return slashAnswer{job: func(ctx context.Context) (string, error) {
		head += "\nsandbox " + h.confined.text()
		fill, err := s.Usage(ctx)
		if err != nil {
			return "", err
		}
		share := ""
		if fill.Window > 0 {
			share = fmt.Sprintf(" of %s, %d %%", countText(fill.Window), 100*fill.Total/fill.Window)
		}
		return fmt.Sprintf("%s\nwindow about %s tokens%s: system %s, tools %s, you %s, model %s, results %s in %d messages", head,
			countText(fill.Total), share, countText(fill.System), countText(fill.Tools), countText(fill.User),
			countText(fill.Assistant), countText(fill.Results), fill.Messages), nil
	}}
}

func (t *turner) slashDiff(string) slashAnswer {
	scope := t.house.scope.Load()
	if scope == nil {
		return slashAnswer{text: "nothing was written in this session"}
	}
	return slashAnswer{diff: true, job: func(context.Context) (string, error) {
		var b strings.Builder
		for _, c := range tools.Changes(scope) {
			b.WriteString(c.Diff)
		}
		if b.Len() == 0 {
			return "nothing was written in this session, or it is as it was", nil
		}
		return "what was written in this session:\n" + strings.TrimSuffix(b.String(), "\n"), nil
	}}
}

func (t *turner) slashUndo(string) slashAnswer {
	scope, work := t.house.scope.Load(), t.house.work
	if scope == nil {
		return slashAnswer{text: "nothing to undo: no file was written in this session", warn: true}
	}
	if t.busy != nil && t.busy() {
		return slashAnswer{text: "a turn runs: cancel it first, then /undo", warn: true}
	}
	return slashAnswer{job: func(ctx context.Context) (string, error) {
		names, err := work.Undo(ctx, scope)
		text := ""
		for _, name := range names {
			text += "\n" + render.Line(name, 0)
		}
		if text != "" {
			text = "taken back:" + text
		}
		return text, err
	}}
}
