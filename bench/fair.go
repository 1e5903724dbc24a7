package bench

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// fair is streams without gaps that begin together: whether each gets its share.
type fair struct{ streams, tokens int }

func (f fair) measure(ctx context.Context, t Trial) ([]Sample, error) {
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		rates []float64 // tokens a second of each stream
		whole = NewTimes()
		gone  = lost{trial: t}
		start = make(chan struct{})
	)
	for range f.streams {
		s, err := t.Client.Session()
		if err != nil {
			close(start)
			return nil, err
		}
		defer s.Close()
		wg.Go(func() {
			<-start
			begun := time.Now()
			r, err := ask(ctx, s, plain, begun, nil)
			took := time.Since(begun)
			if err == nil && r.bytes != f.tokens*len(word) {
				err = fmt.Errorf("the answer has %d bytes, not %d", r.bytes, f.tokens*len(word))
			}
			mu.Lock()
			defer mu.Unlock()
			gone.add(err)
			rates = append(rates, float64(f.tokens)/took.Seconds())
			whole.Add(took)
		})
	}
	begun := time.Now()
	close(start)
	wg.Wait()
	if _, err := gone.samples(ctx); err != nil {
		return nil, err
	}
	total := float64(f.streams*f.tokens) / time.Since(begun).Seconds()
	return []Sample{
		{Name: "fairness", Unit: "of 1", Value: jain(rates)},
		{Name: "slowest", Unit: "× median", Value: slices.Min(rates) / middle(rates)},
		whole.sample("answer"),
		{Name: "together", Unit: "tokens/s", Value: total},
	}, nil
}

// jain is Jain's index: 1 where all get the same, 1/n where one gets all.
func jain(shares []float64) float64 {
	sum, squares := 0.0, 0.0
	for _, x := range shares {
		sum += x
		squares += x * x
	}
	return sum * sum / (float64(len(shares)) * squares)
}
