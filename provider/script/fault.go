package script

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/internal/wire"
)

// FaultKind names what goes wrong.
type FaultKind string

// The faults. HTTP and HTML must come before anything of the answer.
const (
	Cut     FaultKind = "cut"      // the body ends in order, without a finish
	Reset   FaultKind = "reset"    // the connection breaks
	Stall   FaultKind = "stall"    // nothing comes for Duration, or for ever
	Errored FaultKind = "error"    // an error object in the stream
	Panic   FaultKind = "panic"    // the provider panics; a server breaks the connection
	HTTP    FaultKind = "http"     // a status other than 200
	BadJSON FaultKind = "bad_json" // a frame that is not JSON
	HTML    FaultKind = "html"     // a web page under status 200
)

// Fault is something that goes wrong at its place. All but a Stall with a
// Duration end the answer.
type Fault struct {
	Kind FaultKind
	// Duration of a Stall; 0 is for ever.
	Duration time.Duration
	// Message, Type and Code are those of the error object of Errored and HTTP.
	// All have defaults. Code may be a number.
	Message, Type, Code string
	// Status of HTTP.
	Status int
	// RetryAfter is the value of HTTP's Retry-After header: seconds or a date.
	RetryAfter string
	// RetryAfterMS is the value of its Retry-After-Ms header, 0 for none.
	RetryAfterMS int
	// Body replaces the error object of HTTP, and the data of BadJSON's frame.
	Body string
}

// Detail returns f with the defaults of message and type filled in.
func (f Fault) Detail() Fault {
	if f.Type == "" {
		f.Type = "server_error"
		if f.Kind == HTTP {
			f.Type = statusType(f.Status)
		}
	}
	if f.Message == "" {
		f.Message = "the script says so"
		if f.Kind == HTTP {
			f.Message = strings.ToLower(http.StatusText(f.Status))
		}
		if f.Kind == HTTP && f.Status == 529 {
			f.Message = "overloaded"
		}
	}
	if f.Kind == BadJSON && f.Body == "" {
		f.Body = `{"choices":[{"delta":}]}`
	}
	return f
}

// statusType is the error type that the vendors send with a status.
func statusType(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "authentication_error"
	case http.StatusForbidden:
		return "permission_error"
	case http.StatusNotFound:
		return "not_found_error"
	case http.StatusTooManyRequests:
		return "rate_limit_error"
	case 529:
		return "overloaded_error"
	}
	if status < 500 {
		return "invalid_request_error"
	}
	return "api_error"
}

// failure returns the error that a reader reports for f. began says that
// something of the answer had come.
func (f Fault) failure(began bool, now time.Time) *provider.Error {
	e := f.Detail().failed(began, now)
	if e.Status == 0 && e.Kind != provider.Unreachable {
		e.Status = http.StatusOK // what an adapter had received by then
	}
	return e
}

func (f Fault) failed(began bool, now time.Time) *provider.Error {
	switch f.Kind {
	case Cut:
		return ended(began, nil)
	case Reset:
		if !began {
			return &provider.Error{
				Kind: provider.Unreachable, Message: "the connection was reset before an answer",
				Retryable: true, Err: syscall.ECONNRESET,
			}
		}
		return ended(true, syscall.ECONNRESET)
	case Errored:
		return wire.FaultOf(f.object()).Error()
	case HTTP:
		message := f.Message
		if f.Body != "" {
			message = f.Body
		}
		return &provider.Error{
			Kind: provider.HTTPError, Status: f.Status,
			Message:   strings.TrimSpace(fmt.Sprintf("%d %s", f.Status, http.StatusText(f.Status))) + ": " + message,
			Retryable: retryableStatus(f.Status) && !f.lasts(), RetryAfter: f.retryAfter(now),
		}
	case BadJSON:
		return &provider.Error{Kind: provider.BadJSON, Message: "a frame is not a JSON object: " + f.Body, Retryable: true}
	case HTML:
		return &provider.Error{Kind: provider.NotAStream, Message: "the answer is a web page, not a stream: check the base URL"}
	default: // Stall and Panic are no errors of their own
		panic("script: no failure for fault " + string(f.Kind))
	}
}

func ended(began bool, cause error) *provider.Error {
	if !began {
		return &provider.Error{Kind: provider.EmptyResponse, Message: "the stream ended with nothing in it", Retryable: true, Err: cause}
	}
	return &provider.Error{Kind: provider.TruncatedStream, Message: "the stream ended before its finish", Retryable: true, Err: cause}
}

func timedOut(began bool, after time.Duration) *provider.Error {
	if !began {
		return &provider.Error{Kind: provider.FirstByteTimeout, Message: fmt.Sprintf("no byte of an answer within %v", after), Retryable: true}
	}
	return &provider.Error{Kind: provider.IdleTimeout, Message: fmt.Sprintf("no byte for %v", after), Retryable: true, Status: http.StatusOK}
}

func retryableStatus(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return true
	}
	return status >= 500
}

// lasts reports an HTTP error that waiting does not mend, whatever its status.
func (f Fault) lasts() bool {
	words := strings.ToLower(f.Type + " " + f.Code)
	return strings.Contains(words, "quota") || strings.Contains(words, "billing")
}

// object is the error object of f as a server would send it.
func (f Fault) object() []byte {
	b, err := json.Marshal(map[string]string{"message": f.Message, "type": f.Type, "code": f.Code})
	if err != nil {
		panic("script: " + err.Error()) // a map of strings always encodes
	}
	return b
}

func (f Fault) retryAfter(now time.Time) time.Duration {
	h := http.Header{"Retry-After": {f.RetryAfter}}
	if f.RetryAfterMS > 0 {
		h.Set("Retry-After-Ms", strconv.Itoa(f.RetryAfterMS))
	}
	return wire.RetryAfter(h, now)
}
