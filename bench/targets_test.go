package bench

import (
	"strings"
	"testing"
)

// The names that the targets look for are those of the scenarios: one that has
// been renamed would read as not measured.
func TestEveryTargetIsMeasured(t *testing.T) {
	r := Report{Rounds: 1, Others: -1}
	for _, s := range Scenarios() {
		for _, c := range s.Cases(false) {
			for _, subject := range []string{"floor", "weir"} {
				at := 2.0
				if subject == "floor" {
					at = 1
				}
				row := Row{Scenario: s.Name, Case: c.Name, Subject: subject}
				for _, name := range strings.Fields("cpu first added allocs bytes heap leave turn idle streaming kept") {
					row.Metrics = append(row.Metrics, Metric{Name: name, Rounds: []float64{at}})
				}
				for _, name := range []string{"per core", "pace kept"} {
					row.Metrics = append(row.Metrics, Metric{Name: name, Rounds: []float64{at}})
				}
				r.Rows = append(r.Rows, row)
			}
		}
	}
	var out strings.Builder
	if err := standing(&out, r); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); strings.Contains(text, "not measured") || !strings.Contains(text, "| 1 MiB; 0.06; 10 ms | 1.0 MiB; 2.00; 2.0 ms |") ||
		!strings.Contains(text, "| 0.20 | 0.45 | 2.00 |") {
		t.Errorf("%s", text)
	}
	out.Reset()
	if err := standing(&out, Report{Others: -1}); err != nil || strings.Count(out.String(), "not measured") != len(targets()) {
		t.Errorf("of nothing: %v\n%s", err, out.String())
	}
}
