package bench

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/weir-agents/weir/provider/sim"
)

// Scenario is one kind of work.
type Scenario struct {
	Name  string
	About string
	// Cases are its sizes; short ones only show that it works.
	Cases func(short bool) []Case
	// Remote are the cases that can be measured at a server that plays no script.
	// Nil: none, and Needs says why.
	Remote func(e Endpoint, short bool) []Case
	Needs  string
}

// Case is one size of a scenario.
type Case struct {
	Name   string
	Script string // what the server plays
	Server sim.Config
	// Streams is how many connections a subject needs at once.
	Streams int
	// Rounds caps how often a long case is measured; 0 does not.
	Rounds int
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
	Plot    *Plot
	source  Source
	prompt  string
	asked   *int64 // questions so far, of all subjects
	sockets *http.Transport
}

// question is one that has not been asked before, so that the answers can be
// told apart. Safe for goroutines at once.
func (t Trial) question() string {
	return fmt.Sprintf("%s #%d", t.prompt, atomic.AddInt64(t.asked, 1))
}

// Options says how to measure.
type Options struct {
	// Self is a command that calls Serve. Nil: the server is in this process,
	// and its cost in the numbers.
	Self []string
	// Endpoint is a server to ask in the place of the simulated one; nil: none.
	Endpoint *Endpoint
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
	r := Report{Began: time.Now(), Machine: look(), Rounds: o.Rounds, Short: o.Short, Definitions: definitions()}
	m := measurer{Options: o, clock: sim.NewClock()}
	type job struct {
		scenario string
		Case
	}
	var jobs []job
	for _, s := range scenarios {
		cases, why := s.cases(o)
		if why != "" {
			r.Omitted = append(r.Omitted, s.Name+": "+why)
		}
		for _, c := range cases {
			jobs = append(jobs, job{s.Name, c})
			m.all += len(m.subjects(c)) * (m.rounds(c) + 1)
		}
	}
	if o.Endpoint != nil {
		r.Endpoint = o.Endpoint.name()
		r.Omitted = append(r.Omitted, omittedRemote...)
	}
	for _, j := range jobs {
		rows, err := m.measure(ctx, j.scenario, j.Case)
		if err != nil {
			return r, fmt.Errorf("%s, %s: %w", j.scenario, j.Name, err)
		}
		r.Rows = append(r.Rows, rows...)
	}
	return r, nil
}

// cases are those that can be measured, and why there are none.
func (s Scenario) cases(o Options) ([]Case, string) {
	switch {
	case o.Endpoint == nil:
		return s.Cases(o.Short), ""
	case s.Remote == nil:
		return nil, "needs " + s.Needs
	default:
		return s.Remote(*o.Endpoint, o.Short), ""
	}
}

type measurer struct {
	Options
	clock     sim.Clock
	asked     int64
	done, all int // measurements
}

// subjects are those to measure in a case.
func (m *measurer) subjects(c Case) []Subject {
	return slices.DeleteFunc(Subjects(), func(s Subject) bool {
		return len(m.Subjects) > 0 && !slices.Contains(m.Subjects, s.Name) || c.Subjects != nil && !slices.Contains(c.Subjects, s.Name)
	})
}

func (m *measurer) rounds(c Case) int {
	if c.Rounds == 0 {
		return m.Rounds
	}
	return min(c.Rounds, m.Rounds)
}

// measure runs one case.
func (m *measurer) measure(ctx context.Context, scenario string, c Case) (rows []Row, err error) {
	subjects := m.subjects(c)
	if len(subjects) == 0 {
		return nil, nil
	}
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
	for _, s := range subjects {
		t, err := m.trial(s, c, u)
		if err != nil {
			return nil, err
		}
		defer t.Client.Close()
		trials = append(trials, t)
		rows = append(rows, Row{Scenario: scenario, Case: c.Name, Subject: s.Name, Plot: t.Plot})
	}
	for round := range m.rounds(c) + 1 {
		for i := range trials {
			at := (i + round) % len(trials) // whoever is first has the cold caches
			if m.Progress != nil {
				m.Progress(m.done, m.all, fmt.Sprintf("%s, %s: %s", scenario, c.Name, trials[at].Subject.Name))
			}
			samples, err := once(ctx, c, trials[at], round)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", trials[at].Subject.Name, err)
			}
			if round > 0 { // the first warms up
				rows[at].take(samples)
			}
			m.done++
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

// once measures a subject; round 0 shows its memory over time instead.
func once(ctx context.Context, c Case, t Trial, round int) ([]Sample, error) {
	runtime.GC()
	if round == 0 {
		end := watchMemory()
		defer func() { t.Plot.add(end()) }()
	}
	samples, err := c.Measure(ctx, t)
	t.sockets.CloseIdleConnections() // a thousand of them are work for the collector
	return samples, err
}

func (m *measurer) trial(s Subject, c Case, u *Upstream) (Trial, error) {
	sockets := Transport(max(1, c.Streams))
	tap := &Tap{Base: sockets, Clock: m.clock}
	source := Source{URL: u.URL, Transport: tap}
	prompt := plain
	if e := m.Endpoint; e != nil {
		source.Model, source.Key, prompt = e.Model, e.Key, e.Prompt
	}
	client, err := s.Open(source)
	return Trial{
		Subject: s, Client: client, Tap: tap, Server: u, Plot: &Plot{},
		source: source, prompt: prompt, asked: &m.asked, sockets: sockets,
	}, err
}

func (m *measurer) serve(c Case) (*Upstream, error) {
	switch {
	case m.Endpoint != nil:
		return &Upstream{URL: m.Endpoint.URL, end: func() error { return nil }}, nil
	case m.Self == nil:
		return StartHere(c.Script, c.Server)
	default:
		return Start(m.Self, c.Script, c.Server)
	}
}

// take adds the samples of a round.
func (r *Row) take(samples []Sample) {
	for i, s := range samples {
		if len(r.Metrics) == i {
			r.Metrics = append(r.Metrics, Metric{Name: s.Name, Unit: s.Unit, Less: s.Less, Aside: s.Aside})
		}
		r.Metrics[i].add(s)
	}
}
