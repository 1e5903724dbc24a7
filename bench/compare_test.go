package bench_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weir-agents/weir/bench"
)

func report(rounds ...float64) bench.Report {
	return bench.Report{Rows: []bench.Row{{
		Scenario: "flood", Case: "200 tokens", Subject: "weir",
		Metrics: []bench.Metric{
			{Name: "cpu", Unit: "ns/token", Less: true, Rounds: rounds},
			{Name: "per core", Unit: "tokens/s", Rounds: rounds},
		},
	}}}
}

func TestCompareSaysWhatChangedAndWhatIsNoise(t *testing.T) {
	quiet := []float64{100, 101, 99, 100, 102, 98}
	for _, c := range []struct {
		name  string
		after []float64
		want  [2]string // of a metric where less is better, and of one where more is
	}{
		{"half", []float64{50, 51, 49, 50, 52, 48}, [2]string{"better", "worse"}},
		{"twice", []float64{200, 201, 199, 200, 202, 198}, [2]string{"worse", "better"}},
		{"the same", []float64{101, 100, 99, 100, 101, 99}, [2]string{"same", "same"}},
		{"noise", []float64{60, 170, 80, 140, 100, 115}, [2]string{"unclear", "unclear"}},
		{"too few", []float64{50, 50}, [2]string{"unclear", "unclear"}},
	} {
		got := bench.Compare(report(quiet...), report(c.after...))
		if len(got) != 2 || got[0].Verdict != c.want[0] || got[1].Verdict != c.want[1] {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// What was nothing, or is of too few samples, has no ratio and no verdict but
// that it stayed the same.
func TestCompareJudgesNothingItCannot(t *testing.T) {
	zero, some := []float64{0, 0, 0, 0, 0}, []float64{7, 7, 7, 7, 7}
	few := report(some...)
	for i := range few.Rows[0].Metrics {
		few.Rows[0].Metrics[i].Withheld = []string{"p50", "p90"}
	}
	for _, c := range []struct {
		name          string
		before, after bench.Report
		want          string
	}{
		{"nothing and nothing", report(zero...), report(zero...), "same"},
		{"nothing and something", report(zero...), report(some...), "unclear"},
		{"too few samples", few, report(14, 14, 14, 14, 14), "unclear"},
	} {
		got := bench.Compare(c.before, c.after)
		if len(got) != 2 || got[0].Verdict != c.want || got[1].Verdict != c.want {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// A machine that was slower the second time has made nothing worse: the floor of
// the same run says so. What changed beside the floor has.
func TestCompareGoesByTheFloorWhereThatChanged(t *testing.T) {
	beside := func(floor, weir float64) bench.Report {
		var r bench.Report
		for _, s := range []struct {
			name string
			at   float64
		}{{"floor", floor}, {"weir", weir}} {
			m := bench.Metric{Name: "cpu", Unit: "ns/token", Less: true}
			for _, noise := range []float64{0, 1, -1, 2, -2, 0.5} {
				m.Rounds = append(m.Rounds, s.at*(1+noise/100))
			}
			m.Tails = map[string][]float64{"p99": m.Rounds}
			r.Rows = append(r.Rows, bench.Row{Scenario: "flood", Case: "200 tokens", Subject: s.name, Metrics: []bench.Metric{m}})
		}
		return r
	}
	for _, c := range []struct {
		name        string
		floor, weir float64
		want        string
	}{
		{"a slower machine", 130, 390, "same"},
		{"a slower machine hides what got better", 130, 300, "better"},
		{"weir alone", 100, 390, "worse"},
		{"nothing", 100, 300, "same"},
		{"the floor alone", 130, 300, "better"},
	} {
		got := bench.Compare(beside(100, 300), beside(c.floor, c.weir))
		if len(got) != 4 || got[2].Verdict != c.want || got[3].Verdict != c.want || got[3].Metric != "cpu ns/token p99" {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// Of a hundred rows in which nothing changed a few look changed, and no more.
func TestCompareSeldomFindsWhatIsNotThere(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	rounds := func() []float64 {
		var out []float64
		for range 5 {
			out = append(out, 100*math.Exp(0.1*r.NormFloat64()))
		}
		return out
	}
	const runs = 500
	wrong := 0
	for range runs {
		for _, c := range bench.Compare(report(rounds()...), report(rounds()...))[:1] {
			if c.Verdict == "better" || c.Verdict == "worse" {
				wrong++
			}
		}
	}
	if wrong > runs*7/100 {
		t.Errorf("%d of %d", wrong, runs)
	}
}

// A file that is no report of this weir is refused: what cannot be compared must
// not look as if nothing had changed.
func TestCompareRefusesOtherReports(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]string{
		`{}`:             "is no report of format",
		`{"format": 99}`: "is no report of format",
		`[]`:             "is not a report",
		`{"format": 1}`:  "nothing in common",
		`{"format": 1, "rows": [{"case": "c", "subject": "s", "metrics": [{"name": "cpu"}]}]}`: "has no rounds",
	} {
		name := filepath.Join(dir, "r.json")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, said bytes.Buffer
		code := bench.Run(t.Context(), []string{"compare", name, name}, bench.Host{Out: &out, Err: &said})
		if code != 1 || out.Len() > 0 || !strings.Contains(said.String(), want) {
			t.Errorf("%s: exit code %d, said %q", text, code, said.String())
		}
	}
}

func TestCompareReadsWhatARunWrote(t *testing.T) {
	dir := t.TempDir()
	for name, r := range map[string]bench.Report{"a.json": report(100, 101, 99, 100), "b.json": report(50, 51, 49, 50)} {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := r.JSON(f); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	var out, said bytes.Buffer
	code := bench.Run(t.Context(), []string{"compare", filepath.Join(dir, "a.json"), filepath.Join(dir, "b.json")}, bench.Host{Out: &out, Err: &said})
	if code != 0 || !strings.Contains(out.String(), "0.500") || !strings.Contains(out.String(), "better") {
		t.Errorf("exit code %d, said %q, wrote:\n%s", code, said.String(), out.String())
	}
	out.Reset()
	if code := bench.Run(t.Context(), []string{"compare", "no-such.json", "b.json"}, bench.Host{Out: &out, Err: &said}); code != 1 {
		t.Errorf("exit code %d for a file that is not there", code)
	}
	if code := bench.Run(t.Context(), []string{"compare", "a.json"}, bench.Host{Out: &out, Err: &said}); code != 2 {
		t.Errorf("exit code %d for one file", code)
	}
}
