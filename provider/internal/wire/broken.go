package wire

import (
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/weir-agents/weir/provider"
)

// broken is the error of an answer whose body ended, or broke with err, before
// it was complete. some is whether anything had come that counts. The cause is
// left out where the server ended the body in order: nothing broke.
func (c *Client) broken(b *body, err error, some bool) *provider.Error {
	if own, ok := errors.AsType[*provider.Error](err); ok {
		return own
	}
	e := &provider.Error{Kind: provider.TruncatedStream, Retryable: true, Err: err}
	if !some {
		e.Kind = provider.EmptyResponse
	}
	switch damage := flate.CorruptInputError(0); {
	case errors.Is(err, errFirstByte):
		e.Kind = provider.FirstByteTimeout
		e.Message = fmt.Sprintf("no byte of an answer came within %v", c.opts.FirstByteTimeout)
	case errors.Is(err, errIdle):
		e.Kind = provider.IdleTimeout
		e.Message = fmt.Sprintf("no byte came for %v, and the answer was not complete", b.idle)
	case errors.Is(err, gzip.ErrHeader) && !some:
		e.Kind, e.Retryable = provider.NotAStream, false
		e.Message = "the answer is labelled as gzip and is not"
	case errors.As(err, &damage), errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum):
		e.Kind = provider.TruncatedStream
		e.Message = "the compressed answer is damaged: " + err.Error()
	case err == io.EOF: // the body's own: one within something is another
		e.Err = nil
		e.Message = "the answer ended before its finish reason"
		if !some {
			e.Message = "the answer ended without any event"
		}
	case some && errors.Is(err, io.ErrUnexpectedEOF):
		e.Message = "the answer broke off before its finish reason"
	case !some:
		e.Message = "the connection broke before the first event of the answer: " + err.Error()
	default:
		e.Message = "the connection broke before the answer's finish reason: " + err.Error()
	}
	return e
}
