package actors

// PURE: no clock, no goroutine, no lock, no I/O in this file.

import (
	"errors"
	"fmt"

	"github.com/weir-agents/weir/provider"
)

// The errors of a compaction.
var (
	// ErrStopped says that a compaction was stopped by a cancel; the history is
	// as it was.
	ErrStopped = errors.New("the compaction was stopped; the history is as it was")
	// ErrNoCompaction says that the session was made without one.
	ErrNoCompaction = errors.New("this session does not compact its history")
)

// busyError is ErrBusy with its own words.
type busyError string

func (e busyError) Error() string        { return string(e) }
func (e busyError) Is(target error) bool { return target == ErrBusy }

const (
	errTurnRuns    = busyError("a turn is running; wait for its end or cancel it, then change the history")
	errCompacting  = busyError("the history is being compacted; wait for its end")
	errManyCallers = busyError("too many callers wait for the session; try again")
)

// contextError fails a step whose request the window cannot hold.
type contextError string

func (e contextError) Error() string { return string(e) }

// stepError is how a turn ends whose step could not be prepared.
func stepError(err error) *TurnError {
	if _, ok := err.(contextError); ok {
		return &TurnError{"context", err.Error()}
	}
	return &TurnError{"hook", err.Error()}
}

// compaction is one that runs.
type compaction struct {
	epoch    int
	id       string        // of the caller who asked, when idle
	reply    func(error)   // to it
	step     *StepPrepared // waits for it; nil: asked for while idle
	overflow bool          // the model has refused the request as too long
}

// Effects for the supervisor's own host.
type (
	// askCompact asks for a shorter history; the answer is a historyShrunk.
	askCompact struct {
		epoch   int
		request provider.Request // its messages are the history
		window  int
		scale   float64
	}
	// stopCompact ends the compaction that runs.
	stopCompact struct{}
	// answer hands a caller what it asked for.
	answer struct{ to func() }
)

// historyShrunk is how a compaction ended.
type historyShrunk struct {
	epoch    int
	messages []provider.Message
	usage    provider.Usage
	err      error
}

// historyInput takes what readers and compactions say about the history.
func (s *session) historyInput(in any) {
	switch in := in.(type) {
	case ReadHistory:
		s.full.count(s.history.messages)
		messages, fill := s.history.view(), s.full.fill()
		s.send(Supervising, answer{func() { in.Reply(messages, fill, nil) }})
	case ReplaceHistory:
		if err := s.idle(in.Ended, in); err != nil {
			s.send(Supervising, reply{in.Reply, err})
		}
	case CompactHistory:
		if err := s.idle(in.Ended, in); err != nil {
			s.send(Supervising, reply{in.Reply, err})
		}
	case UseModel:
		s.base.Model = in.Model
		s.full.resize(in.Window)
		s.send(Supervising, reply{in.Reply, nil})
	case StopCompaction:
		if c := s.compacting; c != nil && c.step == nil && c.id == in.ID {
			s.abandon(ErrStopped)
			s.next()
		}
	case DropStep:
		if in.Ref.Turn == s.turn {
			s.dropped = in.Ref
			s.send(Supervising, stopHook{})
			s.abandon(nil)
		}
	case historyShrunk:
		s.shrunk(in)
	default:
		panic(fmt.Sprintf("actors: supervisor: no such input %T about the history", in))
	}
}

// idle does what in asks if nothing runs. Whoever has read the end of the turn
// that runs is only a little early: in waits for the news of that end.
func (s *session) idle(ended string, in any) error {
	switch {
	case len(s.stopping) > 0 || s.stopped:
		return ErrClosed
	case s.compacting != nil:
		return errCompacting
	case s.turn != "" && ended == s.turn && len(s.later) < s.limits.Prompts:
		s.later = append(s.later, in)
		return nil
	case s.turn != "" || s.broken:
		return errTurnRuns
	}
	switch in := in.(type) {
	case ReplaceHistory:
		if s.backlog.replaced > 0 {
			return errCompacting
		}
		if err := provider.CheckHistory(in.Messages); err != nil {
			return fmt.Errorf("replace the history: %w", err)
		}
		s.history.prompts = 0 // they are the caller's now
		s.replace(in.Messages, Send{Supervising, reply{in.Reply, nil}})
	case CompactHistory:
		if s.full.trigger == 0 {
			return ErrNoCompaction
		}
		if err := s.crowded(0); err != nil { // its notice would wait too
			return err
		}
		s.compact(compaction{id: in.ID, reply: in.Reply})
	}
	return nil
}

