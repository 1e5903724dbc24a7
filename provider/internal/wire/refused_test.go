package wire

import (
	"net/http"
	"testing"
	"time"
)

// B125
func TestAWaitIsReadInEveryForm(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	at := now.Add(90 * time.Second)
	for _, tt := range []struct {
		after, ms string
		want      time.Duration
	}{
		{"", "", 0},
		{"0", "", 0},
		{"7", "", 7 * time.Second},
		{" 7 ", "", 7 * time.Second},
		{"0.25", "", 250 * time.Millisecond},
		{at.Format(http.TimeFormat), "", 90 * time.Second},
		{at.Format("Monday, 02-Jan-06 15:04:05 GMT"), "", 90 * time.Second}, // as RFC 850 has it
		{at.Format(time.ANSIC), "", 90 * time.Second},
		{now.Add(-time.Hour).Format(http.TimeFormat), "", 0},
		{"", "250", 250 * time.Millisecond},
		{"", "0.5", 500 * time.Microsecond},
		{"7", "250", 250 * time.Millisecond}, // the finer one wins
		{"7", "0", 0},
		{"7", "soon", 7 * time.Second},
		{at.Format(http.TimeFormat), "-1", 90 * time.Second},
		{"soon", "", 0},
		{"-1", "", 0},
		{"Inf", "", 1<<62 - 1},
		{"NaN", "", 0},
	} {
		h := http.Header{}
		h.Set("Retry-After", tt.after)
		h.Set("Retry-After-Ms", tt.ms)
		if got := RetryAfter(h, now); got != tt.want {
			t.Errorf("Retry-After %q, Retry-After-Ms %q: %v, want %v", tt.after, tt.ms, got, tt.want)
		}
	}
}
