package provider

import (
	"errors"
	"fmt"
	"time"
)

// ErrorKind names what went wrong with a stream; the values are those of
// `stream_failed.kind` in the event contract.
type ErrorKind string

// The kinds of failure a reader of model streams can report.
const (
	ProviderError    ErrorKind = "provider_error"     // the stream carries an error object
	TruncatedStream  ErrorKind = "truncated_stream"   // it ended without terminal evidence
	IdleTimeout      ErrorKind = "idle_timeout"       // no byte for too long
	EmptyResponse    ErrorKind = "empty_response"     // nothing at all came
	BadJSON          ErrorKind = "bad_json"           // a frame is not a JSON object
	BadToolCall      ErrorKind = "bad_tool_call"      // a call has arguments but no name
	SplicedStream    ErrorKind = "spliced_stream"     // a second response starts within the first
	NotAStream       ErrorKind = "not_a_stream"       // neither events nor JSON
	HTTPError        ErrorKind = "http_error"         // a status other than 2xx, in Status
	Unreachable      ErrorKind = "unreachable"        // dial, DNS, TLS
	FirstByteTimeout ErrorKind = "first_byte_timeout" // no byte of an answer in time
	TooLarge         ErrorKind = "too_large"          // a line or a message beyond its cap
	BadArguments     ErrorKind = "bad_arguments"      // only with strict arguments
	ReaderStalled    ErrorKind = "reader_stalled"     // the reader's patience ran out
	Panicked         ErrorKind = "panic"              // a provider or a machine of ours panicked
)

// Error is the failure of one try of a request. Its text never holds a key.
type Error struct {
	Kind ErrorKind
	// Message says what happened and what a person can do, in the vendor's own
	// words where there are any.
	Message string
	// Retryable says whether sending the same request again may help.
	Retryable bool
	// Status is the HTTP status, 0 if none was received.
	Status int
	// RetryAfter is how long the server asked to wait, 0 if it did not.
	RetryAfter time.Duration
	// URL is where the request went, without credentials or query secrets.
	URL string
	// Usage is what the stream had told of its usage before it failed, nil if
	// it told none. The tokens of a failed try cost money too.
	Usage *Usage
	// Tool and Raw name the call and its argument text of a BadArguments error.
	Tool, Raw string
	// Err is the cause, if one is known. Of an EmptyResponse it is what broke
	// the connection; without one the server ended the answer in order.
	Err error
}

// Error returns the kind and the message on one line.
func (e *Error) Error() string {
	if e.Message == "" {
		return string(e.Kind)
	}
	return fmt.Sprintf("%s: %s", e.Kind, e.Message)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// AsError returns the *Error in err's chain. An error that has none is taken
// for a failure of the connection: kind unreachable, to be tried again.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		if e == nil { // a nil *Error in an error, a mistake that is easy to make
			return &Error{Kind: ProviderError, Message: "the provider told of an error, but not which: a nil *provider.Error"}
		}
		return e
	}
	return &Error{Kind: Unreachable, Message: err.Error(), Retryable: true, Err: err}
}
