package actors

// PURE: no clock, no goroutine, no lock, no I/O in this file.

import (
	"errors"
	"fmt"
	"strings"

	"github.com/weir-agents/weir/provider"
)

// The errors of a session's door.
var (
	// ErrBusy says that as many prompts wait as Limits.Prompts allows.
	ErrBusy = errors.New("the session's prompt queue is full; wait for a turn to end")
	// ErrClosed says that the session has been closed.
	ErrClosed = errors.New("the session is closed")
)

// session is the machine of the supervisor: history, prompt queue, and which
// turn runs. It survives the five actors.
type session struct {
	limits   Limits
	base     provider.Request // what every request has in common
	hooked   bool             // a BeforeStep hook looks at every request
	history  history
	queue    []Prompt
	prompts  int // how many ids were made
	turns    int
	turn     string // the one that runs, "" when idle
	ref      Ref    // the latest try of it that is known
	soFar    TurnEnded
	cancels  []func(Outcome)
	stopping []func()
	stopped  bool
	broken   bool  // the five are being replaced
	held     []any // for the new ones
	sends    []Send
}

// Effects for the supervisor's own host.
type (
	// reply tells a caller the fate of its prompt.
	reply struct {
		to  func(error)
		err error
	}
	// ended tells those who canceled how the turn ended.
	ended struct {
		to      []func(Outcome)
		outcome Outcome
	}
	// askHook asks for a StepPrepared after Config.Hooks.BeforeStep has seen it.
	askHook struct{ step StepPrepared }
	// turnOver asks for the AfterTurn hook, if there is one.
	turnOver struct{ event TurnEnded }
	// stopHook ends the hook that runs.
	stopHook struct{}
	// rebuilt says that a new set of five stands in for one that crashed.
	rebuilt struct{ why Crashed }
	// shutDown asks for the end of everything and tells those who wait for it.
	shutDown struct{ done []func() }
)

func newSession(l Limits, base provider.Request, hooked bool) *session {
	return &session{limits: l, base: base, hooked: hooked}
}

// Handle takes one input and returns its effects.
func (s *session) Handle(in any) []Send {
	s.sends = s.sends[:0]
	switch in := in.(type) {
	case Prompt:
		s.prompt(in)
	case Cancel:
		s.cancel(in)
	case Resolve:
		s.send(Executor, in)
	case Attach:
		s.reader(in)
	case Grant: // a reader's: the reporter's window toward it
		s.reader(in)
	case Stop:
		s.stop(in)
	case PrepareStep:
		s.prepare(in)
	case StepPrepared: // the hook is done
		s.send(Turning, in)
	case Commit:
		for _, f := range in.Facts {
			s.fact(f)
		}
	case TurnDone:
		s.done(in)
	case Crashed:
		s.broken = true
	case rebuilt:
		s.recover(in.why)
	default:
		panic(fmt.Sprintf("actors: supervisor: no such input %T", in))
	}
	return s.sends
}

func (s *session) send(to Stage, in any) { s.sends = append(s.sends, Send{to, in}) }

func (s *session) tell(events ...Event) {
	s.send(Reporter, Post{From: Supervising, Events: events, Bytes: eventBytes(events)})
}

// prompt accepts a prompt, or says why not.
func (s *session) prompt(p Prompt) {
	size := len(p.Text)
	for _, b := range p.Attach {
		size += provider.BlockBytes(b)
	}
	var err error
	switch {
	case len(s.stopping) > 0 || s.stopped:
		err = ErrClosed
	case strings.TrimSpace(p.Text) == "" && len(p.Attach) == 0:
		err = errors.New("the prompt is empty")
	case size > s.limits.PromptBytes:
		err = fmt.Errorf("the prompt has %d bytes, more than the limit of %d", size, s.limits.PromptBytes)
	case len(s.queue) >= s.limits.Prompts:
		err = ErrBusy
	}
	if err == nil {
		s.prompts++
		if p.ID == "" {
			p.ID = fmt.Sprintf("p%d", s.prompts)
		}
	}
	if p.Reply == nil {
		p.Reply = func(error) {}
	}
	if err != nil {
		s.send(Supervising, reply{p.Reply, err})
		return
	}
	s.send(Supervising, Commit{Facts: []any{PromptAccepted{p}}, Then: []Send{{Supervising, reply{p.Reply, nil}}}})
	if s.turn == "" && !s.broken {
		s.begin(p)
		return
	}
	s.queue = append(s.queue, p)
	s.tell(PromptQueued{PromptID: p.ID, Text: p.Text})
}

// begin starts a turn with p.
func (s *session) begin(p Prompt) {
	s.turns++
	s.turn = fmt.Sprintf("t%d", s.turns)
	s.ref, s.soFar = Ref{Turn: s.turn}, TurnEnded{}
	s.history.prompt(p)
	s.send(Turning, StartTurn{Turn: s.turn, Prompt: p})
}

