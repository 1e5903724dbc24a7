package actors

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"time"

	"pgregory.net/rapid"
)

// world is a whole session without goroutines: the real machines and the real
// mailboxes, run in an order that a seed decides. What in the program is a
// goroutine (the model, a check, a tool, the journal, a reader, a user) is an
// action here, done whenever chance picks it.
type world struct {
	t    rapid.TB
	l    Limits
	rand *rand.Rand
	now  time.Time

	boxes  [stages]*mailbox
	gauges [stages]gauge
	timers [stages]SetTimer
	out    *outbox

	session  *session
	aside    *outlet
	asm      *assembler
	turns    *turns
	calls    *calls
	commits  *outlet
	reporter *reporter
	stream   *simStream
	closed   overtaken

	plan    plan
	seed    uint64
	durable bool
	acks    []Stage      // commits the journal has not acknowledged
	checks  []checkCalls // calls that are being looked at
	running []*simTool
	ran     map[callRun]bool
	scopes  []Ref
	hook    []StepPrepared
	rules   bool // "always" was said

	reader  simReader
	user    simUser
	sent    map[Ref][]sentText // what the model's stream handed over, by try
	cutOff  map[Ref]bool       // tries that were too large: what came after is dropped
	refs    []Ref              // the tries, in order
	shut    bool
	covered map[pair]bool
	edges   map[edge]bool
	notes   notes
	held    map[State]bool // states in which a cancel found the turn's posts without credit
}

// pair is a state of the turn and the type of a fresh input that came there.
type pair struct {
	state State
	in    string
}

// plan is how a world behaves.
type plan struct {
	prompts, cancels   int
	failing            int   // of 10 tries
	lazyReader, hooked bool  // the reader rests; a hook looks at every request
	starved            Stage // runs only when nothing else can; beyond the stages: none
	frozen             int   // how many events the reader takes before it freezes; 0: it does not
}

func newWorld(t rapid.TB, l Limits, p plan, durable bool, seed uint64) *world {
	w := &world{
		t: t, l: l, seed: seed, rand: rand.New(rand.NewPCG(seed, 7)), now: time.Unix(1_000_000, 0), plan: p, durable: durable,
		sent: map[Ref][]sentText{}, cutOff: map[Ref]bool{}, ran: map[callRun]bool{}, covered: map[pair]bool{}, edges: map[edge]bool{}, held: map[State]bool{}, notes: newNotes(),
	}
	for s := range w.boxes {
		stage := Stage(s)
		w.boxes[s] = newMailbox(l.capacity(stage), l.guests(), &w.gauges[s], func(msg any, why refusal) {
			if p, ok := msg.(Prompt); ok { // a flood from outside
				p.Reply(ErrBusy)
				return
			}
			w.failf("the mailbox of the %v refused %T (%d)", stage, msg, why)
		})
		w.boxes[s].RegisterHandlers(nil, noDispatch{})
	}
	w.out = newOutbox("s", l)
	w.session = newTestSession(l, p.hooked)
	w.aside = newAside(l, durable)
	w.asm = newAssembler(l, nil)
	w.turns = newTurns(turnRules{limits: l, fallback: []string{"m2"}, jitter: w.rand.Float64}, durable)
	w.calls = newCalls(l)
	w.commits = newCommits(l, durable)
	w.reporter = newReporter(l, DeltasTools, w.out)
	w.reader = simReader{w: w}
	w.user = simUser{w: w, prompts: p.prompts, cancels: p.cancels, fate: map[string]int{}}
	w.post(Supervising, Attach{To: &w.reader})
	return w
}

// noDispatch never runs a mailbox: the world does, one message at a time.
type noDispatch struct{}

func (noDispatch) Schedule(func()) {}
func (noDispatch) Throughput() int { return 1 }

func (w *world) failf(format string, args ...any) {
	w.t.Helper()
	w.t.Fatalf("%s\nseed %d limits: %+v\nplan: %+v durable: %v\nevents:\n%s", fmt.Sprintf(format, args...), w.seed, w.l, w.plan, w.durable, w.reader.story())
}

func (w *world) chance(n int) bool { return w.rand.IntN(n) == 0 }

func (w *world) post(to Stage, in any) { w.boxes[to].PostUserMessage(in) }

// run does actions until none is left; then time goes on to the next timer.
func (w *world) run() {
	for n := 0; ; n++ {
		if n == 200_000 {
			w.failf("no end after %d actions", n)
		}
		if acts := w.actions(); len(acts) > 0 && !w.chance(400) {
			acts[w.rand.IntN(len(acts))]()
		} else if !w.elapse() && len(acts) == 0 && !w.unfreeze() {
			return
		}
	}
}

