package pipeline

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/weir-agents/weir/provider"
)

const (
	summaryTries  = 3       // of one request for a summary
	summaryTokens = 8_192   // the longest summary, where the window has room
	summaryBytes  = 1 << 20 // an answer beyond it is no summary: the compaction fails
	partsMax      = 32      // requests for one compaction; what is beyond is cut out of the middle
	tryWait       = time.Second
	tryWaitMax    = time.Minute
)

var errEmptySummary = errors.New("the model answered with an empty summary")

// summarizer asks for the summary of a conversation, part by part.
type summarizer struct {
	provider provider.Provider
	request  provider.Request
	room     room
	usage    provider.Usage
}

// summarize folds the parts of head into one summary.
func (w *summarizer) summarize(ctx context.Context, head []provider.Message) (string, error) {
	size := w.room.bytes(w.room.part)
	rest := cutMiddle(transcript(head, size/2), partsMax*size*3/4)
	summary := ""
	for n := 1; rest != ""; n++ {
		size = w.room.bytes(w.room.part)
		if n >= partsMax { // the parts had to be made smaller on the way
			rest = cutMiddle(rest, size)
		}
		part, after := cutPart(rest, size)
		text, err := w.ask(ctx, summary, part)
		if overflown(err) && w.room.part/2 >= partMin && n < partsMax {
			w.room.part /= 2 // more tokens than estimated
			continue
		}
		if err != nil {
			return "", err
		}
		summary, rest = cutMiddle(text, w.room.bytes(w.room.summary)), after
	}
	return summary, nil
}

func overflown(err error) bool {
	var e *provider.Error
	return errors.As(err, &e) && e.Overflow()
}

// ask asks for the summary of one part, at most three times.
func (w *summarizer) ask(ctx context.Context, before, part string) (string, error) {
	req := w.request
	req.Messages = []provider.Message{question(before, part)}
	for try := 1; ; try++ {
		m, err := provider.Complete(ctx, metered{w.provider, &w.usage}, req)
		text := m.Text()
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case err == nil && !blank(text):
			return text, nil
		case err == nil:
			err = errEmptySummary
		}
		wait, again := tryAgain(err, try)
		if !again || try == summaryTries {
			return "", fmt.Errorf("ask for a summary, try %d: %w", try, err)
		}
		if err := sleep(ctx, wait); err != nil {
			return "", err
		}
	}
}

// tryAgain reports whether a summary is asked for again, and after what wait.
// What is no answer of a model or its server, such as a full disk, is not mended
// by asking again.
func tryAgain(err error, try int) (time.Duration, bool) {
	wait := tryWait << (try - 1)
	var e *provider.Error
	switch {
	case errors.Is(err, errEmptySummary):
		return wait, true
	case !errors.As(err, &e):
		return 0, false
	case e.RetryAfter > 0:
		wait = e.RetryAfter
	}
	return wait, e.Retryable && wait <= tryWaitMax && !e.Overflow()
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// metered counts what its requests use, failed ones too, and ends an answer
// that is too long to be a summary.
type metered struct {
	provider provider.Provider
	usage    *provider.Usage
}

// Stream implements provider.Provider.
func (m metered) Stream(ctx context.Context, req provider.Request) iter.Seq2[provider.Delta, error] {
	return func(yield func(provider.Delta, error) bool) {
		bytes := 0
		for d, err := range m.provider.Stream(ctx, req) {
			bytes += len(d.Text)
			used := d.Usage
			var e *provider.Error
			if errors.As(err, &e) {
				used = e.Usage
			}
			if used != nil {
				*m.usage = m.usage.Add(*used)
			}
			if bytes > summaryBytes {
				yield(provider.Delta{}, &provider.Error{Kind: provider.TooLarge, Message: fmt.Sprintf("the summary has more than %d bytes", summaryBytes)})
				return
			}
			if !yield(d, err) {
				return
			}
		}
	}
}
