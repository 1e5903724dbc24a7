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
