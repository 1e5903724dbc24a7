package bench

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"time"

	"github.com/weir-agents/weir/provider/sim"
)

// Scenario is one kind of work.
type Scenario struct {
	Name  string
	About string
	// Cases are its sizes; short ones only show that it works.
	Cases func(short bool) []Case
}

// Case is one size of a scenario.
type Case struct {
	Name   string
	Script string // what the server plays
	Server sim.Config
	// Streams is how many connections a subject needs at once.
	Streams int
	// Subjects are those it makes sense for; nil are all.
	Subjects []string
	// Measure measures a subject once. It gives the same samples each time.
	Measure func(ctx context.Context, t Trial) ([]Sample, error)
}

// Trial is a subject, ready to be measured.
type Trial struct {
	Subject Subject
	Client  Client
	Tap     *Tap
	Server  *Upstream
	sockets *http.Transport
}

// Options says how to measure.
type Options struct {
	// Self is a command that calls Serve. Nil: the server is in this process,
	// and its cost in the numbers.
	Self []string
	// Rounds is how often each subject is measured; 0 means 5.
	Rounds int
	// Subjects names those to measure; nil are all.
	Subjects []string
	Short    bool
	// Progress is told before each measurement; nil tells nobody.
	Progress func(done, all int, what string)
}

// Measure runs scenarios. All subjects of a case are measured in turns, after a
// round that does not count.
func Measure(ctx context.Context, scenarios []Scenario, o Options) (Report, error) {
	if o.Rounds == 0 {
		o.Rounds = 5
	}
	r := Report{Began: time.Now(), Machine: look(), Rounds: o.Rounds, Short: o.Short}
	m := measurer{Options: o}
	for _, s := range scenarios {
		m.all += len(s.Cases(o.Short))
	}
	for _, s := range scenarios {
		for _, c := range s.Cases(o.Short) {
			rows, err := m.measure(ctx, s.Name, c)
			if err != nil {
				return r, fmt.Errorf("%s, %s: %w", s.Name, c.Name, err)
			}
			r.Rows = append(r.Rows, rows...)
			m.done++
		}
	}
	return r, nil
}

type measurer struct {
	Options
	done, all int // cases
}

// measure runs one case.
func (m *measurer) measure(ctx context.Context, scenario string, c Case) (rows []Row, err error) {
	u, err := m.serve(c)
	if err != nil {
		return nil, err
	}
	defer func() {
		if e := u.Close(); err == nil {
			err = e
		}
	}()
	var trials []Trial
	for _, s := range Subjects() {
		if len(m.Subjects) > 0 && !slices.Contains(m.Subjects, s.Name) || c.Subjects != nil && !slices.Contains(c.Subjects, s.Name) {
			continue
		}
		sockets := Transport(max(1, c.Streams))
		tap := &Tap{Base: sockets}
		client, err := s.Open(Source{URL: u.URL, Transport: tap})
		if err != nil {
			return nil, err
		}
		defer client.Close()
		trials = append(trials, Trial{s, client, tap, u, sockets})
		rows = append(rows, Row{Scenario: scenario, Case: c.Name, Subject: s.Name})
	}
	for round := range m.Rounds + 1 {
		for i := range trials {
			at := (i + round) % len(trials) // whoever is first has the cold caches
			if m.Progress != nil {
				m.Progress(m.done, m.all, fmt.Sprintf("%s, %s: %s", scenario, c.Name, trials[at].Subject.Name))
			}
			runtime.GC()
			samples, err := c.Measure(ctx, trials[at])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", trials[at].Subject.Name, err)
			}
			trials[at].sockets.CloseIdleConnections() // a thousand of them are work for the collector
			if round > 0 {                            // the first warms up
				rows[at].take(samples)
			}
		}
	}
	for _, r := range rows {
		for i := range r.Metrics {
			r.Metrics[i].close()
		}
	}
	compare(rows)
	return rows, nil
}

func (m *measurer) serve(c Case) (*Upstream, error) {
	if m.Self == nil {
		return StartHere(c.Script, c.Server)
	}
	return Start(m.Self, c.Script, c.Server)
}

// take adds the samples of a round.
func (r *Row) take(samples []Sample) {
	for i, s := range samples {
		if len(r.Metrics) == i {
			r.Metrics = append(r.Metrics, Metric{Name: s.Name, Unit: s.Unit, Less: s.Less})
		}
		r.Metrics[i].add(s)
	}
}
