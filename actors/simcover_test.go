package actors

import (
	"maps"
	"slices"
	"testing"
)

// spot is a state of a machine and a fresh input that came there, or the state
// that it went to.
type spot struct {
	machine     Stage
	state, then string
}

// notes is where the machines beside the turn have been.
type notes struct{ inputs, edges map[spot]bool }

func newNotes() notes { return notes{map[spot]bool{}, map[spot]bool{}} }

func (n notes) add(o notes) {
	maps.Copy(n.inputs, o.inputs)
	maps.Copy(n.edges, o.edges)
}

// state says in a word where the machine of s is; "" for one without states.
func (w *world) state(s Stage) string {
	switch s {
	case Assembler:
		return w.asm.where()
	case Executor:
		return w.calls.where()
	case Reporter:
		return w.reporter.where()
	default:
		return ""
	}
}

func (a *assembler) where() string {
	switch {
	case !a.on:
		return "closed"
	case a.err != nil:
		return "too large"
	case len(a.after) > 0:
		return "ending"
	case len(a.held) > 0:
		return "held"
	default:
		return "open"
	}
}

func (c *calls) where() string {
	has := map[phase]bool{}
	for _, k := range c.list {
		has[k.phase] = true
	}
	switch {
	case c.closing != nil:
		return "closing"
	case c.early.voiding != nil:
		return "voiding"
	case has[asking]:
		return "asking"
	case has[running]:
		return "running"
	case has[checking]:
		return "checking"
	case has[ready]:
		return "ready"
	case has[done] && !c.reseq.Done():
		return "showing"
	case len(c.early.list) > 0:
		return "early"
	default:
		return "idle"
	}
}

func (r *reporter) where() string {
	where := "flowing"
	switch {
	case !r.lossAt.IsZero():
		return "losing"
	case r.Stalled():
		where = "full"
	case len(r.box.given) > 0:
		where = "owed"
	}
	if r.box.turn == "" {
		return where + ", no turn"
	}
	return where
}

// saw notes that in came to s in state was.
func (w *world) saw(s Stage, was string, in any) {
	w.notes.inputs[spot{s, was, kind(in)}] = true
	if now := w.state(s); now != was {
		w.notes.edges[spot{s, was, now}] = true
	}
}

// kind is the name of in, with what makes it another input to its machine.
func kind(in any) string {
	early := map[bool]string{true: "early "}
	switch in := in.(type) {
	case StreamEnded:
		switch in.Err {
		case nil:
			return "StreamEnded"
		case errClosed:
			return "StreamEnded closed"
		default:
			return "StreamEnded broken"
		}
	case CallChecked:
		return early[in.Index < 0] + name(in)
	case CallOutput:
		return early[in.Index < 0] + name(in)
	case CallDone:
		return early[in.Index < 0] + name(in)
	default:
		return name(in)
	}
}

// stale reports whether in is about what the machine of s no longer does.
func (w *world) stale(s Stage, in any) bool {
	switch in := in.(type) {
	case DeltaBatch:
		return s == Assembler && in.Ref != w.asm.ref || s == Reporter && in.Ref.Turn != w.out.turn
	case StreamEnded:
		return in.Ref != w.asm.ref
	case CallChecked:
		return w.calls.foreign(in.Ref, in.Index)
	case CallOutput:
		return w.calls.foreign(in.Ref, in.Index)
	case CallDone:
		return w.calls.foreign(in.Ref, in.Index)
	case Resolve:
		return !slices.ContainsFunc(w.calls.list, func(k *call) bool { return k.ID == in.Call })
	case Tick:
		return s == Executor && in.Epoch != w.calls.timers || s == Reporter && in.Epoch != w.reporter.epoch
	case Post:
		if len(in.Events) > 0 && in.Events[0].Type() == "turn_started" {
			return false
		}
		return in.Ref.Turn != "" && in.Ref.Turn != w.out.turn
	default:
		return false
	}
}

// foreign reports whether nothing of c is what a report under index is about.
func (c *calls) foreign(r Ref, index int) bool {
	return index >= 0 && r != c.ref || index < 0 && r != c.early.ref
}

// The machines beside the turn: every input that can come in a state has come,
// and every way from one state to another was gone. The settings are fixed, so
// this does not depend on chance; it looks at more of them until all is seen.
func TestMachinesTakeEveryEdgeAndInput(t *testing.T) {
	all := newNotes()
	for i := range 1500 {
		s := settings.Example(i)
		for n := range 20 {
			w := s.world(t, n)
			w.run()
			w.check()
			all.add(w.notes)
		}
		if i > 100 && machineInputs.within(all.inputs) && machineEdges.within(all.edges) {
			break
		}
	}
	for what, has := range map[string]struct {
		seen map[spot]bool
		want spots
	}{"input": {all.inputs, machineInputs}, "edge": {all.edges, machineEdges}} {
		for p := range has.seen {
			if !slices.Contains(has.want[p.machine][p.state], p.then) {
				t.Errorf("the table does not know of this %s of the %v: %s, %s", what, p.machine, p.state, p.then)
			}
		}
		for machine, states := range has.want {
			for state, thens := range states {
				for _, then := range thens {
					if !has.seen[spot{machine, state, then}] {
						t.Errorf("the %v never took this %s: %s, %s", machine, what, state, then)
					}
				}
			}
		}
	}
}

