package pipeline

import (
	"cmp"
	"context"

	"github.com/weir-agents/weir/actors"
	"github.com/weir-agents/weir/provider"
)

// History returns the conversation so far. The messages are frozen: read them,
// change none. While a turn runs the results of the last message's calls may be
// missing. Errors: ErrClosed, ErrBusy when very many callers ask at once, ctx's.
func (s *Session) History(ctx context.Context) ([]provider.Message, error) {
	messages, _, err := s.readHistory(ctx)
	return messages, err
}

// Usage returns what fills the model's window: an estimate, corrected by what
// the model last reported. Errors as History.
func (s *Session) Usage(ctx context.Context) (Fill, error) {
	_, fill, err := s.readHistory(ctx)
	return fill, err
}

func (s *Session) readHistory(ctx context.Context) (messages []provider.Message, fill Fill, err error) {
	type read struct {
		messages []provider.Message
		fill     Fill
		err      error
	}
	answer := make(chan read, 1)
	s.root.Send(s.pid, actors.ReadHistory{Reply: func(m []provider.Message, f Fill, err error) { answer <- read{m, f, err} }})
	select {
	case r := <-answer:
		return r.messages, r.fill, r.err
	case <-s.done:
		return nil, Fill{}, ErrClosed
	case <-ctx.Done():
		return nil, Fill{}, ctx.Err()
	}
}

// ReplaceHistory makes messages the conversation, once that is recorded. They
// are frozen from then on. Errors: what provider.CheckHistory finds fault with,
// one that is ErrBusy while a turn or a compaction runs, ErrClosed, ctx's.
func (s *Session) ReplaceHistory(ctx context.Context, messages []provider.Message) error {
	answer := make(chan error, 1)
	return s.await(ctx, answer, actors.ReplaceHistory{
		Messages: messages, Ended: s.lastEnded(), Reply: func(err error) { answer <- err },
	})
}

// Compact has the model summarize what is old in the conversation, and returns
// when that is done: then the history is the summary and the newest messages. A
// notice compacted says from how many tokens to how many, compact_failed why
// not; an error leaves the history as it was. Prompts posted meanwhile wait.
// The end of ctx and a Cancel stop it at once. Errors: one that is ErrBusy while
// a turn or another compaction runs, ErrNothing, ErrNoCompaction, ErrStopped,
// ErrClosed, those of the provider, ctx's.
func (s *Session) Compact(ctx context.Context) error {
	id := randomID()
	answer := make(chan error, 1)
	err := s.await(ctx, answer, actors.CompactHistory{ID: id, Ended: s.lastEnded(), Reply: func(err error) { answer <- err }})
	if ctx.Err() != nil {
		s.root.Send(s.pid, actors.StopCompaction{ID: id})
	}
	return err
}

// UseModel has model asked from the next step on, of summaries too, in this
// session, and goes by how much that takes: Compaction.ContextTokens, and else
// what ContextTokens knows. Errors: ErrBusy, ErrClosed, ctx's.
func (s *Session) UseModel(ctx context.Context, model string) error {
	answer := make(chan error, 1)
	window := cmp.Or(s.pipeline.config.Compaction.ContextTokens, ContextTokens(model))
	return s.await(ctx, answer, actors.UseModel{Model: model, Window: window, Reply: func(err error) { answer <- err }})
}

// await sends in and returns its answer.
func (s *Session) await(ctx context.Context, answer <-chan error, in any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.root.Send(s.pid, in)
	select {
	case err := <-answer:
		return err
	case <-s.done:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// lastEnded returns the last turn whose end a loop has got.
func (s *Session) lastEnded() string {
	turn, _ := s.read.Load().(string)
	return turn
}
