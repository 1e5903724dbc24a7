package bench

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
)

// Table writes the report for people: the median of the rounds, their spread,
// and in brackets how often the floor's.
func (r Report) Table(w io.Writer) error {
	fmt.Fprintf(w, "%s\n%s; median ± half the spread of the rounds [× floor]\n", r.Machine, r.method())
	for _, line := range r.remarks() {
		fmt.Fprintln(w, line)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, rows := range r.cases() {
		heads := []string{"", "subject"}
		shown := columns(rows, false)
		for _, m := range shown {
			heads = append(heads, m.Name+" "+m.Unit)
		}
		fmt.Fprintf(t, "\n%s\n%s\n", r.title(rows[0]), strings.Join(heads, "\t"))
		for _, row := range rows {
			fmt.Fprintln(t, strings.Join(append([]string{"", row.Subject}, row.cells(shown)...), "\t"))
		}
		for _, why := range failures(rows) {
			fmt.Fprintf(t, "  %s\n", why)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s\n", strings.Join(r.Definitions, "\n"))
	return err
}

// failures say why answers of an endpoint did not come.
func failures(rows []Row) []string {
	var out []string
	for _, r := range rows {
		if r.Plot == nil {
			continue
		}
		for _, why := range slices.Sorted(maps.Keys(r.Plot.Failures)) {
			out = append(out, fmt.Sprintf("%s: %d × %s", r.Subject, r.Plot.Failures[why], why))
		}
	}
	return out
}

// cases are the rows that belong together.
func (r Report) cases() [][]Row {
	var out [][]Row
	for i, row := range r.Rows {
		if i == 0 || row.Scenario != r.Rows[i-1].Scenario || row.Case != r.Rows[i-1].Case {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], row)
	}
	return out
}

// columns are the metrics that at least one of rows has.
func columns(rows []Row, aside bool) []Metric {
	var out []Metric
	for _, r := range rows {
		at := 0 // behind the column of the metric before
		for _, m := range r.Metrics {
			if m.Aside && !aside {
				continue
			}
			i := slices.IndexFunc(out, func(o Metric) bool { return o.Name == m.Name })
			if i < 0 {
				i = at
				out = slices.Insert(out, i, m)
			}
			at = i + 1
		}
	}
	return out
}

// cells are what the row has for columns, in their order.
func (r Row) cells(columns []Metric) []string {
	var out []string
	for _, c := range columns {
		i := slices.IndexFunc(r.Metrics, func(m Metric) bool { return m.Name == c.Name })
		if i < 0 {
			out = append(out, "")
			continue
		}
		out = append(out, r.Metrics[i].cell())
	}
	return out
}

// gaps say what of the run is not there.
func (r Report) gaps() []string {
	var lines []string
	if r.Incomplete != "" {
		lines = append(lines, "incomplete: "+r.Incomplete)
	}
	for _, f := range r.Failed {
		lines = append(lines, "failed: "+f)
	}
	return lines
}

// noise says what else the machine did.
func (r Report) noise() []string {
	if r.Others < 0 {
		return nil
	}
	line := fmt.Sprintf("noise: other programs took %.0f %% of the processors meanwhile", 100*r.Others)
	if r.Others > othersMost {
		line += "; absolute times are too long, trust ratios of one run only"
	}
	return []string{line}
}

// othersMost is from which share on other programs are in the numbers.
const othersMost = 0.05

// remarks are what else there is to say about the run as a whole.
func (r Report) remarks() []string {
	var lines []string
	if r.Short {
		lines = append(lines, "a short run: it shows that everything works, its numbers mean nothing")
	}
	if r.Weir != "" {
		lines = append(lines, "weir "+r.Weir)
	}
	if r.Endpoint != "" {
		lines = append(lines, "asked: "+r.Endpoint)
	}
	lines = slices.Concat(lines, r.noise(), r.gaps())
	for _, o := range r.Omitted {
		lines = append(lines, "not measured: "+o)
	}
	return lines
}

// shortcoming is the error of a run that is not whole, nil for one that is.
func (r Report) shortcoming() error {
	switch {
	case len(r.Rows) == 0 && len(r.Failed) > 0:
		return errors.New(r.Failed[0])
	case r.Incomplete != "":
		return errors.New(r.Incomplete)
	case len(r.Failed) > 0:
		return fmt.Errorf("%d measurements failed; the first: %s", len(r.Failed), r.Failed[0])
	default:
		return nil
	}
}

// title is the heading of a case. Long ones have fewer rounds than the run.
func (r Report) title(row Row) string {
	title := row.Scenario + ": " + row.Case
	switch n := len(row.Metrics[0].Rounds); {
	case n == r.Rounds:
		return title
	default:
		return title + " (" + rounds(n) + ")"
	}
}

func (r Report) method() string { return rounds(r.Rounds) + ", subjects in turns" }

func rounds(n int) string {
	if n == 1 {
		return "1 round"
	}
	return fmt.Sprintf("%d rounds", n)
}

// cell is the metric in a table.
func (m Metric) cell() string {
	if slices.Contains(m.Withheld, "p50") {
		return fmt.Sprintf("– (%d samples)", m.Samples)
	}
	s := short(m.Median())
	if len(m.Rounds) > 1 {
		least, most := m.Spread()
		s += " ±" + short((most-least)/2)
	}
	for _, p := range []string{"p95", "p99"} {
		if v, ok := m.Percentiles[p]; ok {
			s += fmt.Sprintf(" %s %s", p, short(v))
		}
	}
	if m.OverFloor != 0 {
		s += fmt.Sprintf(" [%.2f]", m.OverFloor)
	}
	return s
}

// short writes v with three digits that count.
func short(v float64) string {
	switch a := math.Abs(v); {
	case a >= 100:
		return fmt.Sprintf("%.0f", v)
	case a >= 10:
		return fmt.Sprintf("%.1f", v)
	default:
		return fmt.Sprintf("%.2f", v)
	}
}
