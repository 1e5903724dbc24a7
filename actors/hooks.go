package actors

import (
	"context"
	"slices"
)

// askHook lets the embedder look at a request before it goes.
func (s *supervisor) askHook(step StepPrepared) {
	ctx, cancel := context.WithTimeout(s.ctx, s.config.Limits.HookTime)
	s.stopHooks = cancel
	s.running.Add(1)
	// Ends when the hook returns, or StopGrace after its time; Close waits for it.
	go func() {
		defer s.running.Done()
		defer cancel()
		s.send(Supervising, s.hooked(ctx, step))
	}()
}

// hooked is step as the hook leaves it. The hook has a request of its own: what
// it does when it has been given up changes nothing.
func (s *supervisor) hooked(ctx context.Context, step StepPrepared) StepPrepared {
	out, fault := foreign(ctx, "the hook before a step", s.config.Limits.StopGrace, func() StepPrepared {
		own := step
		own.Request.Messages, own.Request.Tools = slices.Clone(step.Request.Messages), slices.Clone(step.Request.Tools)
		own.Err = s.config.Hooks.BeforeStep(ctx, &own.Request)
		return own
	})
	if fault != nil {
		out = step
		out.Err = fault
	}
	return out
}

// turnOver tells the embedder that a turn has ended.
func (s *supervisor) turnOver(e TurnEnded) {
	hook := s.config.Hooks.AfterTurn
	if hook == nil {
		return
	}
	ctx, cancel := context.WithTimeout(s.ctx, s.config.Limits.HookTime)
	s.running.Add(1)
	// Ends when the hook returns, or StopGrace after its time; Close waits for it.
	go func() {
		defer s.running.Done()
		defer cancel()
		_, fault := foreign(ctx, "the hook after a turn", s.config.Limits.StopGrace, func() struct{} {
			hook(ctx, e)
			return struct{}{}
		})
		if fault != nil {
			s.send(Supervising, Notice{Level: "warn", Code: "hook", Text: fault.Error()})
		}
	}()
}

// askCompact has the history made shorter.
func (s *supervisor) askCompact(in askCompact) {
	ctx, cancel := context.WithTimeout(s.ctx, s.config.Limits.CompactTime)
	s.stopCompact = cancel
	s.running.Add(1)
	// Ends when Compact returns, or StopGrace after its time; Close waits for it.
	go func() {
		defer s.running.Done()
		defer cancel()
		out, fault := foreign(ctx, "the compaction", s.config.Limits.StopGrace, func() historyShrunk {
			messages, usage, err := s.config.Compaction.Compact(ctx, in.request, in.window, in.scale)
			return historyShrunk{in.epoch, messages, usage, err}
		})
		if fault != nil {
			out = historyShrunk{epoch: in.epoch, err: fault}
		}
		s.send(Supervising, out)
	}()
}

// refuseCaller tells who asks about the history that the mailbox took no more.
func refuseCaller(in any, why refusal) {
	err := map[refusal]error{laneFull: errManyCallers, laneClosed: ErrClosed}[why]
	switch in := in.(type) {
	case ReadHistory:
		in.Reply(nil, Fill{}, err)
	case ReplaceHistory:
		in.Reply(err)
	case CompactHistory:
		in.Reply(err)
	case UseModel:
		in.Reply(err)
	}
}
