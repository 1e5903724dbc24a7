package actors

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/tools"
)

// executor is the host of the calls: its goroutines check and run them, its
// machine decides when.
type executor struct {
	shell
	machine *calls
	out     *outlet // only its commits wait
	ctx     context.Context
	tools   *tools.Registry
	policy  tools.Policy
	hooks   Hooks
	scope   *tools.Scope
	limits  Limits
	cancels map[int]context.CancelFunc // of the calls that run
	lives   map[int]*live              // their live output
	pending map[int]*tools.Pending     // of the calls that began early and may be void
	rules   chan struct{}              // closed when the policy has the last rule it was given; nil before the first
}

func (x *executor) handle(in any) {
	switch in := in.(type) {
	case Committed:
		x.act(x.out.Committed())
	case ruleRefused:
		panic("actors: executor: " + in.why)
	default:
		x.act(x.out.Put(x.machine.Handle(in, time.Now())))
	}
	if o, ok := in.(CallOutput); ok {
		if l := x.lives[o.Index]; l != nil && l.ref == o.Ref {
			l.taken()
		}
	}
	x.meter.stalled(Executor, x.machine.Stalled())
}

// act carries out the machine's effects.
func (x *executor) act(sends []Send) {
	for _, s := range sends {
		switch in := s.In.(type) {
		case checkCalls:
			x.check(in)
		case startCall:
			x.start(in)
		case stopCall:
			if cancel := x.cancels[in.Index]; cancel != nil {
				cancel()
			}
		case settleEarly:
			x.settleEarly(in)
		case endScope:
			x.endScope(in)
		case rememberRule:
			x.remember(in.Rule)
		default:
			x.do([]Send{s})
		}
	}
}

// check looks at calls away from the actor: a policy may touch the disk.
func (x *executor) check(in checkCalls) {
	rules := x.rules
	x.running.Add(1)
	// Ends when all calls of a message have been looked at, each within HookTime.
	go func() {
		defer x.running.Done()
		if rules != nil {
			<-rules
		}
		for _, c := range in.Calls {
			x.send(Executor, x.judge(in.Ref, c))
		}
	}()
}

// judge looks at one call. The policy and the tool are not ours.
func (x *executor) judge(r Ref, c indexed) CallChecked {
	ctx, cancel := context.WithTimeout(x.ctx, x.limits.HookTime)
	defer cancel()
	out, fault := foreign(ctx, "checking this call", x.limits.StopGrace, func() CallChecked {
		out := CallChecked{Ref: r, Index: c.index}
		x.look(c.call, &out)
		return out
	})
	if fault != nil {
		return CallChecked{Ref: r, Index: c.index, Refused: refuse(fault, "it was not run")}
	}
	return out
}

// refuse is the result of a call whose tool, policy or hook did not return.
func refuse(f *fault, late string) *tools.Result {
	if f.late {
		return &tools.Result{Kind: tools.TimedOut, Text: f.Error() + "; " + late}
	}
	return &tools.Result{Kind: tools.Panicked, Text: f.Error()}
}

func (x *executor) look(call provider.ToolCall, out *CallChecked) {
	tool, refused := x.tools.Check(call.Name, call.Arguments, call.Raw)
	if refused != nil {
		out.Refused = refused
		return
	}
	out.Tool, out.Spec = tool, tool.Spec()
	out.Summary = summary(tool, call)
	out.Verdict = decide(x.policy, x.call(out.Ref, call), out.Spec)
}

// decide asks the policy; without one only reading is allowed.
func decide(p tools.Policy, call tools.Call, spec tools.Spec) tools.Verdict {
	switch {
	case p != nil:
		return p.Decide(call, spec)
	case spec.Class == tools.ReadOnly:
		return tools.Verdict{Decision: tools.Allow, By: "mode"}
	default:
		return tools.Verdict{Decision: tools.Deny, By: "mode", Reason: "only reading is allowed here; " + spec.Name + " changes things or runs commands"}
	}
}

// summary says a call in a few words.
func summary(t tools.Tool, call provider.ToolCall) string {
	if s, ok := t.(tools.Summarizer); ok {
		return s.Summary(call.Arguments)
	}
	short, _ := cut(call.Raw, 200)
	return strings.ToValidUTF8(short, "\uFFFD")
}

