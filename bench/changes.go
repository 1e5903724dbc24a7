package bench

import (
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
)

// changes writes how after differs from before.
func changes(w io.Writer, before, after Report) error {
	all := Compare(before, after)
	if len(all) == 0 {
		return errors.New("the two reports have nothing in common")
	}
	fmt.Fprintf(w, "before: %s, %s, %s\nafter:  %s, %s, %s\n", day(before), before.Weir, before.Machine, day(after), after.Weir, after.Machine)
	for _, line := range doubts(before, after) {
		fmt.Fprintln(w, line)
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "scenario\tcase\tsubject\tmetric\tbefore\tafter\tratio\t95 %\tby floor\tverdict")
	count := map[string]int{}
	for _, c := range all {
		count[c.Verdict]++
		ratio, span, floor := "–", "–", "–"
		if c.Ratio != 0 {
			ratio, span = fmt.Sprintf("%.3f", c.Ratio), fmt.Sprintf("%.3f–%.3f", c.Low, c.High)
		}
		if c.OverFloor != 0 {
			floor = fmt.Sprintf("%.3f", c.OverFloor)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", c.Scenario, c.Case, c.Subject, c.Metric,
			short(c.Before), short(c.After), ratio, span, floor, c.Verdict)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, `
%d rows: %d better, %d worse, %d same, %d unclear. 95 %%: of two thousand draws of the rounds; by floor: how the ratio to the floor of the same case changed, which decides where the floor itself did. A verdict needs %d rounds on both sides and a change of %.0f %%. Of the rows in which nothing changed about one in twenty has an interval without 1.
`, len(all), count["better"], count["worse"], count["same"], count["unclear"], roundsLeast, 100*noted)
	return err
}

func day(r Report) string { return r.Began.UTC().Format("2006-01-02 15:04") }

// doubts are why two reports may not be comparable.
func doubts(before, after Report) []string {
	var out []string
	a, b := before.Machine, after.Machine
	if a.OS != b.OS || a.Arch != b.Arch || a.CPU != b.CPU || a.Cores != b.Cores {
		out = append(out, "careful: two different machines")
	}
	if a.Go != b.Go {
		out = append(out, "careful: two versions of Go")
	}
	if before.Endpoint != after.Endpoint {
		out = append(out, fmt.Sprintf("careful: two different servers, %q and %q", before.Endpoint, after.Endpoint))
	}
	for _, r := range []struct {
		name string
		Report
	}{{"before", before}, {"after", after}} {
		if r.Short {
			out = append(out, "careful: "+r.name+" is a short run, whose numbers mean nothing")
		}
		for _, line := range r.noise() {
			out = append(out, r.name+": "+line)
		}
		for _, line := range r.gaps() {
			out = append(out, r.name+": "+line)
		}
	}
	return out
}
