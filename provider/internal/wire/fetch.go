package wire

import (
	"context"
	"io"

	"github.com/weir-agents/weir/provider"
)

// Fetch sends one request and gives the whole body of its answer, at most
// MessageBytes, to read: for what is not streamed and no message either. An
// error of read is that of the answer.
func (c *Client) Fetch(ctx context.Context, send func(context.Context) error, read func(body []byte) error) error {
	ex := &exchange{}
	err := send(context.WithValue(ctx, exchangeKey{}, ex))
	if ex.body != nil {
		defer func() { _ = ex.body.Close() }()
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case ex.err != nil:
		return ex.err
	case err != nil || ex.body == nil:
		return c.unsent(ex, err)
	}
	data, err := io.ReadAll(io.LimitReader(ex.body, int64(c.opts.MessageBytes)+1))
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return c.located(c.broken(ex.body, err, len(data) > 0), ex.body.resp)
	case len(data) > c.opts.MessageBytes:
		return c.located(tooLarge(c.opts.MessageBytes), ex.body.resp)
	}
	if err := read(data); err != nil {
		return c.located(provider.AsError(err), ex.body.resp)
	}
	return nil
}
