package main

import (
	"iter"

	"github.com/weir-agents/weir/pipeline"
)

// told is an event, or why there will be none.
type told struct {
	event pipeline.Event
	err   error
}

// follow hands on what events says, one by one, until it ends or stop is closed;
// then the channel is closed.
func follow(events iter.Seq2[pipeline.Event, error], stop <-chan struct{}) <-chan told {
	all := make(chan told)
	go func() {
		defer close(all)
		defer caught(func(f fault) {
			select {
			case all <- told{err: f}:
			case <-stop:
			}
		})
		for e, err := range events {
			select {
			case all <- told{e, err}:
			case <-stop:
				return
			}
		}
	}()
	return all
}

// attended takes the events of a turn of -p, and asks the person at the terminal.
// The keyboard is read while a question is open: what is typed otherwise is for
// whoever reads it next.
func (t *turner) attended(events iter.Seq2[pipeline.Event, error]) (err error) {
	stop := make(chan struct{})
	all := follow(events, stop)
	defer func() {
		close(stop)
		if err != nil { // or a call would wait for an answer that nobody can give
			t.session.Cancel(pipeline.CancelNow)
		}
		for range all { // its end is that of the turn
		}
	}()
	var typed chan line
	for {
		if len(t.asking) > 0 && typed == nil {
			typed = make(chan line, 1)
			// Ends with the next line, or with the process.
			go func() { typed <- typedLine(t.keys) }()
		}
		select {
		case in, ok := <-all:
			if !ok {
				return nil
			}
			if err := t.saw(in); err != nil {
				return err
			}
			if err := t.consent(in.event); err != nil {
				return err
			}
		case l := <-typed:
			typed = nil
			if err := t.replied(l); err != nil {
				return err
			}
		}
	}
}

// replied takes a line for the question that was open when it was typed.
func (t *turner) replied(l line) error {
	if l.err != nil {
		return t.left()
	}
	t.desk.heard()
	if len(t.asking) > 0 && l.question == t.question {
		return t.answer(l.text)
	}
	if err := t.late(l.text); err != nil || len(t.asking) == 0 {
		return err
	}
	return t.desk.ask("", allow, t.question)
}

// note shows a line of the program's own, on a line of its own.
func (t *turner) note(text string, warn bool) error {
	t.desk.note()
	return t.sink.Note(text, warn)
}
