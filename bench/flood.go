package bench

import (
	"context"
	"fmt"
	"time"
)

// Flow is what one answer or several at once cost their reader.
type Flow struct {
	Usage
	Tokens, Texts int // tokens that came, and in how many pieces
}

// PerCore returns tokens by second of processor time, of which the system counts
// no less than a microsecond.
func (f Flow) PerCore() float64 { return float64(f.Tokens) / max(f.CPU, time.Microsecond).Seconds() }

// ReadAll reads one answer of n tokens and fails if it is another.
func ReadAll(ctx context.Context, c Client, n int) (Flow, error) { return readAll(ctx, c, n, nil) }

// readAll is ReadAll, and notes in plot where the session stalled.
func readAll(ctx context.Context, c Client, n int, plot *Plot) (Flow, error) {
	s, err := c.Session()
	if err != nil {
		return Flow{}, err
	}
	defer s.Close()
	bytes, texts := 0, 0
	before := Used()
	err = s.Read(ctx, plain, func(text string) bool {
		bytes += len(text)
		texts++
		return true
	})
	if err != nil {
		return Flow{}, err
	}
	f := Flow{Usage: Used().Since(before), Tokens: bytes / len(word), Texts: texts}
	plot.stalled(s)
	if bytes != n*len(word) {
		return f, fmt.Errorf("the answer has %d bytes, not %d", bytes, n*len(word))
	}
	return f, nil
}
