package actors

import (
	"fmt"
	"slices"

	"github.com/weir-agents/weir/tools"
)

func (w *world) supervisor(in any) {
	switch in := in.(type) {
	case Grant:
		if in.From == Supervising {
			w.act(w.aside.Grant(in))
			return
		}
	case Committed:
		w.act(w.aside.Committed())
		return
	case Resolve:
		if !slices.Contains(w.out.asked, in.Call) {
			return // too late
		}
	case Prompt:
		w.session.backlog = w.aside.backlog(w.out)
	case Commit:
		w.act(w.aside.Put(w.session.Handle(in)))
		w.record(in)
		return
	}
	w.act(w.aside.Put(w.session.Handle(in)))
}

// act does what the supervisor's host does with the session's effects.
func (w *world) act(sends []Send) {
	for _, s := range append([]Send(nil), sends...) {
		switch in := s.In.(type) {
		case Commit:
			in.From = Supervising
			w.record(in)
		case reply:
			in.to(in.err)
		case ended:
			for _, to := range in.to {
				to(in.outcome)
			}
		case askHook:
			w.hook = append(w.hook, in.step)
		case stopHook:
			for i := range w.hook {
				w.hook[i].Err = fmt.Errorf("the hook was stopped")
			}
		case turnOver:
			if n := w.session.history.unanswered(); len(n) > 0 {
				w.failf("a turn ended with %d calls unanswered", len(n))
			}
		case shutDown:
			w.shut = true
		default:
			w.do(Supervising, []Send{s})
		}
	}
}

func (w *world) record(c Commit) {
	if w.durable {
		w.acks = append(w.acks, c.From)
	}
}

// acknowledge says that the journal has the oldest commit.
func (w *world) acknowledge() {
	to := w.acks[0]
	w.acks = w.acks[1:]
	w.post(to, Committed{})
}

func (w *world) executor(in any) {
	var sends []Send
	if _, ok := in.(Committed); ok {
		sends = w.commits.Committed()
	} else {
		sends = w.commits.Put(w.calls.Handle(in, w.now))
	}
	for _, s := range append([]Send(nil), sends...) {
		switch in := s.In.(type) {
		case checkCalls:
			w.checks = append(w.checks, in)
		case startCall:
			w.start(in)
		case stopCall:
			for _, tool := range w.running {
				if tool.index == in.Index {
					tool.stopped = true
				}
			}
		case settleEarly: // Of what the tools of this world change in a session: nothing.
		case endScope:
			w.scopes = append(w.scopes, in.Ref)
		case rememberRule:
			w.rules = true
		default:
			w.do(Executor, []Send{s})
		}
	}
	if o, ok := in.(CallOutput); ok {
		for _, tool := range w.running {
			if tool.index == o.Index && tool.ref == o.Ref {
				tool.live.taken()
			}
		}
	}
}

// look checks the next call of a message, by its name.
func (w *world) look() {
	i := w.rand.IntN(len(w.checks))
	check := &w.checks[i]
	c := check.Calls[0]
	out := CallChecked{Ref: check.Ref, Index: c.index, Spec: tools.Spec{Name: c.call.Name}, Verdict: tools.Verdict{Decision: tools.Allow, By: "mode"}}
	switch c.call.Name {
	case "read":
	case "write":
		out.Spec.Class = tools.Mutating
	case "run":
		out.Spec.Class = tools.Exec
	case "ask_read", "ask_write":
		if c.call.Name == "ask_write" {
			out.Spec.Class = tools.Mutating
		}
		if !w.rules {
			out.Verdict = tools.Verdict{Decision: tools.Ask, By: "mode", Suggestion: "all(*)"}
		}
	case "deny":
		out.Verdict = tools.Verdict{Decision: tools.Deny, By: "rule", Reason: "no"}
	default:
		out.Refused = &tools.Result{Kind: tools.UnknownTool, Text: "no such tool"}
	}
	if check.Calls = check.Calls[1:]; len(check.Calls) == 0 {
		w.checks = append(w.checks[:i], w.checks[i+1:]...)
	}
	w.post(Executor, out)
}
