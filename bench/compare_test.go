package bench_test

import (
	"bytes"
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
