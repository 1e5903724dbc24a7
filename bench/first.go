package bench

import (
	"context"
	"errors"
	"time"
)

// FirstToken reads one answer in a session of its own and returns how long it
// took from the question to the first text.
func FirstToken(ctx context.Context, c Client) (time.Duration, error) {
	s, err := c.Session()
	if err != nil {
		return 0, err
	}
	defer s.Close()
	var first time.Duration
	begun := time.Now()
	err = s.Read(ctx, plain, func(text string) bool {
		if first == 0 {
			first = time.Since(begun)
		}
		return true
	})
	if err == nil && first == 0 {
		err = errors.New("the answer has no text")
	}
	return first, err
}
