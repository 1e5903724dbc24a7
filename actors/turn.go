package actors

// PURE: no clock, no goroutine, no lock, no I/O in this file.

import (
	"fmt"
	"time"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/tools"
)

// State is where a turn is.
type State uint8

// The states of a turn; edges says where each may go.
const (
	Idle      State = iota // to Streaming, or to Ended before the first request
	Streaming              // a step is asked, or waits to be asked again; to Executing, Draining, Ended
	Executing              // calls run, or the next step is prepared; to Streaming, Draining
	Draining               // what is open is being stopped; to Ended
	Ended                  // nowhere
)

// String returns the state's name.
func (s State) String() string {
	return [...]string{"idle", "streaming", "executing", "draining", "ended"}[s]
}

// edges are the state changes there are.
var edges = [...][]State{
	Idle:      {Streaming, Ended},
	Streaming: {Executing, Draining, Ended},
	Executing: {Streaming, Draining},
	Draining:  {Ended},
	Ended:     nil,
}

// Turn is the machine of one turn: from a prompt until the model is done.
type Turn struct {
	rules   turnRules
	state   State
	ref     Ref // the try that runs
	awaited Ref // of the PrepareStep that is out
	took    []edge

	prompt  Prompt
	started time.Time
	request provider.Request // of this step, for its further tries

	open     openWork
	broken   *StreamBroke // waits until nothing of its try runs any more
	calls    int          // of the last message that have no result yet
	then     func()       // what follows when they have
	ending   *ending      // how it will end, once what is open has stopped
	afterOne bool         // CancelAfterStep came
	clock    turnClock    // retry and time limit
	tally    turnTally    // what the limits count
	last     TurnEnded    // Text, Stop and Usage so far
	sends    []Send
	now      time.Time
}

// turnRules is what a turn is given once.
type turnRules struct {
	limits   Limits
	fallback []string       // models tried after the attempts are spent
	jitter   func() float64 // in [0,1), for the back-off
	compacts bool           // the history can be made shorter
}

// edge is a state change that was taken, for the tests that count them.
type edge struct{ from, to State }

// openWork is what must be answered before a turn can end.
type openWork struct {
	preparing bool // a PrepareStep
	stream    bool // an OpenStream
	closing   bool // a CloseStream
	calls     bool // a CloseCalls
	voiding   bool // a VoidCalls
}

// ending is how a turn will end.
type ending struct {
	outcome Outcome
	limit   string
	err     *TurnError
}

func newTurn(id string, r turnRules) *Turn {
	return &Turn{rules: r, ref: Ref{Turn: id}}
}

// State returns where the turn is.
func (t *Turn) State() State { return t.state }

// Handle takes one input at time now and returns its effects, in order. The
// slice is good until the next call. It costs no allocation for a stale input.
func (t *Turn) Handle(in any, now time.Time) []Send {
	t.sends, t.now = t.sends[:0], now
	if t.state == Ended {
		return nil // late: its turn has ended
	}
	switch in := in.(type) {
	case StartTurn:
		t.start(in)
	case StepPrepared:
		t.prepared(in)
	case MessageAssembled:
		if in.Ref == t.ref {
			t.assembled(in)
		}
	case StreamBroke:
		if in.Ref == t.ref {
			t.voidFirst(in)
		}
	case CallsVoided:
		if in.Ref == t.ref {
			t.voided()
		}
	case StreamClosed:
		if in.Ref == t.ref {
			t.open.stream, t.open.closing = false, false
			t.settle()
		}
	case CallFinished:
		if in.Ref == t.ref {
			t.finished(in)
		}
	case CallsClosed:
		if in.Ref == t.ref {
			t.open.calls = false
			t.settle()
		}
	case ApprovalWaiting:
		if in.Ref.Turn == t.ref.Turn {
			t.clock.pause(in.Waiting, now)
			t.timer()
		}
	case CancelTurn:
		t.cancel(in)
	case ReaderGone:
		if in.Turn == t.ref.Turn { // I12: it may be the news of the turn before
			t.drain(ending{outcome: Failed, err: &TurnError{string(provider.ReaderStalled), "the reader took no event for too long"}})
		}
	case Tick:
		t.tick(in)
	default:
		panic(fmt.Sprintf("actors: turn: no such input %T", in))
	}
	return t.sends
}

func (t *Turn) become(next State) {
	for _, to := range edges[t.state] {
		if to == next {
			t.took = append(t.took, edge{t.state, next})
			t.state = next
			return
		}
	}
	panic(fmt.Sprintf("actors: turn: no edge %v to %v", t.state, next))
}

func (t *Turn) send(to Stage, in any) { t.sends = append(t.sends, Send{to, in}) }

// tell posts events; the host finds the credit for them.
func (t *Turn) tell(events ...Event) {
	t.send(Reporter, Post{From: Turning, Ref: t.ref, Events: events, Bytes: eventBytes(events)})
}

func (t *Turn) timer() {
	at, epoch := t.clock.next()
	t.send(Turning, SetTimer{At: at, Epoch: epoch})
}