// catchUp does what waited for the end of a turn.
func (s *session) catchUp() {
	waiting := s.later
	s.later = nil
	for _, in := range waiting {
		s.historyInput(in)
	}
}

// replace makes messages the history and does then when that is recorded (I9).
func (s *session) replace(messages []provider.Message, then ...Send) {
	s.history.shorten(messages) // capped, so that an append never writes into the caller's array
	s.full.recount(messages)
	s.full.rest = 0
	s.send(Supervising, Commit{Facts: []any{HistoryReplaced{s.history.view()}}, Then: then})
}

// fit sees that a step's request goes into the window: as it is, after a
// compaction, or not at all.
func (s *session) fit(step StepPrepared, in PrepareStep) {
	s.full.count(s.history.messages)
	s.full.asked, s.full.weight = step.Ref, s.full.raw()
	for _, p := range step.Joined {
		s.full.weight += MessageTokens(p.message())
	}
	fill := s.full.fill()
	if w := s.full.window; w > 0 && fill.System+fill.Tools > w {
		s.refuse(step, fmt.Sprintf("the system prompt (about %d tokens) and the %d tools (about %d) alone are larger than the context window of %d tokens; "+
			"name fewer tools, shorten the prompt, or set the window with --context-tokens", fill.System, len(s.base.Tools), fill.Tools, w))
		return
	}
	if s.tooLong(step, fill) {
		return
	}
	total := s.full.tokens(s.full.weight)
	if in.GiveUp || in.Overflow && s.full.counted < 2 {
		s.takeOut(step, "the request is longer than the model takes")
		return
	}
	due := s.full.trigger > 0 && s.full.counted > 1 && total > s.full.trigger && total > s.full.rest
	if in.Overflow || due {
		s.compact(compaction{step: &step, overflow: in.Overflow})
		return
	}
	s.sends = append(s.sends, s.look(step))
}

// tooLong refuses a step whose prompts no compaction can make fit: those that
// nobody has answered stay whole. The prompt of the turn leaves the history
// again, or no later turn would fit either; those that were to join are given
// back, and refused as turns of their own.
func (s *session) tooLong(step StepPrepared, fill Fill) bool {
	if s.full.window <= 0 {
		return false
	}
	raw, last := 0, 0
	for _, p := range step.Joined {
		raw += MessageTokens(p.message())
	}
	messages := s.history.view()
	for i := len(messages) - 1; i >= 0 && messages[i].Role == provider.User; i-- {
		n := MessageTokens(messages[i])
		if raw += n; i == len(messages)-1 {
			last = n
		}
	}
	own, room := s.full.tokens(raw), s.full.window-fill.System-fill.Tools
	if own <= room {
		return false
	}
	why := fmt.Sprintf("the prompt with what it attaches (about %d tokens) is larger than what the context window of %d tokens has room for (about %d); nothing was sent; "+
		"shorten it, name the file and let the model read it in parts, or set the window with --context-tokens", own, s.full.window, room)
	if step.Ref.Step > 1 || len(messages) == 0 {
		s.refuse(step, why)
		return true
	}
	gone := 1
	if s.history.prompts > 1 && s.full.tokens(last) <= room {
		gone = s.history.prompts
		why = fmt.Sprintf("the last %d prompts, which nobody has answered (about %d tokens), are larger than what the context window of %d tokens has room for (about %d); "+
			"nothing was sent, and they have left the conversation: send again what you need of them", gone, own, s.full.window, room)
	}
	s.tell(Notice{Level: "warn", Code: "context", Text: why})
	step.Err = contextError(why)
	s.replace(messages[:len(messages)-gone], Send{Turning, step})
	return true
}

// takeOut fails a step that the model has refused as too long and that nothing
// makes shorter. The prompts that nobody has answered leave the history.
func (s *session) takeOut(step StepPrepared, why string) {
	step.Err = contextError(why)
	gone := s.history.prompts
	if gone == 0 {
		s.tell(Notice{Level: "warn", Code: "context", Text: why + ": take a model with a larger context window, or begin a new session"})
		s.send(Turning, step)
		return
	}
	s.tell(Notice{Level: "warn", Code: "context", Text: why + ", so the prompt with what it attaches has left the conversation again; " +
		"shorten it, name the file and let the model read it in parts, or take a model with a larger context window"})
	messages := s.history.view()
	s.replace(messages[:len(messages)-gone], Send{Turning, step})
}

