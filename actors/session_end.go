package actors

// PURE: no clock, no goroutine, no lock, no I/O in this file.

import (
	"fmt"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/tools"
)

// done ends the turn; the next prompt starts one.
func (s *session) done(in TurnDone) {
	if in.Turn != s.turn {
		return // I12: it was ended by a crash
	}
	if s.broken { // whether its TurnEnded was taken is known when the new set is there
		s.ended = &in.Ended
		return
	}
	if n := len(s.history.unanswered()); n > 0 {
		panic(fmt.Sprintf("actors: supervisor: turn %s ended with %d calls unanswered", in.Turn, n))
	}
	s.over(in.Ended)
}

func (s *session) over(e TurnEnded) {
	s.abandon(nil) // of a turn that a crash ended
	s.turn, s.ended = "", nil
	s.giveBack()
	if len(s.cancels) > 0 {
		s.send(Supervising, ended{s.cancels, e.Outcome})
		s.cancels = nil
	}
	s.send(Supervising, turnOver{e})
	s.catchUp()
	s.next()
}

// giveBack decides about prompts that were to join a step which never came: a
// cancel voids them, any other end leaves them first in the queue.
func (s *session) giveBack() {
	back := s.joining
	s.joining = nil
	if s.canceled {
		s.void(back, "the turn was canceled")
	} else {
		s.queue = append(back, s.queue...)
	}
	s.canceled = false
}

// next goes on after a turn: shut down, or the next prompt.
func (s *session) next() {
	switch {
	case s.broken:
	case len(s.stopping) > 0:
		s.finish()
	case s.compacting != nil: // its end comes back here
	case len(s.queue) > 0:
		next := s.queue[0]
		s.queue = s.queue[1:]
		s.begin(next)
	}
}

// stop closes the session: cancel, wait, shut down.
func (s *session) stop(in Stop) {
	done := in.Done
	if done == nil {
		done = func() {}
	}
	if len(s.stopping) == callersMax {
		s.send(Supervising, answer{done})
		return
	}
	s.stopping = append(s.stopping, done)
	if s.turn == "" {
		s.abandon(ErrClosed)
		s.next()
		return
	}
	s.ask(CancelNow)
}

// finish ends the session. What still waits is told, without credit: after it
// nothing is.
func (s *session) finish() {
	s.void(s.queue, "the session was closed")
	s.queue = nil
	s.send(Reporter, Post{From: Supervising, Free: true})
	s.send(Supervising, shutDown{s.stopping})
	s.stopping, s.stopped = nil, true
}

// recover ends the turn that a panic of ours broke: every call of its last
// message gets a result, and the turn its one end (I5, I6, I8). What the
// reporter had taken says which events are still due.
func (s *session) recover(in rebuilt) {
	s.broken = false
	s.readerLost(in.shown)
	if events := s.untold; len(events) > 0 {
		s.untold = nil
		s.tell(events...)
	}
	if s.turn == "" {
		s.next()
		return
	}
	e := s.soFar
	e.Text = s.said.Text()
	e.Outcome, e.Error = Failed, &TurnError{string(provider.Panicked), fmt.Sprintf("the %s panicked: %s", in.why.Stage, in.why.Reason)}
	if in.shown.last == s.turn { // its end was taken before the crash
		if s.ended != nil {
			e = *s.ended
		}
		s.over(e)
		return
	}
	post := Post{From: Supervising, Ref: s.ref, Free: true}
	if in.shown.turn != s.turn {
		post.Events = append(post.Events, TurnStarted{Prompt: s.prompted.Text, PromptID: s.prompted.ID})
	}
	post.Events = append(post.Events, s.interrupt(in.shown.open)...)
	post.Events = append(post.Events, e)
	s.send(Reporter, post)
	s.over(e)
}

// interrupt gives a result to every call that has none, and returns the
// ToolFinished of those whose end no reader has seen.
func (s *session) interrupt(unseen []provider.ToolCall) []Event {
	const said = "weir failed while this call was open; whether it had an effect is unknown"
	for _, c := range s.history.unanswered() {
		s.history.result(provider.ToolResult{Call: c.ID, Name: c.Name, Text: said, IsError: true})
	}
	var events []Event
	for _, c := range unseen {
		e, ok := s.finished[c.ID]
		if !ok {
			e = ToolFinished{Call: c.ID, Name: c.Name, Text: said, ErrorKind: string(tools.Interrupted)}
		}
		events = append(events, e)
	}
	return events
}
