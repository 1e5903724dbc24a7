package bench

import (
	"context"
	"fmt"
)

// lost are the answers of a measurement that did not come. Of the simulated
// server each is a fault, which ends the measurement; an endpoint may refuse some.
type lost struct {
	trial  Trial
	asked  int
	failed []error
}

// add notes how an answer ended.
func (l *lost) add(err error) {
	l.asked++
	if err != nil {
		l.failed = append(l.failed, err)
	}
}

// samples are the share that failed, of an endpoint; its reasons go beside the
// row. The error is of a measurement that is worth nothing.
func (l *lost) samples(ctx context.Context) ([]Sample, error) {
	n := len(l.failed)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case n > 0 && (!l.trial.remote() || n == l.asked):
		return nil, fmt.Errorf("%d of %d answers failed, the first: %w", n, l.asked, l.failed[0])
	case !l.trial.remote():
		return nil, nil
	}
	l.trial.Plot.failed(l.failed)
	return []Sample{{Name: "failed", Unit: "%", Less: true, Value: 100 * float64(n) / float64(l.asked)}}, nil
}

// reasonsMost is how many different reasons a row keeps.
const reasonsMost = 10

// failed counts why answers failed.
func (p *Plot) failed(errs []error) {
	if p.Failures == nil {
		p.Failures = map[string]int{}
	}
	for _, err := range errs {
		why := err.Error()
		if len(p.Failures) >= reasonsMost && p.Failures[why] == 0 {
			why = "others"
		}
		p.Failures[why]++
	}
}
