package pipeline_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/pipeline"
)

// always is a script in which every request gets blocks.
func always(blocks string) string {
	return `{"select":"sequence","loop":"last","steps":[{"blocks":[` + blocks + `]}]}`
}

func TestEachStatusIsRetriedOrSentOnce(t *testing.T) {
	retried := map[int]bool{
		400: false, 401: false, 403: false, 404: false, 408: true, 409: true, 413: false, 422: false,
		429: true, 500: true, 502: true, 503: true, 504: true, 529: true,
	}
	for _, dialect := range dialects {
		for status, again := range retried {
			t.Run(fmt.Sprintf("%s %d", dialect, status), func(t *testing.T) {
				within(t, setting{
					dialect: dialect, script: always(fmt.Sprintf(`{"fault":"http","status":%d,"message":"the dam is shut"}`, status)),
				}, func(t *testing.T, w *world) {
					events := w.run("go", nil)
					want := 1
					if again {
						want = pipeline.Limits{}.Default().Attempts
					}
					_, failed := delays(events)
					if n := len(w.requests()); n != want || len(failed) != want {
						t.Errorf("%d requests and %d failures, want %d", n, len(failed), want)
					}
					for _, f := range failed {
						if f.Kind != "http_error" || f.Status != status || f.Retryable != again {
							t.Errorf("it failed as %+v", f)
						}
					}
					w.checkWaits(events, 0)
					end := last(t, events)
					said := failed[want-1].Message
					if want > 1 {
						said += fmt.Sprintf("; given up after %d tries", want)
					}
					if end.Outcome != pipeline.Failed || end.Error.Kind != "http_error" || end.Error.Message != said {
						t.Errorf("the turn ended as %+v", end)
					}
				})
			})
		}
	}
}

func TestRetryAfterInAllItsForms(t *testing.T) {
	// The bubble's time starts with the year 2000.
	for name, c := range map[string]struct {
		fault  string // members of the fault
		status int
		wait   time.Duration // -1: by the back-off
	}{
		"seconds":              {`"retry_after":7`, 429, 7 * time.Second},
		"parts of a second":    {`"retry_after":"1.25"`, 503, 1250 * time.Millisecond},
		"a date":               {`"retry_after":"Sat, 01 Jan 2000 00:00:09 GMT"`, 429, 9 * time.Second},
		"a date of RFC 850":    {`"retry_after":"Saturday, 01-Jan-00 00:00:11 GMT"`, 429, 11 * time.Second},
		"a date that is past":  {`"retry_after":"Fri, 31 Dec 1999 23:59:59 GMT"`, 429, -1},
		"milliseconds":         {`"retry_after_ms":1500`, 529, 1500 * time.Millisecond},
		"milliseconds win":     {`"retry_after_ms":250,"retry_after":20`, 429, 250 * time.Millisecond},
		"words":                {`"retry_after":"soon"`, 429, -1},
		"a negative number":    {`"retry_after":-3`, 429, -1},
		"not a number":         {`"retry_after":"NaN"`, 429, -1},
		"nothing":              {`"retry_after":0`, 429, -1},
		"just within the most": {`"retry_after":60`, 429, time.Minute},
	} {
		for _, dialect := range dialects {
			t.Run(name+" "+dialect, func(t *testing.T) {
				within(t, setting{
					dialect: dialect,
					script: fmt.Sprintf(`{"select":"sequence","steps":[{"blocks":[{"fault":"http","status":%d,%s}]},"fine"]}`,
						c.status, c.fault),
				}, func(t *testing.T, w *world) {
					events := w.run("go", nil)
					if end := last(t, events); end.Outcome != pipeline.Completed || end.Text != "fine" {
						t.Fatalf("the turn ended as %+v", end)
					}
					got := gaps(w.requests())
					if c.wait < 0 {
						w.checkWaits(events, 0)
						return
					}
					if d := cmp.Diff([]time.Duration{c.wait}, got); d != "" {
						t.Errorf("waits (-want +got):\n%s", d)
					}
					if waits, _ := delays(events); waits[0] != c.wait {
						t.Errorf("the event says %v, want %v", waits[0], c.wait)
					}
				})
			})
		}
	}
}

// A server that asks for more patience than a turn has gets none: the step
// fails at once and says when to come back, even if other models are left.
func TestALongRetryAfterFailsNowAndSaysWhen(t *testing.T) {
	for after, at := range map[string]string{
		`"retry_after":3600`:                            "in 1h0m0s, at 2000-01-01T01:00:00Z",
		`"retry_after":61`:                              "in 1m1s, at 2000-01-01T00:01:01Z",
		`"retry_after":"Sat, 01 Jan 2000 06:00:00 GMT"`: "in 6h0m0s, at 2000-01-01T06:00:00Z",
		`"retry_after_ms":120000`:                       "in 2m0s, at 2000-01-01T00:02:00Z",
	} {
		for _, dialect := range dialects {
			t.Run(after+" "+dialect, func(t *testing.T) {
				within(t, setting{
					dialect: dialect, script: always(`{"fault":"http","status":429,` + after + `}`),
					config: pipeline.Config{Fallback: []string{"another"}},
				}, func(t *testing.T, w *world) {
					events := w.run("go", nil)
					want := []time.Duration{0}
					if d := cmp.Diff(want, w.requests()); d != "" {
						t.Errorf("requests (-want +got):\n%s", d)
					}
					end := last(t, events)
					if end.Outcome != pipeline.Failed || end.DurationMS != 0 {
						t.Errorf("the turn ended as %+v", end)
					}
					mustSay(t, end.Error.Message, "429", "come back "+at)
					_, failed := delays(events)
					mustSay(t, failed[0].Message, "come back "+at)
				})
			})
		}
	}
}
