package bench_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/weir-agents/weir/bench"
)

// Every scenario runs, every subject reads the same text, and the results are
// all there. What they say is nobody's business here.
func TestEveryScenarioRuns(t *testing.T) {
	var out, progress bytes.Buffer
	if code := bench.Run(t.Context(), []string{"--short", "--here", "--json", "-"}, bench.Host{Out: &out, Err: &progress}); code != 0 {
		t.Fatalf("exit code %d: %s", code, progress.String())
	}
	var r bench.Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, row := range r.Rows {
		got[row.Scenario]++
		if len(row.Metrics) == 0 {
			t.Errorf("%s, %s: nothing was measured of %s", row.Scenario, row.Case, row.Subject)
		}
		for _, m := range row.Metrics {
			if n := len(m.Rounds); n == 0 || n > r.Rounds || n > len(row.Metrics[0].Rounds) { // a long case has fewer
				t.Errorf("%s, %s, %s: %s has %d rounds of %d", row.Scenario, row.Case, row.Subject, m.Name, n, r.Rounds)
			}
			if m.Percentiles["p99"] != 0 && m.Samples < 1000 {
				t.Errorf("%s gives a p99 of %d samples", row.Scenario, m.Samples)
			}
		}
	}
	for _, s := range bench.Scenarios() {
		if got[s.Name] < 4 {
			t.Errorf("%s has %d rows", s.Name, got[s.Name])
		}
	}
	var table bytes.Buffer
	if err := r.Table(&table); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"weir", "floor", "per core tokens/s", "streaming KiB"} {
		if !bytes.Contains(table.Bytes(), []byte(want)) {
			t.Errorf("the table does not show %q:\n%s", want, table.String())
		}
	}
}

// A server in a process of its own is found, asked, and ended.
func TestTheServerHasAProcessOfItsOwn(t *testing.T) {
	var out, said bytes.Buffer
	args := []string{"first-token", "flood", "pace", "--short", "--subjects", "floor,weir"}
	if code := bench.Run(t.Context(), args, bench.Host{Out: &out, Err: &said}); code != 0 {
		t.Fatalf("exit code %d: %s", code, said.String())
	}
	for _, want := range []string{"server cpu ns/token", "server cpu µs/token"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the server's own floor is not shown, %q:\n%s", want, out.String())
		}
	}
}

func TestRunRefusesWhatThereIsNot(t *testing.T) {
	for _, args := range [][]string{
		{"no-such"},
		{"--subjects", "nobody"},
		{"--rounds", "0"},
		{"--no-such"},
		{"--base-url", "nowhere"},
		{"--base-url", "http://127.0.0.1:1", "--streams", "0"},
		{"--base-url", "http://127.0.0.1:1", "--rate", "-1"},
		{"--base-url", "http://127.0.0.1:1", "--prompt", ""},
		{"--base-url", "http://127.0.0.1:1", "--rate", "NaN"},
		{"--base-url", "http://127.0.0.1:1", "--rate", "Inf"},
		{"--model", "m"},
		{"long-session", "--subjects", "floor"},
		{"flood", "--html", "-"},
		{"compare"},
		{"targets"},
		{"flood", "--html", "no-such/x.html"},
		{"--json", "no-such/x.json"},
	} {
		var out, said bytes.Buffer
		if code := bench.Run(t.Context(), args, bench.Host{Out: &out, Err: &said}); code != 2 || bytes.Count(said.Bytes(), []byte("\n")) != 1 {
			t.Errorf("%v: exit code %d, said %q", args, code, said.String())
		}
	}
}
