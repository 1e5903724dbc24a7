package actors

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/weir-agents/weir/journal"
	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/tools"
)

// supervisor is the host of the session machine and the parent of the five.
type supervisor struct {
	shell
	config  Config
	machine *session
	out     *outlet
	box     *outbox
	scope   *tools.Scope
	record  *recorder
	line    dispatcher // of the session's actors, this one too

	set         *set // the five that live now
	gen         int
	dying       int // actors of a set that is being stopped
	broken      *Crashed
	closing     []func()
	stopHooks   context.CancelFunc // of the hook that runs
	stopCompact context.CancelFunc // of the compaction that runs
	ctx         context.Context    // ends with the session
	end         context.CancelFunc
}

// set is one incarnation of the five actors.
type set struct {
	pids    []*actor.PID
	running sync.WaitGroup
	cancel  context.CancelFunc
}

// setGone says that a stopped set has ended, its goroutines too.
type setGone struct{ gen int }

// Spawn starts a session in system and returns its PID and its meter. It makes
// five actors and their supervisor, and no goroutine.
func Spawn(system *actor.ActorSystem, c Config) (*actor.PID, *Meter, error) {
	if err := c.Limits.Validate(); err != nil {
		return nil, nil, err
	}
	meter := &Meter{}
	ctx, end := context.WithCancel(context.Background())
	s := &supervisor{
		config: c, box: newOutbox(c.ID, c.Limits), scope: tools.NewScope(), ctx: ctx, end: end,
		machine: newSession(c.Limits, c.Request, c.Hooks.BeforeStep != nil),
	}
	s.machine.full = newFullness(c.Compaction, c.Request)
	s.out = newAside(c.Limits, s.durable())
	s.shell = shell{stage: Supervising, root: system.Root, routes: &routes{}, meter: meter, running: &sync.WaitGroup{}, strict: c.PanicOnRefusal}
	s.record = newRecorder(c.Journal, c.ID, s)
	props := actor.PropsFromProducer(func() actor.Actor { return s }, actor.WithMailbox(s.mailbox(&s.shell)), actor.WithDispatcher(&s.line),
		actor.WithSupervisor(actor.NewOneForOneStrategy(0, 0, func(any) actor.Directive { return actor.StopDirective })))
	return system.Root.Spawn(props), meter, nil
}

// mailbox makes the mailbox of the actor whose shell is h.
func (s *supervisor) mailbox(h *shell) actor.MailboxProducer {
	return func() actor.Mailbox {
		l := s.config.Limits
		box := newMailbox(l.capacity(h.stage), l.guests(), &h.meter.stage[h.stage], func(msg any, why refusal) { s.refused(h, msg, why) })
		h.routes.box[h.stage] = box
		return box
	}
}

// refused handles a post that was not taken (I2). It runs on the poster's goroutine.
func (s *supervisor) refused(h *shell, msg any, why refusal) {
	switch in := msg.(type) {
	case Prompt:
		if in.Reply != nil {
			in.Reply(map[refusal]error{laneFull: ErrBusy, laneClosed: ErrClosed}[why])
		}
		return
	case ReadHistory, ReplaceHistory, CompactHistory, UseModel:
		refuseCaller(in, why)
		return
	case Notice:
		return // there are too many already
	case Cancel:
		if in.Ended != nil {
			in.Ended("")
		}
		return
	case Stop:
		if in.Done != nil {
			in.Done()
		}
		return
	case *actor.PoisonPill: // it was to be handled after the posts; now it ends without
		h.root.Stop(h.routes.pid[h.stage])
		return
	case Crashed:
		return // one is enough, and a refused one must not make another
	case Resolve, Attach, StopCompaction, Grant: // a grant is refused if it is of no hop
		return // who floods a session gets no more than its lane
	}
	if why == laneClosed { // a late post to an actor that has been stopped
		return
	}
	what := fmt.Sprintf("the mailbox of the %s refused a %T: it is full", h.stage, msg)
	if h.strict {
		panic("actors: " + what)
	}
	h.root.ActorSystem().EventStream.Publish(&actor.DeadLetterEvent{PID: h.routes.pid[h.stage], Message: msg})
	s.send(Supervising, Crashed{Stage: h.stage, Gen: h.gen, Reason: what, Stack: string(debug.Stack())})
}

