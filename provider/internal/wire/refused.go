package wire

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/weir-agents/weir/provider"
)

const (
	// refusalBytes and refusalTime limit the reading of a refusal's body.
	refusalBytes = 64 << 10
	refusalTime  = 2 * time.Second
)

// refused is the error of an answer that is none of 2xx.
func (c *Client) refused(resp *http.Response, b *body) error {
	b.until = time.Now().Add(refusalTime)
	text, _ := io.ReadAll(io.LimitReader(b, refusalBytes))
	b.release()
	words, fields := Words(text)
	e := &provider.Error{
		Kind:       provider.HTTPError,
		Status:     resp.StatusCode,
		Retryable:  retryableStatus(resp.StatusCode) && !fields.owesMoney(),
		RetryAfter: RetryAfter(resp.Header, time.Now()),
		URL:        c.shown(resp.Request),
	}
	e.Message = strings.TrimSpace(fmt.Sprintf("%d %s", e.Status, http.StatusText(e.Status)))
	if typ := fields.Type; typ != "" && !strings.Contains(words, typ) { // B038
		words = strings.TrimSuffix(typ+": "+words, ": ")
	}
	if words = c.quote(words, wordsBytes/2); words != "" {
		e.Message += ": " + words
	}
	e.Message += c.hint(resp) + " (" + e.URL + ")"
	return c.redacted(e)
}

// retryableStatus says whether the same request may be answered next time.
func retryableStatus(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return true
	}
	return status >= 500
}

// hint says what a person can do about a refusal.
func (c *Client) hint(resp *http.Response) string {
	switch status := resp.StatusCode; {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return "; check the API key"
	case status == http.StatusNotFound:
		return "; check the base URL and the model's name"
	case status/100 == 3:
		if to, err := resp.Location(); err == nil {
			return "; it points to " + c.quote(ShownURL(to), wordsBytes/2) + ": set the base URL to that server if it is the right one"
		}
	}
	return ""
}

// RetryAfter returns how long a server asks to wait: retry-after-ms, or
// Retry-After in seconds or as a date. 0 means that it does not ask, or asks
// for something that cannot be understood.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	if wait, ok := duration(h.Get("Retry-After-Ms"), time.Millisecond); ok {
		return wait
	}
	after := strings.TrimSpace(h.Get("Retry-After"))
	if wait, ok := duration(after, time.Second); ok {
		return wait
	}
	if at, err := http.ParseTime(after); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

func duration(text string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if n > math.MaxInt64/2/float64(unit) { // also where it overflows to infinity
		return math.MaxInt64 / 2, true
	}
	if err != nil || math.IsNaN(n) || n < 0 {
		return 0, false
	}
	return time.Duration(n * float64(unit)), true
}
