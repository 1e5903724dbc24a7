package bench_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/weir-agents/weir/bench"
	"github.com/weir-agents/weir/provider/script"
	"github.com/weir-agents/weir/provider/sim"
)

// canceler cancels when what is written to it holds words.
type canceler struct {
	bytes.Buffer
	words  string
	cancel func()
}

func (c *canceler) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(c.words)) {
		c.cancel()
	}
	return c.Buffer.Write(p)
}

func read(t *testing.T, text []byte) bench.Report {
	t.Helper()
	var r bench.Report
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	return r
}

// An hour of measuring is not lost to Ctrl-C: what was measured is printed and
// written, and the report says that it is not all.
func TestAnInterruptedRunKeepsWhatItHas(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	said := &canceler{words: "[11/", cancel: cancel} // of nine: in the second case, after a round that counts
	var out bytes.Buffer
	name := filepath.Join(t.TempDir(), "r.json")
	args := []string{"flood", "slow-reader", "pace", "--short", "--here", "--subjects", "floor,weir,channels", "--json", name}
	if code := bench.Run(ctx, args, bench.Host{Out: &out, Err: said}); code != 1 {
		t.Errorf("exit code %d: %s", code, said.String())
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	r := read(t, text)
	if want := "interrupted after 10 of 27 measurements"; r.Incomplete != want || !strings.Contains(out.String(), want) || !strings.Contains(said.String(), want) {
		t.Errorf("incomplete %q, printed %q, said %q", r.Incomplete, out.String(), said.String())
	}
	if len(r.Rows) != 3 || len(r.Rows[0].Metrics) == 0 || len(r.Failed) != 0 {
		t.Errorf("%d rows, failed %q", len(r.Rows), r.Failed)
	}
}

// refusing answers as a server does that refuses every third question.
func refusing(t *testing.T, every int64) string {
	t.Helper()
	server := sim.New(script.Script{
		Loop: script.LoopLast, Steps: []script.Step{{Blocks: []script.Block{script.Text{Text: "It stands on the rock."}}}},
	}, sim.Config{})
	var asked atomic.Int64
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1)%every == 0 {
			http.Error(w, `{"error": {"message": "no such key", "type": "invalid_request_error"}}`, http.StatusUnauthorized)
			return
		}
		server.ServeHTTP(w, r)
	}))
	t.Cleanup(up.Close)
	return up.URL
}

// A server of somebody else may refuse some questions: they are counted, with
// their reasons, and the rest is measured.
func TestAnswersThatFailAreCounted(t *testing.T) {
	var out, said bytes.Buffer
	args := []string{
		"--base-url", refusing(t, 3), "--model", "m", "--requests", "5", "--rounds", "3", "--rate", "1000",
		"--streams", "4", "--subjects", "floor,weir", "--json", "-", "first-token", "pace",
	}
	if code := bench.Run(t.Context(), args, bench.Host{Out: &out, Err: &said}); code != 0 {
		t.Errorf("exit code %d: %s", code, said.String())
	}
	if want := "112 questions"; !strings.Contains(said.String(), want) { // (5 + 5 + 4) · 2 subjects · 4 rounds
		t.Errorf("said %q, not %q", said.String(), want)
	}
	for _, row := range read(t, out.Bytes()).Rows {
		share := -1.0
		for _, m := range row.Metrics {
			if m.Name == "failed" {
				share = m.Median()
			}
		}
		if share <= 0 || share >= 100 || len(row.Plot.Failures) != 1 {
			t.Errorf("%s, %s: %v %% failed, because of %v", row.Case, row.Subject, share, row.Plot.Failures)
		}
	}
}

// What fails leaves its case, and the others go on.
func TestASubjectThatFailsIsNamed(t *testing.T) {
	var out, said bytes.Buffer
	args := []string{"--base-url", refusing(t, 1), "--model", "m", "--short", "--json", filepath.Join(t.TempDir(), "r.json")}
	code := bench.Run(t.Context(), args, bench.Host{Out: &out, Err: &said})
	lines := strings.Split(strings.TrimSpace(said.String()), "\n")
	if last := lines[len(lines)-1]; code != 1 || out.Len() > 0 || len(lines) != 6 || !strings.Contains(last, "floor: 2 of 2 answers failed") {
		t.Errorf("exit code %d, printed %q, said %q", code, out.String(), lines)
	}
	if _, err := os.Stat(args[len(args)-1]); err == nil {
		t.Error("a file was made for nothing")
	}
}

// A run that comes to nothing leaves a file as it was, an empty one too; a pipe
// and a device take the results.
func TestOutputsAreNotTheRunsToRemove(t *testing.T) {
	dir := t.TempDir()
	full, empty, pipe := filepath.Join(dir, "full"), filepath.Join(dir, "empty"), filepath.Join(dir, "pipe")
	for name, text := range map[string]string{full: "of yesterday", empty: ""} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		bench.Run(t.Context(), []string{"flood", "--subjects", "nobody", "--json", name}, bench.Host{Out: io.Discard, Err: io.Discard})
		if got, err := os.ReadFile(name); err != nil || string(got) != text {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	got := make(chan []byte)
	go func() {
		text, _ := os.ReadFile(pipe)
		got <- text
	}()
	var said bytes.Buffer
	args := []string{"flood", "--short", "--here", "--subjects", "floor"}
	if code := bench.Run(t.Context(), append(args, "--json", pipe), bench.Host{Out: io.Discard, Err: &said}); code != 0 {
		t.Errorf("exit code %d: %s", code, said.String())
	}
	if r := read(t, <-got); len(r.Rows) != 1 {
		t.Errorf("the pipe got %d rows", len(r.Rows))
	}
	if _, err := os.Stat(pipe); err != nil {
		t.Error(err)
	}
	said.Reset()
	code := bench.Run(t.Context(), append(args, "--json", full, "--html", full), bench.Host{Out: io.Discard, Err: &said})
	if code != 2 || bytes.Count(said.Bytes(), []byte("\n")) != 1 {
		t.Errorf("one file for two: exit code %d, said %q", code, said.String())
	}
}
