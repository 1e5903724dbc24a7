package wire

import (
	"context"
	"encoding/json"
	"io"

	"github.com/weir-agents/weir/provider"
)

// NoModels is the error of an answer that is no list of models: that of the
// server, if it has put one there. Its message is not yet fit to be shown.
func NoModels(body []byte) error {
	var o map[string]json.RawMessage
	if json.Unmarshal(body, &o) == nil && len(o["error"]) > 0 && string(o["error"]) != "null" {
		return FaultOf(body).Error()
	}
	e := &provider.Error{Kind: provider.BadJSON, Message: "the answer is no list of models"}
	if o == nil {
		return e
	}
	if words := FaultOf(body).Words; words != "" {
		e.Message += "; the server says: " + words
	}
	return e
}

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