func (x *executor) call(r Ref, c provider.ToolCall) tools.Call {
	return tools.Call{
		Turn: r.Turn, ID: c.ID, Name: c.Name, Arguments: c.Arguments,
		Scope: x.scope, Output: func(string) {},
	}
}

// start runs one call.
func (x *executor) start(in startCall) {
	limit := in.Spec.Timeout
	if limit == 0 {
		limit = x.limits.CallTime
	}
	ctx, cancel := context.WithTimeout(x.ctx, limit)
	x.cancels[in.Index] = cancel
	if x.machine.Closing() {
		cancel() // the close came while the journal took the start
	}
	show := &live{ref: in.Ref, limit: x.limits.LiveBytes, send: func(text string) {
		x.send(Executor, CallOutput{Ref: in.Ref, Index: in.Index, Text: text})
	}}
	x.lives[in.Index] = show
	call := x.call(in.Ref, in.Call)
	call.Output = show.put
	if in.Index < 0 {
		call.Pending = &tools.Pending{}
		x.pending[in.Index] = call.Pending
	}
	x.running.Add(1)
	// Ends when the tool has returned, or StopGrace after ctx ended: a tool that
	// does not stop is given up.
	go func() {
		defer x.running.Done()
		defer cancel()
		x.run(ctx, in, call, show)
	}()
}

// settleEarly settles all that has begun early.
func (x *executor) settleEarly(in settleEarly) {
	for _, run := range in.Kept {
		if p := x.pending[run]; p != nil {
			p.Keep()
		}
	}
	for _, p := range x.pending {
		p.Drop()
	}
	clear(x.pending)
}

func (x *executor) run(ctx context.Context, in startCall, call tools.Call, live *live) {
	done := CallDone{Ref: in.Ref, Index: in.Index, StartedAt: time.Now()}
	at := &course{}
	result, fault := foreign(ctx, "", x.limits.StopGrace, func() tools.Result { return x.hooked(ctx, call, in.Tool, at) })
	who, took := at.look()
	done.Duration = took
	if fault != nil {
		fault.what = who
		result, done.Stack = *refuse(fault, "it may still have an effect"), fault.stack
	}
	done.Stopped = errors.Is(ctx.Err(), context.Canceled)
	switch {
	case result.OK():
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		result.Kind = tools.TimedOut
	case done.Stopped && fault != nil && fault.late:
		result.Kind = tools.Canceled
	}
	done.Result = result
	live.close()
	x.send(Executor, done)
}

// hooked runs the tool between the hooks of the embedder.
func (x *executor) hooked(ctx context.Context, call tools.Call, tool tools.Tool, at *course) tools.Result {
	if h := x.hooks.BeforeCall; h != nil {
		at.enter("the hook before the call")
		if r := h(ctx, call); r != nil {
			return *r
		}
	}
	if ctx.Err() != nil { // canceled while the journal took its start
		return tools.Result{Kind: tools.Canceled, Text: "this call was canceled before it ran"}
	}
	at.enter(theTool)
	r := tool.Run(ctx, call)
	at.enter("the hook after the call")
	if h := x.hooks.AfterCall; h != nil {
		r = h(ctx, call, r)
	}
	return r
}

// endScope ends what the turn left running in the background.
func (x *executor) endScope(in endScope) {
	x.running.Add(1)
	// Ends when the processes are gone, or after StopGrace.
	go func() {
		defer x.running.Done()
		within(x.limits.StopGrace, func() { x.scope.EndTurn(in.Ref.Turn) })
		x.send(Executor, ScopeEnded(in))
	}()
}

// ruleRefused says why the policy did not take a rule that it had suggested.
type ruleRefused struct{ why string }

// remember hands a rule to the policy. Checks that come later wait for it.
func (x *executor) remember(rule string) {
	if x.policy == nil {
		return
	}
	before, taken := x.rules, make(chan struct{})
	x.rules = taken
	x.running.Add(1)
	// Ends when the policy has the rule, within HookTime after the rule before.
	go func() {
		defer x.running.Done()
		defer close(taken)
		if before != nil {
			<-before
		}
		ctx, cancel := context.WithTimeout(x.ctx, x.limits.HookTime)
		defer cancel()
		err, fault := foreign(ctx, "the policy", x.limits.StopGrace, func() error { return x.policy.Remember(rule) })
		if fault != nil {
			err = fault
		}
		if err != nil {
			x.send(Executor, ruleRefused{"the policy does not read its own suggestion " + rule + ": " + err.Error()})
		}
	}()
}