// cancel ends the turn that runs and voids what waits.
func (s *session) cancel(in Cancel) {
	if s.turn == "" || in.Turn != "" && in.Turn != s.turn {
		if in.Ended != nil {
			s.send(Supervising, ended{[]func(Outcome){in.Ended}, ""})
		}
		return
	}
	if in.Ended != nil {
		s.cancels = append(s.cancels, in.Ended)
	}
	s.send(Supervising, Commit{Facts: []any{CancelAsked{s.turn, in.Mode}}})
	s.drop("the turn was canceled")
	s.send(Supervising, stopHook{})
	s.send(Turning, CancelTurn{Turn: s.turn, Mode: in.Mode})
}

func (s *session) drop(why string) {
	for _, p := range s.queue {
		s.tell(PromptDropped{PromptID: p.ID, Text: p.Text, Reason: why})
	}
	s.queue = nil
}

// prepare builds the request of a step. What waits in the queue joins, but not
// the first step: its prompt has just been taken.
func (s *session) prepare(in PrepareStep) {
	if in.Ref.Turn != s.turn {
		return // I12
	}
	step := StepPrepared{Ref: in.Ref, Request: s.base}
	step.Request.IDPrefix = s.turn
	step.Request.Messages = s.history.view()
	if in.Ref.Step > 1 {
		step.Joined, s.queue = s.queue, nil
		for _, p := range step.Joined {
			step.Request.Messages = append(step.Request.Messages, p.message())
		}
	}
	if s.hooked {
		s.send(Supervising, askHook{step})
		return
	}
	s.send(Turning, step)
}

// fact takes what has happened into the history.
func (s *session) fact(f any) {
	switch f := f.(type) {
	case MessageKept:
		s.ref = f.Ref
		s.history.keep(f.Message)
		s.soFar.Text, s.soFar.Stop, s.soFar.Steps = f.Message.Text(), f.Stop, f.Ref.Step
		if f.Usage != nil {
			s.soFar.Usage = s.soFar.Usage.Add(*f.Usage)
		}
	case CallEnded:
		s.history.result(f.Result)
	case PromptsJoined:
		for _, p := range f.Prompts {
			s.history.prompt(p)
		}
	case CallStarted, CallApproved, TurnClosed: // for the journal alone
	default:
		panic(fmt.Sprintf("actors: supervisor: no such fact %T", f))
	}
}

// done ends the turn; the next prompt starts one.
func (s *session) done(in TurnDone) {
	if in.Turn != s.turn {
		return // I12: it was ended by a crash
	}
	if n := len(s.history.unanswered()); n > 0 {
		panic(fmt.Sprintf("actors: supervisor: turn %s ended with %d calls unanswered", in.Turn, n))
	}
	s.over(in.Ended)
}

func (s *session) over(e TurnEnded) {
	s.turn = ""
	if len(s.cancels) > 0 {
		s.send(Supervising, ended{s.cancels, e.Outcome})
		s.cancels = nil
	}
	s.send(Supervising, turnOver{e})
	s.next()
}

// next goes on after a turn: shut down, or the next prompt.
func (s *session) next() {
	switch {
	case s.broken:
	case len(s.stopping) > 0:
		s.finish()
	case len(s.queue) > 0:
		next := s.queue[0]
		s.queue = s.queue[1:]
		s.begin(next)
	}
}

// reader passes on what a reader says; while the five are being replaced it
// waits, one attach and the grants in one.
func (s *session) reader(in any) {
	if !s.broken {
		s.send(Reporter, in)
		return
	}
	if g, ok := in.(Grant); ok {
		for i, h := range s.held {
			if was, ok := h.(Grant); ok {
				g.Batches += was.Batches
				s.held = append(s.held[:i], s.held[i+1:]...)
				break
			}
		}
		in = g
	}
	s.held = append(s.held, in)
}

// stop closes the session: cancel, wait, shut down.
func (s *session) stop(in Stop) {
	done := in.Done
	if done == nil {
		done = func() {}
	}
	s.stopping = append(s.stopping, done)
	if s.turn == "" {
		s.next()
		return
	}
	s.cancel(Cancel{})
}

func (s *session) finish() {
	s.send(Supervising, shutDown{s.stopping})
	s.stopping, s.stopped = nil, true
}

// recover ends the turn that a panic of ours broke: every call of its last
// message gets a result, and the turn its one end (I5, I6, I8).
func (s *session) recover(why Crashed) {
	s.broken = false
	for _, in := range s.held {
		s.send(Reporter, in)
	}
	s.held = nil
	if s.turn == "" {
		s.next()
		return
	}
	text := fmt.Sprintf("the %s panicked: %s", why.Stage, why.Reason)
	post := Post{From: Supervising, Ref: s.ref, Free: true}
	for _, c := range s.history.unanswered() {
		said := "weir failed while this call was open; whether it had an effect is unknown"
		post.Events = append(post.Events, ToolFinished{Call: c.ID, Name: c.Name, Text: said, ErrorKind: "interrupted"})
		s.history.result(provider.ToolResult{Call: c.ID, Name: c.Name, Text: said, IsError: true})
	}
	e := s.soFar
	e.Outcome, e.Error = Failed, &TurnError{string(provider.Panicked), text}
	post.Events = append(post.Events, e)
	s.send(Reporter, post)
	s.over(e)
}
