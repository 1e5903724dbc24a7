package actors

// PURE: no clock, no goroutine, no lock, no I/O in this file.

import "slices"

// cancel ends the turn that runs and voids what waits.
func (s *session) cancel(in Cancel) {
	if in.Ended == nil {
		in.Ended = func(Outcome) {}
	}
	if in.Prompt != "" {
		if s.withdraw(in.Prompt) {
			s.send(Supervising, ended{[]func(Outcome){in.Ended}, Withdrawn})
			return
		}
		in.Turn = s.turnOf(in.Prompt)
	}
	if s.turn == "" || in.Turn != "" && in.Turn != s.turn {
		if in.Turn == "" {
			s.stopIdle()
		}
		s.send(Supervising, ended{[]func(Outcome){in.Ended}, ""})
		return
	}
	if len(s.cancels) < callersMax {
		s.cancels = append(s.cancels, in.Ended)
	} else {
		s.send(Supervising, ended{[]func(Outcome){in.Ended}, ""})
	}
	s.ask(in.Mode)
}

// ask cancels the turn that runs. The turn hears each mode once, however many
// callers say it, and after CancelNow nothing weaker.
func (s *session) ask(mode CancelMode) {
	again := s.asked[mode] || s.asked[CancelNow]
	s.asked[mode] = true
	if !again {
		s.send(Supervising, Commit{Facts: []any{CancelAsked{s.turn, mode}}})
	}
	s.canceled = true
	s.void(s.queue, "the turn was canceled")
	s.queue = nil
	if !again {
		s.send(Supervising, stopHook{})
		s.send(Turning, CancelTurn{Turn: s.turn, Mode: mode})
	}
	s.abandon(nil) // on the data lane, so behind the cancel
}

// withdraw drops the prompt with that id if it waits, and reports whether it did.
func (s *session) withdraw(id string) bool {
	i := slices.IndexFunc(s.queue, func(p Prompt) bool { return p.ID == id })
	if i < 0 {
		return false
	}
	s.send(Supervising, Commit{Facts: []any{PromptWithdrawn{id}}})
	s.void(s.queue[i:i+1], "its sender took it back")
	s.queue = slices.Delete(s.queue, i, i+1)
	return true
}

// noTurn is the id of no turn.
const noTurn = "none"

// turnOf returns the turn that runs if the prompt with that id began it, joined
// it, or is about to.
func (s *session) turnOf(id string) string {
	joining := slices.ContainsFunc(s.joining, func(p Prompt) bool { return p.ID == id })
	if s.turn != "" && (s.prompted.ID == id || joining || slices.Contains(s.joined, id)) {
		return s.turn
	}
	return noTurn
}

func (s *session) void(prompts []Prompt, why string) {
	if len(prompts) == 0 {
		return
	}
	events := make([]Event, 0, len(prompts))
	for _, p := range prompts {
		events = append(events, PromptDropped{PromptID: p.ID, Text: p.Text, Reason: why})
	}
	s.tell(events...)
}