// Receive implements actor.Actor. It never blocks (I1). A panic in the
// session's own machine fails the turn like one in the five (I8).
func (s *supervisor) Receive(c actor.Context) {
	returned := false
	defer func() {
		if r := recover(); !returned {
			s.send(Supervising, Crashed{Stage: Supervising, Reason: reasonOf(r), Stack: string(debug.Stack())})
		}
	}()
	s.receive(c)
	returned = true
}

func (s *supervisor) receive(c actor.Context) {
	switch in := c.Message().(type) {
	case *actor.Started:
		s.routes.pid[Supervising] = c.Self()
		s.spawn(c)
		s.act(c, s.out.Put([]Send{{Reporter, Post{From: Supervising, Events: []Event{s.config.Started}}}}))
	case *actor.Stopped:
		s.end()
		if s.config.Ended != nil {
			defer s.config.Ended()
		}
		for _, done := range s.closing {
			defer done() // whatever becomes of another
		}
	case *actor.Stopping, *actor.Restarting:
	case *actor.Terminated:
		s.terminated(c)
	case setGone:
		s.gone(c, in)
	case Crashed:
		s.crashed(c, in)
	case recorded:
		s.act(c, s.record.done(in))
	case unrecorded:
		s.act(c, s.out.Put([]Send{{Reporter, Post{From: Supervising, Free: true, Events: []Event{unsaved(in.why)}}}}))
	case Notice: // of a hook, or of the embedder
		if s.out.Waiting() < s.config.Limits.Prompts { // else the reader has enough to read
			in.Envelope = Envelope{}
			s.act(c, s.out.Put([]Send{{Reporter, Post{From: Supervising, Events: []Event{in}}}}))
		}
	case Resolve:
		// An answer to nothing that waits goes no further: others must not fill
		// the executor's lane.
		if slices.Contains(s.box.asked, in.Call) {
			s.input(c, in)
		}
	case refill:
		s.act(c, s.out.Grant(Grant{Batches: in.Batches, Bytes: in.Bytes}))
	case Grant:
		// Whatever it names, it is of a reader and no more than that.
		s.input(c, Grant{From: Reporter, Batches: min(max(in.Batches, 0), grantMost)})
	case Commit:
		s.input(c, in)
		s.record.add(in)
	default:
		s.input(c, in)
	}
}

func (s *supervisor) input(c actor.Context, in any) {
	if isGuest(in) {
		s.machine.backlog = s.out.backlog(s.box)
	}
	s.act(c, s.out.Put(s.machine.Handle(in)))
	s.meter.stalled(Supervising, s.out.Stalled())
}

// act carries out the machine's effects.
func (s *supervisor) act(c actor.Context, sends []Send) {
	for _, send := range sends {
		switch in := send.In.(type) {
		case Commit:
			in.From = Supervising
			s.record.add(in)
		case Committed:
			if send.To == Supervising {
				s.act(c, s.out.Committed())
			} else if in.Gen == s.gen { // another is of a set that has been replaced
				s.do([]Send{send})
			}
		case reply:
			in.to(in.err)
		case StartTurn:
			s.meter.begin(time.Now())
			s.do([]Send{send})
		case ended:
			for _, to := range in.to {
				to(in.outcome)
			}
		case answer:
			in.to()
		case askCompact:
			s.askCompact(in)
		case stopCompact:
			s.stopCompact()
		case askHook:
			s.askHook(in.step)
		case stopHook:
			if s.stopHooks != nil {
				s.stopHooks()
			}
		case turnOver:
			s.turnOver(in.event)
		case shutDown:
			s.closing = in.done
			s.stopSet(c)
		default:
			s.do([]Send{send})
		}
	}
}

