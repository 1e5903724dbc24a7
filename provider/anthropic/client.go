package anthropic

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"slices"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/internal/wire"
)

// dialect is what opaque blocks of this API are marked with.
const dialect = "anthropic"

// Client talks to one server. It is safe for use by many goroutines.
type Client struct {
	cfg  Config
	base wire.Base
	wire *wire.Client
	sdk  sdk.Client
}

var (
	_ provider.Provider = (*Client)(nil)
	_ provider.Lister   = (*Client)(nil)
)

// New returns a client. It opens no connection. The error is that of a base URL
// that is none.
func New(cfg Config) (*Client, error) {
	cfg = cfg.withDefaults()
	base, err := wire.ParseBase(cmp.Or(strings.TrimSpace(cfg.BaseURL), DefaultBaseURL), "v1", "messages", "models")
	if err != nil {
		return nil, fmt.Errorf("anthropic client: %w", err)
	}
	c := &Client{cfg: cfg, base: base}
	c.wire = wire.NewClient(wire.Options{
		ConnectTimeout:   cfg.ConnectTimeout,
		FirstByteTimeout: cfg.FirstByteTimeout,
		IdleTimeout:      cfg.IdleTimeout,
		LineBytes:        cfg.LineBytes,
		MessageBytes:     cfg.MessageBytes,
		Transport:        cfg.Transport,
		Proxy:            cfg.Proxy,
		Secrets:          cfg.secrets(base),
	})
	c.sdk = sdk.NewClient(append(c.options(), option.WithBaseURL(base.Root), option.WithHTTPClient(c.wire))...)
	return c, nil
}

// options says how the SDK signs and sends: once, and nothing from the
// environment.
func (c *Client) options() []option.RequestOption {
	opts := []option.RequestOption{
		option.WithoutEnvironmentDefaults(),
		option.WithoutOpenTelemetry(),
		option.WithMaxRetries(0),
	}
	// Both API versions and the servers that imitate either take a key here.
	if c.cfg.APIKey != "" {
		opts = append(opts, option.WithHeader("x-api-key", c.cfg.APIKey))
	}
	if c.cfg.AuthToken != "" {
		opts = append(opts, option.WithAuthToken(c.cfg.AuthToken))
	}
	if c.cfg.Version != "" {
		opts = append(opts, option.WithHeader("anthropic-version", c.cfg.Version))
	}
	if len(c.cfg.Betas) > 0 {
		opts = append(opts, option.WithHeader("anthropic-beta", strings.Join(c.cfg.Betas, ",")))
	}
	return opts
}

// headers are those of the config. They come last, so that they win.
func (c *Client) headers(opts ...option.RequestOption) []option.RequestOption {
	for _, name := range slices.Sorted(maps.Keys(c.cfg.Headers)) {
		opts = append(opts, option.WithHeader(name, c.cfg.Headers[name]))
	}
	return opts
}

// Close closes the connections that are kept and idle.
func (c *Client) Close() { c.wire.Close() }

// Stream sends req once and yields the answer; see [provider.Provider].
func (c *Client) Stream(ctx context.Context, req provider.Request) iter.Seq2[provider.Delta, error] {
	send := func(ctx context.Context) error { return c.send(ctx, req) }
	return c.wire.Stream(ctx, send, func() wire.Fold { return newFold(req.IDPrefix, c.cfg.MessageBytes) })
}

func (c *Client) send(ctx context.Context, req provider.Request) error {
	if req.Model == "" {
		return provider.ErrNoModel
	}
	body, err := encode(c.cfg, req)
	if err != nil {
		return err
	}
	var opts []option.RequestOption
	if !req.NoStream {
		opts = append(opts, option.WithHeader("Accept", "text/event-stream"))
	}
	if c.cfg.Version == "" && samples(c.cfg, req) {
		opts = append(opts, option.WithHeader("anthropic-version", samplingVersion))
	}
	var res *http.Response
	return c.sdk.Post(ctx, c.base.Path("messages"), body, &res, c.headers(opts...)...)
}
