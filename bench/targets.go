package bench

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// target is something weir is to keep to.
type target struct {
	what, must, aim string
	// is tells what a report has of it; empty: nothing.
	is func(r Report) string
}

// targets are weir's own. Where a number has a floor, it is what lies over that of
// the same run, or is divided by it.
func targets() []target {
	return []target{
		{"flood, tokens/s per core, by the floor's", "0.20", "0.45", func(r Report) string {
			return r.tell("flood", "200000 tokens", "per core", "%.2f", byFloor)
		}},
		{"growth: cost of a token, 200,000 by 20,000", "flat", "", func(r Report) string {
			return figure("%.2f", r.at("flood", "200000 tokens", "weir", "cpu")/r.at("flood", "20000 tokens", "weir", "cpu"))
		}},
		{"first token, over the floor", "400 µs", "150 µs", func(r Report) string {
			return r.tell("first-token", "400 answers", "first", "%.0f µs", overFloor)
		}},
		{"one stream, 2 ms gaps: added, over the floor", "40 µs", "20 µs", func(r Report) string {
			return r.tell("pace", "1 streams", "added", "%.0f µs", overFloor)
		}},
		{"64 streams, 2 ms gaps: added, over the floor", "150 µs", "75 µs", func(r Report) string {
			return r.tell("pace", "64 streams", "added", "%.0f µs", overFloor)
		}},
		{"1,000 streams, 20 ms gaps: processor a token, by the floor's; pace kept", "1.5; 96 %", "1.3; 99 %", func(r Report) string {
			return both("; ", r.tell("pace", "1000 streams", "cpu", "%.2f", byFloor), r.tell("pace", "1000 streams", "pace kept", "%.0f %%", alone))
		}},
		{"heap and stacks of an open stream, of 1,000", "72 KiB", "48 KiB", func(r Report) string {
			return r.tell("sessions", "1000 streams", "streaming", "%.0f KiB", alone)
		}},
		{"allocations a token in flood", "4; 400 B", "2; 100 B", func(r Report) string {
			return both("; ", r.tell("flood", "200000 tokens", "allocs", "%.2f", alone), r.tell("flood", "200000 tokens", "bytes", "%.0f B", alone))
		}},
		{"frozen reader: heap over the floor; cores; way out", "3 MiB; 0.15; 50 ms", "1 MiB; 0.06; 10 ms", func(r Report) string {
			return both("; ", r.tell("frozen-reader", "11 MB, stops at 5 %", "heap", "%.1f MiB", overFloor),
				r.tell("frozen-reader", "11 MB, stops at 5 %", "cpu", "%.2f", alone), r.tell("frozen-reader", "11 MB, stops at 5 %", "leave", "%.1f ms", alone))
		}},
		{"slow reader: heap over the floor; way out", "3 MiB; 50 ms", "1 MiB; 10 ms", func(r Report) string {
			return both("; ", r.tell("slow-reader", "", "heap", "%.1f MiB", overFloor), r.tell("slow-reader", "", "leave", "%.1f ms", alone))
		}},
		{"a turn with four calls of 50 ms side by side, and 50 ms of model", "106 ms", "103 ms", func(r Report) string {
			return figure("%.1f ms", r.at("tools", "four calls", "weir", "turn")/1000)
		}},
		{"connections kept after a streamed answer", "99 %", "100 %", func(r Report) string {
			return r.tell("first-token", "400 answers", "kept", "%.1f %%", alone)
		}},
		{"an idle session, of 10,000", "24 KiB", "8 KiB", func(r Report) string {
			return r.tell("sessions", "10000 idle", "idle", "%.1f KiB", alone)
		}},
	}
}

// at is the median of a metric in the first case that begins so; NaN if there is
// none, or of too few samples.
func (r Report) at(scenario, begins, subject, metric string) float64 {
	for _, row := range r.Rows {
		if row.Scenario != scenario || row.Subject != subject || !strings.HasPrefix(row.Case, begins) {
			continue
		}
		for _, m := range row.Metrics {
			if m.Name == metric && !slices.Contains(m.Withheld, "p50") {
				return m.Median()
			}
		}
	}
	return math.NaN()
}

// How a number of weir and one of the floor make one.
func alone(weir, _ float64) float64         { return weir }
func overFloor(weir, floor float64) float64 { return weir - floor }
func byFloor(weir, floor float64) float64   { return weir / floor }

func (r Report) tell(scenario, begins, metric, format string, by func(weir, floor float64) float64) string {
	return figure(format, by(r.at(scenario, begins, "weir", metric), r.at(scenario, begins, "floor", metric)))
}

func figure(format string, v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	return fmt.Sprintf(format, v)
}

// both joins what there is.
func both(by string, all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), by)
}

// standing writes how the report stands to the targets, as a table of Markdown.
func standing(w io.Writer, r Report) error {
	fmt.Fprintf(w, "%s; %s.\n", r.Machine, r.method())
	for _, line := range slices.Concat(r.noise(), r.gaps()) {
		fmt.Fprintf(w, "%s.\n", line)
	}
	_, err := fmt.Fprint(w, "\n| what | must | aim | is |\n|---|---|---|---|\n")
	for _, t := range targets() {
		is := t.is(r)
		if is == "" {
			is = "not measured"
		}
		if err == nil {
			_, err = fmt.Fprintf(w, "| %s | %s | %s | %s |\n", t.what, t.must, t.aim, is)
		}
	}
	return err
}
