package bench

import (
	"context"
	"fmt"
	"net/http"
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
	// Questions is how many an endpoint is asked by subject and round.
	Questions int
	// Measure measures a subject once. What a round cannot tell it leaves out.
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

// remote reports whether an endpoint is asked, whose answers may fail.
func (t Trial) remote() bool { return t.Server.again == nil }

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
// round that does not count. A subject that fails leaves its case and is named in
// the report, and the others go on. The run ends before its end when ctx does, and
// where an endpoint answers no subject at all; the report says so and has what was
// measured until then.
func Measure(ctx context.Context, scenarios []Scenario, o Options) (r Report) {
	if o.Rounds == 0 {
		o.Rounds = 5
	}
	r = Report{Weir: version(), Began: time.Now(), Rounds: o.Rounds, Short: o.Short, Definitions: definitions()}
	m := measurer{Options: o, clock: sim.NewClock()}
	var jobs []job
	jobs, r.Omitted = m.plan(scenarios)
	if o.Endpoint != nil {
		r.Endpoint = o.Endpoint.name()
		r.Omitted = append(r.Omitted, omittedRemote...)
	}
	if len(jobs) == 0 {
		return r
	}
	r.Machine = look()
	others := watchOthers()
	defer func() { r.Others = others() }()
	for _, j := range jobs {
		rows, failed := m.measure(ctx, j)
		r.Rows = append(r.Rows, rows...)
		r.Failed = append(r.Failed, failed...)
		switch {
		case ctx.Err() != nil:
			r.Incomplete = fmt.Sprintf("interrupted after %d of %d measurements", m.done, m.all)
			return r
		case o.Endpoint != nil && len(rows) == 0:
			r.Incomplete = "ended where the endpoint answered no subject"
			return r
		}
	}
	return r
}

// Questions is how many an endpoint would be asked; 0 of the simulated server.
func Questions(scenarios []Scenario, o Options) int {
	m := measurer{Options: o}
	m.plan(scenarios)
	return m.questions
}

// job is a case of a scenario, with the subjects to measure in it.
type job struct {
	scenario string
	Case
	subjects []Subject
}

// plan returns what is to be measured, and says of what is not why.
func (m *measurer) plan(scenarios []Scenario) (jobs []job, omitted []string) {
	for _, s := range scenarios {
		cases, why := s.cases(m.Options)
		some := false
		for _, c := range cases {
			j := job{s.Name, c, m.subjects(c)}
			if len(j.subjects) == 0 {
				continue
			}
			some = true
			jobs = append(jobs, j)
			m.all += len(j.subjects) * (m.rounds(c) + 1)
			m.questions += len(j.subjects) * (m.rounds(c) + 1) * c.Questions
		}
		if why == "" && !some {
			why = "none of its subjects was asked for"
		}
		if why != "" {
			omitted = append(omitted, s.Name+": "+why)
		}
	}
	return jobs, omitted
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
