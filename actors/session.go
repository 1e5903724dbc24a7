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
	limits      Limits
	base        provider.Request // what every request has in common
	hooked      bool             // a BeforeStep hook looks at every request
	history     history
	queue       []Prompt
	joining     []Prompt // went with a StepPrepared; the turn has not said that they joined
	prompts     int      // how many ids were made
	turns       int
	turn        string   // the one that runs, "" when idle
	prompted    Prompt   // what it began with
	joined      []string // ids of the prompts that joined it: at most Steps × Prompts
	canceled    bool     // a cancel was asked of it
	asked       [2]bool  // by mode
	dropped     Ref      // the step it wants no more, which it may be yet to ask for
	ref         Ref      // the latest try of it that is known
	soFar       TurnEnded
	said        provider.Message        // the last message of the turn; its text is joined only if needed
	finished    map[string]ToolFinished // of the calls of its last message
	ended       *TurnEnded              // it ended while the five were being replaced
	cancels     []func(Outcome)
	stopping    []func()
	stopped     bool
	broken      bool    // the five are being replaced
	untold      []Event // of the time since: at most two for each prompt that toldMax allows
	backlog     backlog // what waits, as its host last saw it
	full        fullness
	compacting  *compaction // that runs, nil if none
	compactions int
	later       []any  // asked for by who had read the end of the turn that runs
	attached    Reader // the controlling reader
	attaches    int    // how many there were
	granted     int    // by the last of them
	sends       []Send
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
	rebuilt struct {
		why   Crashed
		shown shown
	}
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
	case ReadHistory, ReplaceHistory, CompactHistory, UseModel, StopCompaction, DropStep, historyShrunk:
		s.historyInput(in)
	case Crashed:
		s.broken = true
	case rebuilt:
		s.recover(in)
	default:
		panic(fmt.Sprintf("actors: supervisor: no such input %T", in))
	}
	return s.sends
}

func (s *session) send(to Stage, in any) { s.sends = append(s.sends, Send{to, in}) }

func (s *session) tell(events ...Event) {
	if s.broken { // there is nobody who would take them
		s.untold = append(s.untold, events...)
		return
	}
	s.send(Reporter, Post{From: Supervising, Events: events, Bytes: eventBytes(events)})
}

// prompt accepts a prompt, or says why not.
func (s *session) prompt(p Prompt) {
	size := promptBytes(p)
	var err error
	switch {
	case len(s.stopping) > 0 || s.stopped:
		err = ErrClosed
	case strings.TrimSpace(p.Text) == "" && len(p.Attach) == 0:
		err = errors.New("the prompt is empty")
	case len(p.ID) > idBytes:
		err = fmt.Errorf("the prompt's id has %d bytes, more than the limit of %d", len(p.ID), idBytes)
	case size > s.limits.PromptBytes:
		err = fmt.Errorf("the prompt has %d bytes, more than the limit of %d", size, s.limits.PromptBytes)
	case len(s.queue)+len(s.joining) >= s.limits.Prompts:
		err = ErrBusy
	default:
		err = s.crowded(size)
	}
	if err == nil {
		if p.Wanted != nil && !p.Wanted() {
			return
		}
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
	if s.turn == "" && !s.broken && s.compacting == nil {
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
	s.asked = [2]bool{}
	s.ref, s.soFar, s.said, s.prompted, s.joined = Ref{Turn: s.turn}, TurnEnded{}, provider.Message{}, p, nil
	s.history.prompt(p)
	s.full.rest = 0
	s.send(Turning, StartTurn{Turn: s.turn, Prompt: p})
}

// prepare builds the request of a step. What waits in the queue joins, but not
// the first step: its prompt has just been taken. A turn that is ending gets no
// more than an answer, and nothing joins it: what was accepted after a cancel
// starts the next one.
func (s *session) prepare(in PrepareStep) {
	if in.Ref.Turn != s.turn {
		return // I12
	}
	step := StepPrepared{Ref: in.Ref, Request: s.base}
	if s.canceled || in.Ref == s.dropped {
		s.send(Turning, step)
		return
	}
	step.Request.IDPrefix = s.turn
	step.Request.Messages = s.history.view()
	if in.Ref.Step > 1 {
		s.joining, s.queue = append(s.joining, s.queue...), nil
		step.Joined = s.joining
		for _, p := range step.Joined {
			step.Request.Messages = append(step.Request.Messages, p.message())
		}
	}
	s.fit(step, in)
}

// fact takes what has happened into the history.
func (s *session) fact(f any) {
	switch f := f.(type) {
	case MessageKept:
		s.ref = f.Ref
		s.full.measure(f.Ref, f.Usage)
		s.history.keep(f.Message)
		s.finished = map[string]ToolFinished{}
		s.said, s.soFar.Stop, s.soFar.Steps = f.Message, f.Stop, f.Ref.Step
		if f.Usage != nil {
			s.soFar.Usage = s.soFar.Usage.Add(*f.Usage)
		}
	case CallEnded:
		s.history.result(f.Result)
		s.finished[f.Result.Call] = f.Event
	case PromptsJoined:
		s.joining = nil
		for _, p := range f.Prompts {
			s.history.prompt(p)
			s.joined = append(s.joined, p.ID)
		}
	case CallStarted, CallApproved, TurnClosed: // for the journal alone
	default:
		panic(fmt.Sprintf("actors: supervisor: no such fact %T", f))
	}
}

// reader passes on what a reader says, and keeps count: an actor that panics
// takes with it what it had not handled.
func (s *session) reader(in any) {
	switch in := in.(type) {
	case Attach:
		s.attached, s.granted = in.To, 0
		s.attaches++
	case Grant:
		s.granted += in.Batches
	}
	if !s.broken {
		s.send(Reporter, in)
	}
}

// readerLost tells a new reporter what the one before had not taken of the
// reader: without its credit the reader would get nothing for ever.
func (s *session) readerLost(seen shown) {
	lost := s.granted - seen.granted
	if s.attaches != seen.attaches {
		s.send(Reporter, Attach{To: s.attached})
		lost = s.granted
	}
	if lost > 0 {
		s.send(Reporter, Grant{From: Reporter, Batches: lost})
	}
}
