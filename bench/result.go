package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// reportFormat is what a change of the JSON counts up: reports of two formats
// are not compared.
const reportFormat = 1

// Report is what a run has measured.
type Report struct {
	// Format is reportFormat of the weir that wrote the report.
	Format  int       `json:"format"`
	Began   time.Time `json:"began"`
	Weir    string    `json:"weir"` // its version
	Machine Machine   `json:"machine"`
	Rounds  int       `json:"rounds"`
	Short   bool      `json:"short"`
	// Others is which share of the machine's processor time other programs took
	// during the run, 0 to 1; negative where the system does not tell.
	Others float64 `json:"others"`
	// Endpoint is the server that was asked; empty: the simulated one.
	Endpoint string `json:"endpoint,omitempty"`
	// Omitted is what could not be measured, and why.
	Omitted []string `json:"omitted,omitempty"`
	// Failed are the measurements that failed, and why; Incomplete says where a
	// run ended before its end.
	Failed      []string `json:"failed,omitempty"`
	Incomplete  string   `json:"incomplete,omitempty"`
	Definitions []string `json:"definitions"`
	Rows        []Row    `json:"rows"`
}

// Row is what one subject did in one case.
type Row struct {
	Scenario string   `json:"scenario"`
	Case     string   `json:"case"`
	Subject  string   `json:"subject"`
	Metrics  []Metric `json:"metrics"`
	Plot     *Plot    `json:"plot,omitempty"`
}

// Metric is one number of a row, by round.
type Metric struct {
	Name string `json:"name"`
	Unit string `json:"unit"`
	// Less says that less is better.
	Less bool `json:"less"`
	// Aside metrics are not in the table.
	Aside  bool      `json:"aside,omitempty"`
	Rounds []float64 `json:"rounds"`
	// Tails are p95 and p99 by round, where every round has samples enough.
	Tails map[string][]float64 `json:"tails,omitempty"`
	// OverFloor is the median by that of the floor in the same case; 0 if that has none,
	// or is not above 0.
	OverFloor float64 `json:"over_floor,omitempty"`
	// Samples, Percentiles, Withheld and CDF are there where many were taken: of
	// all rounds together. A percentile that fewer than ten samples lie beyond is
	// withheld; CDF are values with the share of samples up to them.
	Samples     int64              `json:"samples,omitempty"`
	Percentiles map[string]float64 `json:"percentiles,omitempty"`
	Withheld    []string           `json:"withheld,omitempty"`
	CDF         [][2]float64       `json:"cdf,omitempty"`

	all *hdrhistogram.Histogram
}

// Median returns the median of the rounds.
func (m Metric) Median() float64 { return middle(m.Rounds) }

// Spread returns the least and the greatest round.
func (m Metric) Spread() (least, most float64) { return slices.Min(m.Rounds), slices.Max(m.Rounds) }

func middle(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n == 0 {
		return math.NaN()
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// Sample is one measurement of a metric. With Times its Value is their median.
type Sample struct {
	Name, Unit string
	Less       bool
	Aside      bool // not in the table
	Value      float64
	Times      *Times
}

// aside returns s for the report alone, and not the table.
func (s Sample) aside() Sample {
	s.Aside = true
	return s
}

// Times is a histogram of durations, from 1 ns to 1 min with 3 digits.
type Times struct{ h *hdrhistogram.Histogram }

// NewTimes returns an empty histogram. It takes about 240 KB.
func NewTimes() *Times { return &Times{hdrhistogram.New(1, int64(time.Minute), 3)} }

// Add takes one duration; what is out of range counts as its end.
func (t *Times) Add(d time.Duration) {
	v := min(max(int64(d), 1), int64(time.Minute))
	if err := t.h.RecordValue(v); err != nil {
		panic("bench: " + err.Error()) // v is in range
	}
}

// sample makes a sample of the times, in µs.
func (t *Times) sample(name string) Sample {
	return Sample{Name: name, Unit: "µs", Less: true, Value: micro(t.h.ValueAtQuantile(50)), Times: t}
}

func micro(ns int64) float64 { return float64(ns) / 1e3 }

func micros(d time.Duration) float64 { return micro(int64(d)) }

// add takes a sample of another round.
func (m *Metric) add(s Sample) {
	m.Rounds = append(m.Rounds, s.Value)
	if s.Times == nil {
		return
	}
	if m.all == nil {
		m.all, m.Tails = NewTimes().h, map[string][]float64{}
	}
	m.all.Merge(s.Times.h)
	for i, p := range tails {
		if enough(s.Times.h.TotalCount(), p) {
			m.Tails[tailNames[i]] = append(m.Tails[tailNames[i]], micro(s.Times.h.ValueAtQuantile(p)))
		}
	}
}

// tails are the percentiles that are kept by round.
var (
	tails     = [...]float64{95, 99}
	tailNames = [...]string{"p95", "p99"}
)

// enough reports whether ten of n samples lie beyond a percentile.
func enough(n int64, percent float64) bool { return float64(n)*(100-percent)/100 >= 10 }

// close works out what all rounds together say.
func (m *Metric) close() {
	if m.all == nil {
		return
	}
	m.Samples, m.Percentiles = m.all.TotalCount(), map[string]float64{}
	for _, p := range []float64{50, 90, 95, 99, 99.9} {
		name := fmt.Sprintf("p%g", p)
		if !enough(m.Samples, p) {
			m.Withheld = append(m.Withheld, name)
			continue
		}
		m.Percentiles[name] = micro(m.all.ValueAtQuantile(p))
	}
	maps.DeleteFunc(m.Tails, func(_ string, rounds []float64) bool { return len(rounds) < len(m.Rounds) })
	m.CDF = cdf(m.all)
}

// cdfPoints is how finely a distribution is kept.
const cdfPoints = 100

// cdf is a distribution up to the last percentile that ten samples lie beyond.
func cdf(h *hdrhistogram.Histogram) [][2]float64 {
	var out [][2]float64
	top := 100 - 1000/float64(h.TotalCount())
	for i := range cdfPoints + 1 {
		if p := 100 * float64(i) / cdfPoints; p <= top {
			out = append(out, [2]float64{micro(h.ValueAtQuantile(p)), p / 100})
		}
	}
	return out
}

// compare sets OverFloor in the rows of one case.
func compare(rows []Row) {
	base := map[string]float64{}
	for _, r := range rows {
		for _, m := range r.Metrics {
			if r.Subject == "floor" {
				base[m.Name] = m.Median()
			}
		}
	}
	for _, r := range rows {
		for i, m := range r.Metrics {
			if b := base[m.Name]; b > 0 {
				r.Metrics[i].OverFloor = m.Median() / b
			}
		}
	}
}

// JSON writes the report as one JSON object.
func (r Report) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	r.Format = reportFormat
	return e.Encode(r)
}
