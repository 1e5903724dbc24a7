package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"text/tabwriter"
)

// Load reads a report that Report.JSON wrote.
func Load(name string) (Report, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return Report{}, err
	}
	var r Report
	if err := json.Unmarshal(text, &r); err != nil {
		return Report{}, fmt.Errorf("%s is not a report: %w", name, err)
	}
	return r, nil
}

// Change is how a metric differs between two reports.
type Change struct {
	Scenario, Case, Subject string
	Metric                  string
	Before, After           float64 // medians
	// Ratio is After by Before, and Low and High hold it with 95 % confidence,
	// by bootstrap over the rounds; all are 0 where Before is not above 0.
	Ratio, Low, High float64
	Verdict          string // better, worse, same, or unclear
}

const (
	resamples = 2000
	// noted is the least change that is called one.
	noted = 0.03
	// roundsLeast is how many rounds a verdict needs on both sides.
	roundsLeast = 4
)

// Compare tells how after differs from before, for every metric they share.
func Compare(before, after Report) []Change {
	was := map[string]Metric{}
	for _, r := range before.Rows {
		for _, m := range r.Metrics {
			was[r.Scenario+"|"+r.Case+"|"+r.Subject+"|"+m.Name] = m
		}
	}
	var all []Change
	for _, r := range after.Rows {
		for _, m := range r.Metrics {
			old, ok := was[r.Scenario+"|"+r.Case+"|"+r.Subject+"|"+m.Name]
			if !ok {
				continue
			}
			c := Change{
				Scenario: r.Scenario, Case: r.Case, Subject: r.Subject, Metric: m.Name + " " + m.Unit,
				Before: old.Median(), After: m.Median(),
			}
			c.Verdict = judge(&c, old, m)
			all = append(all, c)
		}
	}
	return all
}

// judge sets the ratio of c and returns its verdict.
func judge(c *Change, old, m Metric) string {
	switch {
	case c.Before == c.After && c.Before <= 0:
		return "same"
	case c.Before <= 0 || c.After < 0: // nothing to divide by
		return "unclear"
	}
	c.Ratio = c.After / c.Before
	c.Low, c.High = interval(old.Rounds, m.Rounds)
	if slices.Contains(old.Withheld, "p50") || slices.Contains(m.Withheld, "p50") {
		return "unclear" // the medians are of too few samples
	}
	return verdict(*c, m.Less, min(len(old.Rounds), len(m.Rounds)))
}

// interval returns where the ratio of the medians lies with 95 % confidence.
func interval(before, after []float64) (low, high float64) {
	r := rand.New(rand.NewPCG(1, 2)) // the same reports give the same answer
	draw := func(from []float64) float64 {
		some := make([]float64, len(from))
		for i := range some {
			some[i] = from[r.IntN(len(from))]
		}
		return middle(some)
	}
	var ratios []float64
	for range resamples {
		if b := draw(before); b > 0 {
			ratios = append(ratios, draw(after)/b)
		}
	}
	slices.Sort(ratios)
	if len(ratios) == 0 {
		return 0, 0
	}
	return ratios[len(ratios)*25/1000], ratios[len(ratios)*975/1000]
}

func verdict(c Change, less bool, rounds int) string {
	switch {
	case rounds < roundsLeast:
		return "unclear"
	case c.Low <= 1 && c.High >= 1:
		if c.High-c.Low > 0.2 {
			return "unclear"
		}
		return "same"
	case c.Ratio > 1-noted && c.Ratio < 1+noted:
		return "same"
	case (c.Ratio < 1) == less:
		return "better"
	default:
		return "worse"
	}
}

// changes writes what Compare found.
func changes(w io.Writer, all []Change) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "scenario\tcase\tsubject\tmetric\tbefore\tafter\tratio\t95 %\tverdict")
	for _, c := range all {
		ratio, span := "–", "–"
		if c.Ratio != 0 {
			ratio, span = fmt.Sprintf("%.3f", c.Ratio), fmt.Sprintf("%.3f–%.3f", c.Low, c.High)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", c.Scenario, c.Case, c.Subject, c.Metric,
			short(c.Before), short(c.After), ratio, span, c.Verdict)
	}
	return t.Flush()
}
