package wire

import (
	"context"
	"io"

	"github.com/weir-agents/weir/provider"
)

// Fetch sends one request and returns the whole body of its answer, at most
// MessageBytes. For what is not streamed and no message either.
func (c *Client) Fetch(ctx context.Context, send func(context.Context) error) ([]byte, error) {
	ex := &exchange{}
	err := send(context.WithValue(ctx, exchangeKey{}, ex))
	if ex.body != nil {
		defer func() { _ = ex.body.Close() }()
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case ex.err != nil:
		return nil, ex.err
	case err != nil || ex.body == nil:
		return nil, c.unsent(ex, err)
	}
	data, err := io.ReadAll(io.LimitReader(ex.body, int64(c.opts.MessageBytes)))
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, c.redacted(&provider.Error{
			Kind: provider.TruncatedStream, Message: "the answer broke off: " + err.Error(), Retryable: true,
			Status: ex.body.resp.StatusCode, URL: ShownURL(ex.body.resp.Request.URL), Err: err,
		})
	}
	return data, nil
}