// spots is a table of what may follow each state of a machine.
type spots map[Stage]map[string][]string

// within reports whether seen has all of s.
func (s spots) within(seen map[spot]bool) bool {
	for machine, states := range s {
		for state, thens := range states {
			for _, then := range thens {
				if !seen[spot{machine, state, then}] {
					return false
				}
			}
		}
	}
	return true
}

// machineInputs says which fresh inputs can come in each state.
var machineInputs = spots{
	Assembler: {
		"closed":    {"Grant", "OpenStream", "StreamEnded closed"},
		"ending":    {"Grant", "StreamEnded closed"},
		"held":      {"DeltaBatch", "Grant", "StreamEnded", "StreamEnded broken", "StreamEnded closed"},
		"open":      {"DeltaBatch", "Grant", "StreamEnded", "StreamEnded broken", "StreamEnded closed"},
		"too large": {"DeltaBatch", "Grant", "StreamEnded", "StreamEnded broken", "StreamEnded closed"},
	},
	Executor: {
		"asking":   {"CallChecked", "CallDone", "CallOutput", "CloseCalls", "Committed", "Grant", "Resolve", "Tick", "early CallChecked", "early CallDone"},
		"checking": {"CallChecked", "CloseCalls", "Committed", "Grant", "Resolve", "early CallChecked"},
		"closing":  {"CallChecked", "CallDone", "CallOutput", "CallReady", "Committed", "Grant", "Resolve", "RunCalls", "ScopeEnded", "VoidCalls", "early CallChecked", "early CallDone", "early CallOutput"},
		"early":    {"CallReady", "CloseCalls", "Committed", "Grant", "RunCalls", "VoidCalls", "early CallChecked", "early CallDone", "early CallOutput"},
		"idle":     {"CallChecked", "CallReady", "CloseCalls", "Committed", "Grant", "Resolve", "RunCalls", "VoidCalls", "early CallChecked"},
		"ready":    {"CloseCalls", "Committed", "Grant", "Resolve"},
		"running":  {"CallChecked", "CallDone", "CallOutput", "CloseCalls", "Committed", "Grant", "Resolve", "early CallChecked", "early CallDone", "early CallOutput"},
		"showing":  {"CloseCalls", "Committed", "Grant", "Resolve", "early CallChecked", "early CallDone"},
		"voiding":  {"CloseCalls", "Committed", "early CallChecked", "early CallDone", "early CallOutput"},
	},
	Reporter: {
		"flowing, no turn": {"Attach", "Post"},
		"flowing":          {"DeltaBatch", "Post"},
		"full, no turn":    {"Grant", "Post", "Tick"},
		"full":             {"DeltaBatch", "Grant", "Post", "Tick"},
		"losing":           {"DeltaBatch", "Grant", "Post", "Tick"},
		"owed, no turn":    {"Grant", "Post", "Tick"},
		"owed":             {"DeltaBatch", "Grant", "Post", "Tick"},
	},
}

// machineEdges says from which state to which each machine can go by one input.
var machineEdges = spots{
	Assembler: {
		"closed":    {"open"},
		"ending":    {"closed"},
		"held":      {"closed", "ending", "open", "too large"},
		"open":      {"closed", "ending", "held", "too large"},
		"too large": {"closed"},
	},
	Executor: {
		"asking":   {"checking", "closing", "idle", "ready", "running", "showing"},
		"checking": {"asking", "closing", "idle", "ready", "running", "showing"},
		"closing":  {"early", "idle"},
		"early":    {"checking", "closing", "idle", "running", "showing", "voiding"},
		"idle":     {"checking", "closing", "early", "showing"},
		"ready":    {"closing", "running"},
		"running":  {"asking", "checking", "closing", "idle", "ready", "showing"},
		"showing":  {"closing", "early", "idle"},
		"voiding":  {"closing", "idle"},
	},
	Reporter: {
		"flowing, no turn": {"full, no turn", "owed", "owed, no turn"},
		"flowing":          {"full", "losing", "owed", "owed, no turn"},
		"full, no turn":    {"full", "owed, no turn"},
		"full":             {"full, no turn", "losing", "owed"},
		"losing":           {"flowing", "flowing, no turn", "full", "full, no turn", "owed", "owed, no turn"},
		"owed, no turn":    {"flowing, no turn", "full", "full, no turn", "owed"},
		"owed":             {"flowing", "full", "full, no turn", "losing", "owed, no turn"},
	},
}
