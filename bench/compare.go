package bench

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
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
	if r.Format != reportFormat {
		return Report{}, fmt.Errorf("%s is no report of format %d but of %d: measure both sides with the same weir", name, reportFormat, r.Format)
	}
	for _, row := range r.Rows {
		for _, m := range row.Metrics {
			if len(m.Rounds) == 0 {
				return Report{}, fmt.Errorf("%s is broken: %s of %s in %s has no rounds", name, m.Name, row.Subject, row.Case)
			}
		}
	}
	return r, nil
}

// Change is how a metric differs between two reports.
type Change struct {
	Scenario, Case, Subject string
	Metric                  string
	Before, After           float64 // medians of the rounds
	// Ratio is After by Before, and Low and High hold it with 95 % confidence,
	// by bootstrap over the rounds; all are 0 where Before is not above 0.
	Ratio, Low, High float64
	// OverFloor is by how much the ratio to the floor of the same case changed:
	// what the machine did to both is not in it. 0 where there is no floor.
	OverFloor float64
	Verdict   string // better, worse, same, or unclear
}

const (
	resamples = 2000
	// noted is the least change that is called one.
	noted = 0.03
	// roundsLeast is how many rounds a verdict needs on both sides: with four, the
	// interval would miss in one of twelve, and not of twenty.
	roundsLeast = 5
)

// measured is a metric as the comparison looks at it: by round.
type measured struct {
	rounds  []float64
	less    bool
	trusted bool // of enough samples
}

// place is where a metric stands in a report.
type place struct{ scenario, at, subject, metric string }

// places are the metrics of a report, and the tails of those of which there are
// enough samples in each round.
func (r Report) places() (all map[place]measured, order []place) {
	all = map[place]measured{}
	for _, row := range r.Rows {
		for _, m := range row.Metrics {
			p := place{row.Scenario, row.Case, row.Subject, m.Name + " " + m.Unit}
			all[p] = measured{m.Rounds, m.Less, !slices.Contains(m.Withheld, "p50")}
			order = append(order, p)
			for _, tail := range tailNames {
				if rounds := m.Tails[tail]; len(rounds) > 0 {
					q := p
					q.metric += " " + tail
					all[q] = measured{rounds, m.Less, true}
					order = append(order, q)
				}
			}
		}
	}
	return all, order
}

// Compare tells how after differs from before, for every metric they share.
func Compare(before, after Report) []Change {
	was, _ := before.places()
	is, order := after.places()
	var all []Change
	for _, p := range order {
		old, ok := was[p]
		if !ok {
			continue
		}
		c := Change{
			Scenario: p.scenario, Case: p.at, Subject: p.subject, Metric: p.metric,
			Before: middle(old.rounds), After: middle(is[p].rounds),
		}
		floor := p
		floor.subject = "floor"
		c.judge(old, is[p], was[floor], is[floor])
		all = append(all, c)
	}
	return all
}

// judge sets the ratios of c and its verdict. Where the floor of the same case has
// changed, the machine or the server has, and the verdict is of the ratio to it.
func (c *Change) judge(old, now, oldFloor, floor measured) {
	c.Verdict = "unclear"
	switch {
	case c.Before == c.After && c.Before <= 0:
		c.Verdict = "same"
		return
	case c.Before <= 0 || c.After < 0: // nothing to divide by
		return
	}
	c.Ratio = c.After / c.Before
	c.Low, c.High = interval(old.rounds, now.rounds, nil, nil)
	known := old.trusted && now.trusted
	own := verdict(c.Ratio, c.Low, c.High, now.less, min(len(old.rounds), len(now.rounds)))
	if known {
		c.Verdict = own
	}
	was, is := middle(oldFloor.rounds), middle(floor.rounds)
	if c.Subject == "floor" || !(was > 0) || !(is > 0) { // NaN where there is none
		return
	}
	c.OverFloor = c.Ratio / (is / was)
	low, high := interval(oldFloor.rounds, floor.rounds, nil, nil)
	switch verdict(is/was, low, high, floor.less, min(len(oldFloor.rounds), len(floor.rounds))) {
	case "better", "worse":
		low, high = interval(old.rounds, now.rounds, oldFloor.rounds, floor.rounds)
		if c.Verdict = verdict(c.OverFloor, low, high, now.less, min(len(old.rounds), len(now.rounds))); !known {
			c.Verdict = "unclear"
		}
	}
}

// interval returns where the ratio of the medians lies with 95 % confidence, or
// that of the ratios to the floor, whose rounds belong to those of the subject.
func interval(before, after, floorBefore, floorAfter []float64) (low, high float64) {
	r := rand.New(rand.NewPCG(1, 2)) // the same reports give the same answer
	draw := func(from, floor []float64) float64 {
		some, base := make([]float64, len(from)), make([]float64, len(floor))
		for i := range some {
			at := r.IntN(len(from))
			some[i] = from[at]
			if len(floor) > 0 {
				base[i%len(floor)] = floor[at%len(floor)]
			}
		}
		if len(floor) == 0 {
			return middle(some)
		}
		return middle(some) / middle(base)
	}
	var ratios []float64
	for range resamples {
		if b := draw(before, floorBefore); b > 0 {
			ratios = append(ratios, draw(after, floorAfter)/b)
		}
	}
	slices.Sort(ratios)
	if len(ratios) == 0 {
		return 0, 0
	}
	return ratios[len(ratios)*25/1000], ratios[len(ratios)*975/1000]
}

func verdict(ratio, low, high float64, less bool, rounds int) string {
	switch {
	case rounds < roundsLeast:
		return "unclear"
	case low <= 1 && high >= 1:
		if high-low > 0.2 {
			return "unclear"
		}
		return "same"
	case ratio > 1-noted && ratio < 1+noted:
		return "same"
	case (ratio < 1) == less:
		return "better"
	default:
		return "worse"
	}
}
