package actors

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sourcegraph/conc/panics"

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
}

func (x *executor) handle(in any, now time.Time) {
	if _, ok := in.(Committed); ok {
		x.act(x.out.Committed())
	} else {
		x.act(x.out.Put(x.machine.Handle(in, now)))
	}
	if o, ok := in.(CallOutput); ok {
		if l := x.lives[o.Index]; l != nil && l.ref == o.Ref {
			l.taken()
		}
	}
	x.meter.stalled(Executor, x.machine.Stalled(), now)
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
	x.running.Add(1)
	// Ends when all calls of a message have been looked at.
	go func() {
		defer x.running.Done()
		for _, c := range in.Calls {
			out := CallChecked{Ref: in.Ref, Index: c.index}
			if p := panics.Try(func() { x.look(c.call, &out) }); p != nil {
				out.Refused = &tools.Result{Kind: tools.Panicked, Text: fmt.Sprintf("checking this call panicked: %v", p.Value)}
			}
			x.send(Executor, out)
		}
	}()
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
	x.running.Add(1)
	// Ends when the tool has returned, or StopGrace after ctx ended: a tool that
	// does not stop is given up.
	go func() {
		defer x.running.Done()
		defer cancel()
		x.run(ctx, in, show)
	}()
}

func (x *executor) run(ctx context.Context, in startCall, live *live) {
	began := time.Now()
	call := x.call(in.Ref, in.Call)
	call.Output = live.put
	returned := make(chan CallDone, 1)
	go func() { // ends when the tool returns
		done := CallDone{Ref: in.Ref, Index: in.Index, StartedAt: began}
		p := panics.Try(func() { done.Result = x.hooked(ctx, call, in.Tool) })
		if p != nil {
			done.Result = tools.Result{Kind: tools.Panicked, Text: fmt.Sprintf("the tool panicked: %v", p.Value)}
			done.Stack = string(p.Stack)
		}
		returned <- done
	}()
	done := x.await(ctx, in, began, returned)
	done.Duration = time.Since(began)
	if !done.Result.OK() && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		done.Result.Kind = tools.TimedOut
	}
	done.Stopped = errors.Is(ctx.Err(), context.Canceled)
	live.close()
	x.send(Executor, done)
}

// await waits for the tool, but not for ever once it was told to stop.
func (x *executor) await(ctx context.Context, in startCall, began time.Time, returned <-chan CallDone) CallDone {
	select {
	case done := <-returned:
		return done
	case <-ctx.Done():
	}
	grace := time.NewTimer(x.limits.StopGrace)
	defer grace.Stop()
	select {
	case done := <-returned:
		return done
	case <-grace.C:
		return CallDone{Ref: in.Ref, Index: in.Index, StartedAt: began, Result: tools.Result{
			Kind: tools.Canceled,
			Text: fmt.Sprintf("the tool did not stop within %v of being told to and was given up; it may still have an effect", x.limits.StopGrace),
		}}
	}
}

// hooked runs the tool between the hooks of the embedder.
func (x *executor) hooked(ctx context.Context, call tools.Call, tool tools.Tool) tools.Result {
	if h := x.hooks.BeforeCall; h != nil {
		if r := h(ctx, call); r != nil {
			return *r
		}
	}
	if ctx.Err() != nil { // canceled while the journal took its start
		return tools.Result{Kind: tools.Canceled, Text: "this call was canceled before it ran"}
	}
	r := tool.Run(ctx, call)
	if h := x.hooks.AfterCall; h != nil {
		r = h(ctx, call, r)
	}
	return r
}

// endScope ends what the turn left running in the background.
func (x *executor) endScope(in endScope) {
	x.running.Add(1)
	// Ends when the processes are gone.
	go func() {
		defer x.running.Done()
		x.scope.EndTurn(in.Ref.Turn)
		x.send(Executor, ScopeEnded(in))
	}()
}

func (x *executor) remember(rule string) {
	if x.policy == nil {
		return
	}
	if err := x.policy.Remember(rule); err != nil {
		panic("actors: executor: the policy does not read its own suggestion " + rule + ": " + err.Error())
	}
}