// look is the send that shows a step to the hook, if there is one, and to the
// turn.
func (s *session) look(step StepPrepared) Send {
	if s.hooked {
		return Send{Supervising, askHook{step}}
	}
	return Send{Turning, step}
}

// refuse fails a step, saying why to whoever reads.
func (s *session) refuse(step StepPrepared, why string) {
	s.tell(Notice{Level: "warn", Code: "context", Text: why})
	step.Err = contextError(why)
	s.send(Turning, step)
}

// compact starts a compaction of the history.
func (s *session) compact(c compaction) {
	s.compactions++
	c.epoch = s.compactions
	s.compacting = &c
	s.full.count(s.history.messages)
	req := s.base
	req.Messages = s.history.view()
	window := s.full.window
	if c.overflow { // it was too much, whatever the window is said to be
		window = min(window, s.full.tokens(s.full.weight))
	}
	s.send(Supervising, askCompact{c.epoch, req, window, s.full.factor()})
}

// abandon gives the compaction that runs up: the history stays, and whoever
// waits goes on. It does nothing if none runs.
func (s *session) abandon(why error) {
	c := s.compacting
	if c == nil {
		return
	}
	s.compacting = nil
	s.send(Supervising, stopCompact{})
	if c.step != nil { // its turn is ending, so it opens nothing
		s.send(Turning, *c.step)
		return
	}
	s.send(Supervising, reply{c.reply, why})
}

// stopIdle ends a compaction that no turn waits for, and what was accepted
// since it began, by a cancel.
func (s *session) stopIdle() {
	if s.turn != "" || s.compacting == nil {
		return
	}
	s.abandon(ErrStopped)
	s.void(s.queue, "the compaction was canceled")
	s.queue = nil
}

// shrunk takes the result of a compaction.
func (s *session) shrunk(in historyShrunk) {
	c := s.compacting
	if c == nil || c.epoch != in.epoch {
		return // it was given up
	}
	s.compacting = nil
	if in.err == nil {
		in.err = provider.CheckHistory(in.messages)
	}
	if c.step != nil && in.usage != (provider.Usage{}) {
		c.step.Spent = &in.usage
	}
	if in.err != nil {
		s.notShrunk(c, in.err)
	} else {
		s.shorter(c, in.messages)
	}
	if c.step == nil {
		s.next()
	}
}

// shorter goes on with a shorter history.
func (s *session) shorter(c *compaction, messages []provider.Message) {
	before := s.full.fill().Total
	then := Send{Supervising, reply{c.reply, nil}}
	if c.step != nil {
		step := *c.step
		step.Request.Messages = messages[:len(messages):len(messages)]
		for _, p := range step.Joined {
			step.Request.Messages = append(step.Request.Messages, p.message())
		}
		then = s.look(step)
	}
	s.replace(messages, then)
	after := s.full.fill().Total
	s.full.rest = after + s.full.window/10
	if c.step != nil {
		s.full.weight = s.full.raw()
		for _, p := range c.step.Joined {
			s.full.weight += MessageTokens(p.message())
		}
	}
	s.tell(Notice{
		Level: "info", Code: "compacted", From: uint64(before), To: uint64(after),
		Text: fmt.Sprintf("the conversation was summarized to make room: from about %d to about %d of %d tokens", before, after, s.full.window),
	})
}

// notShrunk goes on with the history as it was.
func (s *session) notShrunk(c *compaction, err error) {
	total := s.full.fill().Total
	s.full.rest = total + s.full.window/10
	s.tell(Notice{Level: "warn", Code: "compact_failed", Text: fmt.Sprintf(
		"the conversation stays as it was, about %d of %d tokens: %v; compact it again later, or begin a new session", total, s.full.window, err)})
	switch {
	case c.step == nil:
		s.send(Supervising, reply{c.reply, err})
	case c.overflow:
		s.takeOut(*c.step, fmt.Sprintf("the request is longer than the model takes, and could not be made shorter (%v)", err))
	default:
		s.sends = append(s.sends, s.look(*c.step))
	}
}
