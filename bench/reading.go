package bench

import (
	"context"
	"errors"
	"time"
)

// reading is one answer as its reader got it.
type reading struct {
	due, asked  time.Time // when it was to be asked, and when it was
	first, last time.Time // text that is not empty
	bytes       int
	gaps        []time.Duration // between one piece of text and the next
}

// ask reads an answer to question that was to be asked at due. each, which may
// be nil, is told of every piece, with the bytes of text so far.
func ask(ctx context.Context, s Session, question string, due time.Time, each func(now time.Time, bytes int)) (reading, error) {
	r := reading{due: due, asked: time.Now()}
	err := s.Read(ctx, question, func(text string) bool {
		if text == "" {
			return true
		}
		now := time.Now()
		if r.first.IsZero() {
			r.first = now
		} else {
			r.gaps = append(r.gaps, now.Sub(r.last))
		}
		r.last = now
		r.bytes += len(text)
		if each != nil {
			each(now, r.bytes)
		}
		return true
	})
	if err == nil && r.bytes == 0 {
		err = errors.New("the answer has no text")
	}
	return r, err
}

// perToken is (end − first) / (n − 1).
func (r reading) perToken(tokens int) time.Duration {
	return r.last.Sub(r.first) / time.Duration(max(1, tokens-1))
}

// readings gathers what many answers say together. Not for goroutines at once.
type readings struct {
	first, itl, tpot *Times // first from when the question was due
	late             *Times // the questions
	hidden           hidden
}

func newReadings() *readings {
	return &readings{first: NewTimes(), itl: NewTimes(), tpot: NewTimes(), late: NewTimes()}
}

func (a *readings) add(r reading, tokens int) {
	a.first.Add(r.first.Sub(r.due))
	a.late.Add(r.asked.Sub(r.due))
	a.hidden.add(r.asked.Sub(r.due), r.first.Sub(r.due))
	for _, gap := range r.gaps {
		a.itl.Add(gap)
	}
	if tokens > 1 && len(r.gaps) > 0 { // else all came at once
		a.tpot.Add(r.perToken(tokens))
	}
}

// hidden sums up what measuring from the moment of sending would hide.
type hidden struct{ late, whole time.Duration }

// add takes one wait: late is how much of it was over when the sender sent.
func (h *hidden) add(late, whole time.Duration) {
	h.late += max(0, late)
	h.whole += whole
}

// sample is the coefficient of omission.
func (h hidden) sample() Sample {
	s := Sample{Name: "omission", Unit: "%", Less: true}
	if h.whole > 0 {
		s.Value = 100 * float64(h.late) / float64(h.whole)
	}
	return s
}
