package bench

import (
	"context"
	"errors"
	"time"

	"github.com/weir-agents/weir/pipeline"
)

// FirstToken reads one answer in a session of its own and returns how long it
// took from the question to the first text.
func FirstToken(ctx context.Context, c Client) (time.Duration, error) {
	return firstToken(ctx, c, nil)
}

// firstToken is FirstToken; it notes in by where the time went, if the subject
// knows.
func firstToken(ctx context.Context, c Client, by *split) (time.Duration, error) {
	s, err := c.Session()
	if err != nil {
		return 0, err
	}
	defer s.Close()
	var first time.Duration
	begun := time.Now()
	err = s.Read(ctx, plain, func(string) bool {
		if first == 0 {
			now := time.Now()
			first = now.Sub(begun)
			if m, ok := s.(interface{ Meter() *pipeline.Meter }); ok && by != nil {
				by.add(m.Meter(), begun, now)
			}
		}
		return true
	})
	if err == nil && first == 0 {
		err = errors.New("the answer has no text")
	}
	return first, err
}

// split is where the time to the first text went, by stage of weir. What the
// stages do not account for is the way of the prompt to the turn.
type split struct{ turn, provider, assembler, reporter, reader, prompt *Times }

func (s *split) add(m *pipeline.Meter, begun, now time.Time) {
	if s.turn == nil {
		*s = split{NewTimes(), NewTimes(), NewTimes(), NewTimes(), NewTimes(), NewTimes()}
	}
	f := m.FirstToken()
	reader := now.Sub(f.Stamped)
	s.turn.Add(f.Turn)
	s.provider.Add(f.Provider)
	s.assembler.Add(f.Assembler)
	s.reporter.Add(f.Reporter)
	s.reader.Add(reader)
	s.prompt.Add(now.Sub(begun) - f.Turn - f.Provider - f.Assembler - f.Reporter - reader)
}

func (s *split) samples() []Sample {
	if s.turn == nil {
		return nil
	}
	return []Sample{
		s.prompt.sample("prompt"), s.turn.sample("turn"), s.provider.sample("provider"),
		s.assembler.sample("assembler"), s.reporter.sample("reporter"), s.reader.sample("reader"),
	}
}
