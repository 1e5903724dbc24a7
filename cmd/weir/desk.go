package main

import (
	"io"
	"path/filepath"

	"github.com/weir-agents/weir/cmd/weir/internal/edit"
)

const promptText = "weir> "

// desk is where a person types to the program and reads what it says.
type desk interface {
	io.Writer
	// ready says that nothing is going on: a prompt is wanted.
	ready() error
	// ask shows a question, which ends in prompt, and takes one line for it. What
	// was typed before a number came up answers none of that number.
	ask(question, prompt string, number int) error
	// answered says that no question is open any more.
	answered() error
	// heard is called when a line has come.
	heard()
	// note is called before a note of the program's own.
	note()
	// status sets the line that says what is going on; "" for none.
	status(text string) error
	// close gives the terminal back. It may be called again.
	close()
}

// plainDesk is a terminal that edits lines by itself, or one too simple for more.
type plainDesk struct {
	io.Writer
	keys     *edit.Typewriter
	prompted bool // the prompt stands at the cursor
	asking   bool // a question does
}

func (d *plainDesk) ready() error {
	if d.prompted {
		return nil
	}
	d.prompted = true
	_, err := io.WriteString(d, promptText)
	return err
}

func (d *plainDesk) ask(question, prompt string, number int) error {
	if d.keys.Ask(number) {
		question = "◇ what was typed before this question does not count\n" + question
	}
	if d.asking {
		question = "\n" + question
	}
	d.asking = true
	_, err := io.WriteString(d, question+prompt)
	return err
}

func (d *plainDesk) answered() error {
	d.keys.Ask(0)
	if !d.asking {
		return nil
	}
	d.asking = false
	_, err := io.WriteString(d, "\n")
	return err
}

func (d *plainDesk) heard()              { d.asking = false }
func (d *plainDesk) note()               { d.prompted = false }
func (d *plainDesk) status(string) error { return nil }
func (d *plainDesk) close()              {}

// consoleDesk is a terminal whose line is edited here, below the output.
type consoleDesk struct{ *edit.Console }

func (d consoleDesk) ready() error {
	if err := d.Status(""); err != nil {
		return err
	}
	return d.Ask("", promptText, 0)
}

func (d consoleDesk) ask(question, prompt string, number int) error {
	return d.Ask(question, prompt, number)
}

func (d consoleDesk) note()                    {}
func (d consoleDesk) heard()                   {}
func (d consoleDesk) answered() error          { return d.Ask("", promptText, 0) }
func (d consoleDesk) status(text string) error { return d.Status(text) }
func (d consoleDesk) close()                   { d.Close() }

// openDesk opens the desk and the lines typed at it: plain ones, or those of a
// console, which are taken before its next key is. act is called when a key says
// to cancel, and reports whether the line is to be emptied; complete is that of an
// editor.
// saved says that the history can be kept.
func (a *app) openDesk(saved bool, act func(edit.Act, int) bool, complete func(string) []string) (
	d desk, plain <-chan line, typed <-chan edit.Sent, err error,
) {
	if !a.std.OutTerminal || a.env("TERM") == "dumb" || a.flags.Format != "text" {
		screen := io.Writer(a.std.Err)
		if a.std.OutTerminal && a.flags.Format == "text" {
			screen = a.std.Out
		}
		keys := edit.NewTypewriter(a.std.In)
		return &plainDesk{Writer: screen, keys: keys}, typedLines(keys), nil, nil
	}
	history := &edit.History{}
	if dir := a.dirs().state; saved {
		if history, err = edit.LoadHistory(filepath.Join(dir, "history")); err != nil {
			a.warn("the history cannot be read, so it begins anew: " + err.Error())
		}
	}
	console, err := edit.Open(edit.Config{In: a.std.In, Out: a.std.Out, History: history, Act: act, Complete: complete})
	if err != nil {
		return nil, nil, nil, err
	}
	return consoleDesk{console}, nil, console.Lines(), nil
}
