package anthropic

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strconv"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/internal/wire"
)

// dialect is what opaque blocks of this API are marked with.
const dialect = "anthropic"

// defaultBaseURL is the vendor's own API.
const defaultBaseURL = "https://api.anthropic.com"

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
	address := cfg.BaseURL
	if address == "" {
		address = defaultBaseURL
	}
	base, err := wire.ParseBase(address, "v1", "messages", "models")
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
	for name, values := range c.cfg.ExtraHeaders {
		opts = append(opts, option.WithHeaderDel(name))
		for _, value := range values {
			opts = append(opts, option.WithHeaderAdd(name, value))
		}
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
	return c.sdk.Post(ctx, c.base.Path("messages"), body, &res, opts...)
}

const (
	// modelsPage is how many models one request asks for, modelsPages how many
	// requests are made, modelsBytes how much of an answer is read.
	modelsPage  = 1000
	modelsPages = 20
	modelsBytes = 8 << 20
)

// Models asks the server for the names it serves.
func (c *Client) Models(ctx context.Context) ([]string, error) {
	var names []string
	after := ""
	for range modelsPages {
		page, err := c.models(ctx, after)
		if err != nil {
			return nil, fmt.Errorf("list models: %w", err)
		}
		for _, m := range page.Data {
			names = append(names, m.ID)
		}
		if !page.HasMore || page.LastID == "" || page.LastID == after {
			break
		}
		after = page.LastID
	}
	return names, nil
}

// modelPage is one page of the list; servers without pages leave out the rest.
type modelPage struct {
	Data []struct {
		ID string `json:"id"`
	} `json:"data"`
	HasMore bool   `json:"has_more"`
	LastID  string `json:"last_id"`
}

func (c *Client) models(ctx context.Context, after string) (page modelPage, err error) {
	opts := []option.RequestOption{option.WithQuery("limit", strconv.Itoa(modelsPage))}
	if after != "" {
		opts = append(opts, option.WithQuery("after_id", after))
	}
	var res *http.Response
	if err := c.sdk.Get(ctx, c.base.Path("models"), nil, &res, opts...); err != nil {
		return page, err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(res.Body, modelsBytes))
	if err != nil {
		return page, err
	}
	if err := json.Unmarshal(raw, &page); err != nil {
		return page, wire.BadJSON(bytes.TrimSpace(raw))
	}
	return page, nil
}
