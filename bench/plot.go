package bench

import (
	"maps"
	"runtime/metrics"
	"slices"
	"time"

	"github.com/weir-agents/weir/pipeline"
)

// Plot is what a row shows beside its numbers.
type Plot struct {
	// Series are of the last round, but memory: that is sampled in the round that
	// warms up, so that the numbers do not pay for it.
	Series []Series `json:"series,omitempty"`
	// Stalls is for how many milliseconds each stage had something to pass on
	// and was not allowed to, in all sessions of the last round.
	Stalls map[string]float64 `json:"stalls_ms,omitempty"`
	// Failures counts why answers of an endpoint did not come, in all rounds.
	Failures map[string]int `json:"failures,omitempty"`
}

// Series is a value over time.
type Series struct {
	Name string `json:"name"`
	Unit string `json:"unit"`
	// Points are seconds since the round began, and the value.
	Points [][2]float64 `json:"points"`
}

// add puts s in the place of the series of that name.
func (p *Plot) add(s Series) {
	if p == nil || len(s.Points) == 0 {
		return
	}
	p.Series = slices.DeleteFunc(p.Series, func(old Series) bool { return old.Name == s.Name })
	p.Series = append(p.Series, s)
}

// metered are sessions that know where they stall.
type metered interface{ Meter() *pipeline.Meter }

// stalled adds how long each stage of s has stalled since it was opened. Other
// sessions than weir's have no stages. Not for goroutines at once.
func (p *Plot) stalled(s Session) {
	m, ok := s.(metered)
	if !ok || p == nil {
		return
	}
	if p.Stalls == nil {
		p.Stalls = map[string]float64{}
	}
	for _, stage := range stages {
		p.Stalls[stage.String()] += ms(m.Meter().StallTime(stage))
	}
}

// stages are weir's, in the order in which a delta passes them.
var stages = [...]pipeline.Stage{
	pipeline.Streamer, pipeline.Assembler, pipeline.Turning, pipeline.Executor, pipeline.Reporter, pipeline.Supervising,
}

func stageNames() []string {
	var names []string
	for _, s := range stages {
		names = append(names, s.String())
	}
	return names
}

// most is the greatest value.
func (s Series) most() float64 {
	most := 0.0
	for _, p := range s.Points {
		most = max(most, p[1])
	}
	return most
}

// trackPoints is how many points a series has at most.
const trackPoints = 300

// track makes a series of the greatest values, step by step of time; the steps
// get longer as the time does. Not for goroutines at once.
type track struct {
	Name, Unit string
	begun      time.Time
	step       time.Duration
	most       map[int]float64
}

func newTrack(name, unit string) *track {
	return &track{Name: name, Unit: unit, begun: time.Now(), step: 5 * time.Millisecond, most: map[int]float64{}}
}

func (t *track) add(at time.Time, value float64) {
	i := int(at.Sub(t.begun) / t.step)
	for ; i >= trackPoints; i /= 2 {
		old := t.most
		t.step, t.most = 2*t.step, map[int]float64{}
		for i, v := range old {
			t.most[i/2] = max(t.most[i/2], v)
		}
	}
	t.most[i] = max(t.most[i], value)
}

func (t *track) series() Series {
	s := Series{Name: t.Name, Unit: t.Unit}
	for _, i := range slices.Sorted(maps.Keys(t.most)) {
		s.Points = append(s.Points, [2]float64{(time.Duration(i) * t.step).Seconds(), t.most[i]})
	}
	return s
}

// memoryEvery is how often the memory is looked at.
const memoryEvery = 10 * time.Millisecond

// watchMemory samples what the heap and the stacks hold, garbage included, until
// it is ended. It costs no collection and does not stop the world.
func watchMemory() (end func() Series) {
	stop, out := make(chan struct{}), make(chan Series)
	go func() { // ends with end
		t := newTrack("heap and stacks", "MiB")
		look := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
		tick := time.NewTicker(memoryEvery)
		defer tick.Stop()
		for {
			metrics.Read(look)
			t.add(time.Now(), float64(look[0].Value.Uint64()+look[1].Value.Uint64())/(1<<20))
			select {
			case <-tick.C:
			case <-stop:
				out <- t.series()
				return
			}
		}
	}()
	return func() Series {
		close(stop)
		return <-out
	}
}