// spawn makes the five actors and tells each where the others are.
func (s *supervisor) spawn(c actor.Context) {
	ctx, cancel := context.WithCancel(s.ctx)
	s.set = &set{cancel: cancel}
	s.gen++
	next := &routes{}
	next.pid[Supervising], next.box[Supervising] = c.Self(), s.routes.box[Supervising]
	shells := func(stage Stage) shell {
		return shell{stage: stage, gen: s.gen, root: s.root, routes: next, meter: s.meter, running: &s.set.running, strict: s.strict}
	}
	l := s.config.Limits
	hosts := []handler{
		&streamer{shell: shells(Streamer), line: &s.line, provider: s.config.Provider, limits: l, ctx: ctx},
		&assemblerHost{shell: shells(Assembler), machine: newAssembler(l, s.strictCheck())},
		&turnHost{shell: shells(Turning), machine: newTurns(turnRules{
			limits: l, fallback: s.config.Fallback, jitter: rand.Float64, compacts: s.config.Compaction.Compact != nil,
		}, s.durable())},
		&executor{
			shell: shells(Executor), machine: newCalls(l), out: newCommits(l, s.durable()), ctx: ctx,
			tools: s.config.Tools, policy: s.config.Policy, hooks: s.config.Hooks, scope: s.scope, limits: l,
			cancels: map[int]context.CancelFunc{}, lives: map[int]*live{}, pending: map[int]*tools.Pending{},
		},
		&reporterHost{shell: shells(Reporter), machine: newReporter(l, s.config.Deltas, s.box)},
	}
	for _, h := range hosts {
		props := actor.PropsFromProducer(func() actor.Actor { return host{h} }, actor.WithMailbox(s.mailbox(h.base())), actor.WithDispatcher(&s.line))
		pid := c.SpawnPrefix(props, h.base().stage.String()+"-")
		next.pid[h.base().stage] = pid
		s.set.pids = append(s.set.pids, pid)
	}
	// Goroutines read the supervisor's own entry at any time, and only that one.
	copy(s.routes.pid[:Supervising], next.pid[:Supervising])
	copy(s.routes.box[:Supervising], next.box[:Supervising])
}

// durable reports whether facts wait for the journal.
func (s *supervisor) durable() bool { return s.config.Journal != nil && s.config.Journal.Durable() }

// strictCheck returns what --strict-arguments asks of a call, nil if not asked.
func (s *supervisor) strictCheck() func(provider.ToolCall) *provider.Error {
	if !s.config.Strict {
		return nil
	}
	return func(call provider.ToolCall) *provider.Error {
		_, refused := s.config.Tools.Check(call.Name, call.Arguments, call.Raw)
		if refused == nil || refused.Kind != tools.BadArgument {
			return nil
		}
		return &provider.Error{Kind: provider.BadArguments, Message: call.Name + ": " + refused.Text, Tool: call.Name, Raw: call.Raw}
	}
}

// crashed replaces the set whose actor panicked.
func (s *supervisor) crashed(c actor.Context, in Crashed) {
	if in.Gen != 0 && in.Gen != s.gen || s.broken != nil || s.closing != nil {
		return // of a set that is gone or going
	}
	s.broken = &in
	s.input(c, in)
	s.stopSet(c)
}

// stopSet stops the five and waits for their goroutines. The reporter goes last
// and handles what the others had posted: what is in the history has been shown.
func (s *supervisor) stopSet(c actor.Context) {
	s.set.cancel()
	s.dying = len(s.set.pids)
	for _, pid := range s.set.pids[:Reporter] {
		c.Stop(pid)
	}
}

// terminated counts the actors of a stopped set; then only goroutines are left.
func (s *supervisor) terminated(c actor.Context) {
	if s.dying == 0 {
		return
	}
	s.dying--
	if s.dying == 1 {
		c.Poison(s.set.pids[Reporter])
	}
	if s.dying > 0 {
		return
	}
	old, gen, closing := s.set, s.gen, s.closing != nil
	var rest []journal.Record
	if closing {
		rest = s.record.close()
	}
	// Ends when the goroutines of the set have, or after StopGrace: what does
	// not stop is given up.
	go func() {
		if closing { // before, the session's own may go on
			within(s.config.Limits.StopGrace, s.scope.Close)
		}
		within(s.config.Limits.StopGrace, func() {
			if closing {
				s.record.flush(rest) // first: what follows may not end
				s.running.Wait()
			}
			old.running.Wait()
		})
		s.send(Supervising, setGone{gen})
	}()
}

// gone goes on with a new set, or ends the session.
func (s *supervisor) gone(c actor.Context, in setGone) {
	if in.gen != s.gen {
		return
	}
	if s.closing != nil {
		c.Stop(c.Self())
		return
	}
	s.box.forget()
	s.out.Renew()
	s.spawn(c)
	why := *s.broken
	s.broken = nil
	s.input(c, rebuilt{why, s.box.shown})
}