func (w *world) actions() []func() {
	var acts []func()
	for s, b := range w.boxes {
		if Stage(s) != w.plan.starved && (len(b.control) > 0 || b.data.n > 0) {
			acts = append(acts, func() { w.receive(Stage(s)) })
		}
	}
	if w.stream != nil && w.stream.ready() {
		acts = append(acts, w.stream.step)
	}
	if len(w.checks) > 0 {
		acts = append(acts, w.look)
	}
	for _, tool := range w.running {
		acts = append(acts, tool.step)
	}
	if len(w.scopes) > 0 {
		acts = append(acts, func() { w.post(Executor, ScopeEnded{w.scopes[0]}); w.scopes = w.scopes[1:] })
	}
	if len(w.hook) > 0 {
		acts = append(acts, func() { w.post(Supervising, w.hook[0]); w.hook = w.hook[1:] })
	}
	if len(w.acks) > 0 {
		acts = append(acts, w.acknowledge)
	}
	acts = append(acts, w.reader.actions()...)
	acts = append(acts, w.user.actions()...)
	if s := w.plan.starved; len(acts) == 0 && s < stages && (len(w.boxes[s].control) > 0 || w.boxes[s].data.n > 0) {
		acts = append(acts, func() { w.receive(s) })
	}
	return acts
}

// elapse lets the earliest timer fire.
func (w *world) elapse() bool {
	first := -1
	if w.reader.frozen && w.user.open > 0 {
		return false // the end of a canceled turn needs neither a reader nor time
	}
	for s, timer := range w.timers {
		if !timer.At.IsZero() && (first < 0 || timer.At.Before(w.timers[first].At)) {
			first = s
		}
	}
	if w.reader.rests.After(w.now) && (first < 0 || w.reader.rests.Before(w.timers[first].At)) {
		w.now = w.reader.rests
		return true
	}
	if first < 0 {
		return false
	}
	if at := w.timers[first].At; at.After(w.now) {
		w.now = at
	}
	tick := Tick{Epoch: w.timers[first].Epoch}
	w.timers[first] = SetTimer{}
	w.post(Stage(first), tick)
	return true
}

// receive lets one actor handle one message.
func (w *world) receive(s Stage) {
	in, _ := w.boxes[s].next()
	defer func() {
		if r := recover(); r != nil {
			w.failf("the %v panicked on %T: %v", s, in, r)
		}
	}()
	if was := w.state(s); was != "" && !w.stale(s, in) {
		defer func() { w.saw(s, was, in) }()
	}
	switch s {
	case Streamer:
		w.streamer(in)
	case Assembler:
		w.do(s, w.asm.Handle(in))
		w.cutOff[w.asm.ref] = w.cutOff[w.asm.ref] || w.asm.err != nil
	case Turning:
		w.turn(in)
	case Executor:
		w.executor(in)
	case Reporter:
		w.do(s, w.reporter.Handle(in, w.now))
	case Supervising:
		w.supervisor(in)
	}
}

// do carries out effects that are only sends.
func (w *world) do(from Stage, sends []Send) {
	for _, s := range sends {
		switch in := s.In.(type) {
		case SetTimer:
			w.timers[from] = in
			continue
		case Commit:
			in.From = from
			s.In = in
		case Post:
			w.ends(in)
		}
		w.post(s.To, s.In)
	}
}

// ends checks that nothing of a turn is left when its end is posted (I6).
func (w *world) ends(p Post) {
	for _, e := range p.Events {
		if _, ok := e.(TurnEnded); !ok {
			continue
		}
		if s := w.stream; s != nil && s.b.ref.Turn == p.Ref.Turn && !s.ended {
			w.failf("turn %s ended with its stream open", p.Ref.Turn)
		}
		for _, tool := range w.running {
			if tool.ref.Turn == p.Ref.Turn {
				w.failf("turn %s ended with call %s running", p.Ref.Turn, tool.call.ID)
			}
		}
	}
}

func (w *world) turn(in any) {
	var was State
	fresh := false
	if t := w.turns.turn; t != nil {
		was, fresh = t.state, isFresh(t, in)
		if _, cancel := in.(CancelTurn); cancel && fresh && w.turns.out.Stalled() {
			w.held[was] = true
		}
	}
	if s, ok := in.(StartTurn); ok {
		if t := w.turns.turn; t != nil && t.state != Ended {
			w.failf("turn %s starts while %s runs", s.Turn, t.ref.Turn)
		}
		was, fresh = Idle, true
	}
	w.do(Turning, w.turns.Handle(in, w.now))
	if fresh {
		w.covered[pair{was, name(in)}] = true
	}
	if t := w.turns.turn; t != nil {
		for _, e := range t.took {
			w.edges[e] = true
		}
	}
}

func name(in any) string { return strings.TrimPrefix(reflect.TypeOf(in).String(), "actors.") }

// isFresh reports whether in is about what t does now.
func isFresh(t *Turn, in any) bool {
	switch in := in.(type) {
	case Tick:
		return in.Epoch == t.clock.epoch
	case ReaderGone:
		return in.Turn == t.ref.Turn
	case CancelTurn:
		return in.Turn == t.ref.Turn
	case StepPrepared:
		return in.Ref.Turn == t.ref.Turn
	case ApprovalWaiting:
		return in.Ref.Turn == t.ref.Turn
	case Grant, Committed:
		return false // the outlet's
	default:
		f := reflect.ValueOf(in).FieldByName("Ref")
		return f.IsValid() && f.Interface() == t.ref
	}
}
