package bench

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"github.com/weir-agents/weir/provider/sim"
)

type measurer struct {
	Options
	clock     sim.Clock
	asked     int64
	done, all int // measurements
	questions int // to an endpoint
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

// measure runs one case. The rows are of the subjects of which there is a round.
func (m *measurer) measure(ctx context.Context, j job) (rows []Row, failed []string) {
	fail := func(what string, err error) {
		if ctx.Err() == nil {
			failed = append(failed, fmt.Sprintf("%s, %s: %s%v", j.scenario, j.Name, what, err))
		}
	}
	u, err := m.serve(j.Case)
	if err != nil {
		fail("", err)
		m.done += len(j.subjects) * (m.rounds(j.Case) + 1)
		return nil, failed
	}
	defer func() {
		if err := u.Close(); err != nil {
			fail("the server: ", err)
		}
	}()
	var trials []Trial
	for _, s := range j.subjects {
		t, err := m.trial(s, j.Case, u)
		if err != nil {
			fail(s.Name+": ", err)
			continue
		}
		defer t.Client.Close()
		trials = append(trials, t)
		rows = append(rows, Row{Scenario: j.scenario, Case: j.Name, Subject: s.Name, Plot: t.Plot})
	}
	left := make([]bool, len(trials)) // those that have failed
	for round := range m.rounds(j.Case) + 1 {
		for i := range trials {
			at := (i + round) % len(trials) // whoever is first has the cold caches
			if !left[at] {
				samples, err := m.once(ctx, j, trials[at], round)
				switch {
				case ctx.Err() != nil:
					return finished(rows), failed
				case err != nil:
					left[at] = true
					fail(trials[at].Subject.Name+": ", err)
				case round > 0: // the first warms up
					rows[at].take(samples)
				}
			}
			m.done++
		}
	}
	return finished(rows), failed
}

// finished works out what the rows of a case say, and leaves out the empty ones.
func finished(rows []Row) []Row {
	rows = slices.DeleteFunc(rows, func(r Row) bool { return len(r.Metrics) == 0 })
	for _, r := range rows {
		for i := range r.Metrics {
			r.Metrics[i].close()
		}
	}
	compare(rows)
	return rows
}

// once measures a subject; round 0 shows its memory over time instead.
func (m *measurer) once(ctx context.Context, j job, t Trial, round int) ([]Sample, error) {
	if m.Progress != nil {
		m.Progress(m.done, m.all, fmt.Sprintf("%s, %s: %s", j.scenario, j.Name, t.Subject.Name))
	}
	runtime.GC()
	t.Plot.Stalls = nil // of the round before
	if round == 0 {
		end := watchMemory()
		defer func() { t.Plot.add(end()) }()
	}
	samples, err := j.Measure(ctx, t)
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
	for _, s := range samples {
		i := slices.IndexFunc(r.Metrics, func(m Metric) bool { return m.Name == s.Name })
		if i < 0 {
			i = len(r.Metrics)
			r.Metrics = append(r.Metrics, Metric{Name: s.Name, Unit: s.Unit, Less: s.Less, Aside: s.Aside})
		}
		r.Metrics[i].add(s)
	}
}
