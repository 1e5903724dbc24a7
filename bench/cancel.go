package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider/sim"
)

// serverMost is how long a server may go on after its reader has left.
const serverMost = 10 * time.Second

var errOver = errors.New("the answer was over before it could be canceled")

// cancelAt cancels answers at random moments within span, spread evenly, and
// takes the time until Read has returned, and until the server answered nobody.
func cancelAt(ctx context.Context, t Trial, open func() (Session, error), tries int, span time.Duration) ([]Sample, error) {
	stop, server := NewTimes(), NewTimes()
	gone := lost{trial: t}
	random := rand.New(rand.NewPCG(5, 8)) // the same moments for every subject
	for i := range tries {
		at := time.Duration((float64(i) + random.Float64()) / float64(tries) * float64(span))
		canceled, returned, err := cancelOnce(ctx, t, open, at)
		if t.remote() && errors.Is(err, errOver) {
			err = nil // nobody knows how long an endpoint's answers are
		} else if err == nil {
			stop.Add(returned.Sub(canceled))
		}
		if gone.add(err); err != nil || t.remote() {
			continue
		}
		free, err := t.Server.free(ctx, serverMost)
		if err != nil {
			return nil, err
		}
		server.Add(free.Sub(canceled))
	}
	failed, err := gone.samples(ctx)
	if err != nil {
		return nil, err
	}
	out := append([]Sample{stop.sample("stop")}, failed...)
	if server.h.TotalCount() > 0 {
		out = append(out, server.sample("server free"))
	}
	return out, nil
}

// cancelOnce asks in a session of its own, cancels after a time, and returns when
// it did and when Read had returned.
func cancelOnce(ctx context.Context, t Trial, open func() (Session, error), after time.Duration) (canceled, returned time.Time, err error) {
	s, err := open()
	if err != nil {
		return canceled, returned, err
	}
	defer s.Close()
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	at := make(chan time.Time, 1)
	timer := time.AfterFunc(after, func() {
		now := time.Now()
		cancel()
		at <- now
	})
	err = s.Read(inner, t.question(), func(string) bool { return true })
	returned = time.Now()
	if timer.Stop() {
		return canceled, returned, cmp.Or(err, errOver)
	}
	return <-at, returned, ctx.Err() // that Read says it was canceled is right
}

// cancelStreams cancels while text streams.
func cancelStreams(tries int, span time.Duration) func(context.Context, Trial) ([]Sample, error) {
	return func(ctx context.Context, t Trial) ([]Sample, error) {
		return cancelAt(ctx, t, t.Client.Session, tries, span)
	}
}

// cancelCalls cancels anywhere between a question and the end of its calls,
// each of which runs until it is stopped.
func cancelCalls(tries int, span time.Duration) func(context.Context, Trial) ([]Sample, error) {
	return func(ctx context.Context, t Trial) ([]Sample, error) {
		p, err := agent(t.source, pipeline.Limits{}, &toolbox{})
		if err != nil {
			return nil, err
		}
		w := &weir{t.source, p}
		defer w.Close()
		return cancelAt(ctx, t, w.Session, tries, span)
	}
}

func cancelCases(short bool) []Case {
	tries, span := pick(short, 40, 3), pick(short, 200*time.Millisecond, 10*time.Millisecond)
	gap := time.Millisecond
	tokens := 4 * int(span/gap) // so that it is never over before
	return []Case{
		{
			Name:   fmt.Sprintf("within %v: waiting, then streaming", span),
			Script: Answer(tokens, span/10, gap), Server: sim.Config{EachFrame: true},
			Subjects: []string{"floor", "adapter", "weir", "channels", "unbounded", "bounded", "openai-go"}, Measure: cancelStreams(tries, span),
		},
		{
			Name:   fmt.Sprintf("within %v: waiting, streaming, then four calls that end only when they are stopped", span),
			Script: callsScript(span/10, 0, 4, time.Hour, 0), Subjects: []string{"weir"}, Measure: cancelCalls(tries, span),
		},
	}
}

func cancelRemote(e Endpoint, short bool) []Case {
	tries, span := pick(short, e.Requests, 2), 500*time.Millisecond
	return []Case{{
		Name: fmt.Sprintf("%d answers canceled within %v", tries, span), Subjects: payable, Questions: tries, Measure: cancelStreams(tries, span),
	}}
}
