package actors

import (
	"context"
	"fmt"

	"github.com/sourcegraph/conc/panics"
)

// askHook lets the embedder look at a request before it goes.
func (s *supervisor) askHook(step StepPrepared) {
	ctx, cancel := context.WithTimeout(s.ctx, s.config.Limits.HookTime)
	s.stopHooks = cancel
	s.running.Add(1)
	// Ends when the hook returns; Close waits for it.
	go func() {
		defer s.running.Done()
		defer cancel()
		if p := panics.Try(func() { step.Err = s.config.Hooks.BeforeStep(ctx, &step.Request) }); p != nil {
			step.Err = fmt.Errorf("the hook before a step panicked: %v", p.Value)
		}
		s.send(Supervising, step)
	}()
}

// turnOver tells the embedder that a turn has ended.
func (s *supervisor) turnOver(e TurnEnded) {
	hook := s.config.Hooks.AfterTurn
	if hook == nil {
		return
	}
	ctx, cancel := context.WithTimeout(s.ctx, s.config.Limits.HookTime)
	s.running.Add(1)
	// Ends when the hook returns; Close waits for it.
	go func() {
		defer s.running.Done()
		defer cancel()
		if p := panics.Try(func() { hook(ctx, e) }); p != nil {
			s.send(Supervising, Notice{
				Level: "warn", Code: "hook", Text: fmt.Sprintf("the hook after a turn panicked: %v", p.Value),
			})
		}
	}()
}

// askCompact has the history made shorter.
func (s *supervisor) askCompact(in askCompact) {
	ctx, cancel := context.WithTimeout(s.ctx, s.config.Limits.CompactTime)
	s.stopCompact = cancel
	s.running.Add(1)
	// Ends when Compact returns; Close waits for it.
	go func() {
		defer s.running.Done()
		defer cancel()
		out := historyShrunk{epoch: in.epoch}
		if p := panics.Try(func() {
			out.messages, out.usage, out.err = s.config.Compaction.Compact(ctx, in.request, in.window, in.scale)
		}); p != nil {
			out.err = fmt.Errorf("the compaction panicked: %v", p.Value)
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
	}
}