// start begins the turn: its first step is prepared.
func (t *Turn) start(in StartTurn) {
	t.prompt, t.started = in.Prompt, t.now
	if d := t.rules.limits.TurnTime; d > 0 {
		t.clock.deadline = t.now.Add(d)
		t.timer()
	}
	t.tell(TurnStarted{Prompt: in.Prompt.Text, PromptID: in.Prompt.ID})
	t.prepare()
}

// prepare asks for the request of the next step.
func (t *Turn) prepare() {
	if t.afterOne {
		t.drain(ending{outcome: Canceled})
		return
	}
	t.await(PrepareStep{Ref: Ref{t.ref.Turn, t.ref.Step + 1, 1}})
}

// prepared opens the step. If the turn is ending instead, the session keeps
// the prompts that were to join: it learns by PromptsJoined that they did.
func (t *Turn) prepared(in StepPrepared) {
	if !t.open.preparing || in.Ref != t.awaited {
		return // I12
	}
	t.open.preparing = false
	if in.Spent != nil {
		t.last.Usage = t.last.Usage.Add(*in.Spent)
	}
	if t.ending != nil {
		if t.state == Idle {
			t.finish()
			return
		}
		t.settle()
		return
	}
	if in.Err != nil {
		t.end(ending{outcome: Failed, err: t.unprepared(in.Err)})
		return
	}
	t.announce()
	t.ref = in.Ref
	t.last.Steps = t.ref.Step
	t.request, t.tally.tries = in.Request, 0
	if n := t.tally.model; n > 0 {
		t.request.Model = t.rules.fallback[n-1]
	}
	for _, p := range in.Joined {
		t.tell(PromptJoined{PromptID: p.ID, Text: p.Text})
	}
	if t.state != Streaming {
		t.become(Streaming)
	}
	t.openStream(joinedFacts(in.Joined))
}

func joinedFacts(joined []Prompt) []any {
	if len(joined) == 0 {
		return nil
	}
	return []any{PromptsJoined{Prompts: joined}}
}

// openStream sends one try of the step's request.
func (t *Turn) openStream(facts []any) {
	t.open.stream = true
	t.tally.tries++
	req := t.request
	req.IDPrefix = fmt.Sprintf("%s_s%da%d_", req.IDPrefix, t.ref.Step, t.ref.Attempt)
	open := OpenStream{Ref: t.ref, Request: req}
	if len(facts) > 0 {
		t.send(Supervising, Commit{Facts: facts})
	}
	t.tell(StepStarted{})
	t.send(Assembler, open)
	t.send(Streamer, open)
}

// cancel ends the turn now, or after the step that runs.
func (t *Turn) cancel(in CancelTurn) {
	if in.Turn != t.ref.Turn {
		return
	}
	if in.Mode == CancelAfterStep && (t.open.stream || t.calls > 0) {
		t.afterOne = true
		return
	}
	t.drain(ending{outcome: Canceled})
}

// drain is the one road out of open work: stop it, wait for its ends, end once.
func (t *Turn) drain(e ending) {
	if t.ending != nil {
		return // the first reason stands
	}
	t.then = nil
	t.clock.retry = time.Time{}
	t.ending = &e
	if t.open.preparing {
		t.send(Supervising, DropStep{Ref: t.awaited}) // a hook or a compaction may take long
	}
	if t.state == Idle {
		if t.open.preparing { // the hook before the step may still run
			return
		}
		t.finish()
		return
	}
	t.become(Draining)
	kind, text := tools.Canceled, "the turn was canceled before this call had finished"
	switch {
	case e.outcome == Limited:
		text = "the turn's limit (" + e.limit + ") was reached before this call had finished"
	case e.outcome == Failed:
		text = "the turn failed before this call had finished"
	}
	if t.open.stream {
		t.open.closing = true
		t.send(Streamer, CloseStream{Ref: t.ref})
	}
	t.open.calls = true
	t.send(Executor, CloseCalls{Ref: t.ref, Kind: kind, Text: text})
	t.settle()
}

// settle ends a draining turn once all that was open has answered.
func (t *Turn) settle() {
	if t.state == Draining && t.open == (openWork{}) && t.calls == 0 {
		t.finish()
	}
}

// end ends a turn that has nothing open.
func (t *Turn) end(e ending) {
	t.ending = &e
	if t.state == Executing {
		t.become(Draining) // nothing is open: it is left at once
	}
	t.finish()
}

// finish posts TurnEnded, once: become refuses a second Ended.
func (t *Turn) finish() {
	t.become(Ended)
	e := t.last
	e.Outcome, e.Limit, e.Error = t.ending.outcome, t.ending.limit, t.ending.err
	e.DurationMS = t.now.Sub(t.started).Milliseconds()
	t.send(Turning, SetTimer{})
	t.send(Supervising, Commit{
		Facts: []any{TurnClosed{Turn: t.ref.Turn, Ended: e}},
		Then: []Send{
			{Reporter, Post{From: Turning, Ref: t.ref, Events: []Event{e}, Free: true}},
		},
	})
}
