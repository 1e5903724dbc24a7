package openai

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/internal/wire"
)

// DefaultBaseURL is where requests go if [Config.BaseURL] is empty.
const DefaultBaseURL = "https://api.openai.com/v1"

// Config says whom to ask and how. The zero value asks OpenAI without a key.
// Nothing is read from the environment.
type Config struct {
	// APIKey goes into the Authorization header; there is none without a key.
	APIKey string
	// BaseURL is the server, with or without scheme, /v1 and a trailing slash;
	// a query in it goes with every request.
	BaseURL      string
	Organization string
	Project      string
	// Headers are set on every request and win over those of the client.
	Headers map[string]string

	// Transport replaces the connections of the client's own; ConnectTimeout
	// and Proxy are then its affair.
	Transport http.RoundTripper
	// Proxy chooses the proxy for a request, such as http.ProxyFromEnvironment;
	// nil is none.
	Proxy func(*http.Request) (*url.URL, error)

	ConnectTimeout   time.Duration // of the dial, and of TLS; default 10 s
	FirstByteTimeout time.Duration // until the answer's head is there; default 5 min
	IdleTimeout      time.Duration // of silence within the answer; default 90 s
	LineBytes        int           // most bytes of one line of a stream; default 16 MiB
	MessageBytes     int           // most bytes of one answer; default 64 MiB

	// GiveThinking sends an assistant's thinking back as reasoning_content,
	// which some servers demand beside tool calls and others refuse.
	GiveThinking bool
	// Extra members are added to every request body; those of a Request win.
	Extra map[string]json.RawMessage
}

// Client is a [provider.Provider] and a [provider.Lister]. Safe for use by
// many goroutines; connections are kept between requests.
type Client struct {
	config Config
	base   wire.Base
	wire   *wire.Client
	sdk    sdk.Client
}

// New returns a client. The error is one of the base URL.
func New(c Config) (*Client, error) {
	base, err := wire.ParseBase(orDefault(c.BaseURL), "v1", "chat/completions", "models")
	if err != nil {
		return nil, err
	}
	w := wire.NewClient(wire.Options{
		ConnectTimeout: c.ConnectTimeout, FirstByteTimeout: c.FirstByteTimeout, IdleTimeout: c.IdleTimeout,
		LineBytes: c.LineBytes, MessageBytes: c.MessageBytes,
		Transport: c.Transport, Proxy: c.Proxy, Secrets: c.secrets(base),
	})
	opts := []option.RequestOption{
		option.WithBaseURL(base.Root), option.WithHTTPClient(w), option.WithMaxRetries(0),
	}
	if c.APIKey != "" {
		opts = append(opts, option.WithAPIKey(c.APIKey))
	}
	if c.Organization != "" {
		opts = append(opts, option.WithOrganization(c.Organization))
	}
	if c.Project != "" {
		opts = append(opts, option.WithProject(c.Project))
	}
	for _, name := range slices.Sorted(maps.Keys(c.Headers)) {
		opts = append(opts, option.WithHeader(name, c.Headers[name]))
	}
	// The SDK's own constructor would take keys and addresses from the environment.
	return &Client{config: c, base: base, wire: w, sdk: sdk.Client{Options: opts}}, nil
}

func orDefault(base string) string {
	if strings.TrimSpace(base) == "" {
		return DefaultBaseURL
	}
	return base
}

// secrets are what no error may show.
func (c Config) secrets(base wire.Base) []string {
	return append(append(wire.SecretHeaders(c.Headers), base.Secrets...), c.APIKey)
}

// Close closes idle connections. Streams that are open go on.
func (c *Client) Close() { c.wire.Close() }

// Stream sends req once and yields the answer. See [provider.Provider].
func (c *Client) Stream(ctx context.Context, req provider.Request) iter.Seq2[provider.Delta, error] {
	send := func(ctx context.Context) error {
		params, err := c.params(req)
		if err != nil {
			return err
		}
		var resp *http.Response
		return c.sdk.Post(ctx, c.base.Path("chat/completions"), params, &resp, accept(req.NoStream))
	}
	return c.wire.Stream(ctx, send, func() wire.Fold { return newFold(req.IDPrefix) })
}

func accept(noStream bool) option.RequestOption {
	if noStream {
		return option.WithHeader("Accept", "application/json")
	}
	return option.WithHeader("Accept", "text/event-stream")
}

// Models asks the server for the names it serves, sorted as it sends them.
func (c *Client) Models(ctx context.Context) ([]string, error) {
	var names []string
	err := c.wire.Fetch(ctx, func(ctx context.Context) error {
		var resp *http.Response
		return c.sdk.Get(ctx, c.base.Path("models"), nil, &resp)
	}, func(body []byte) (err error) {
		names, err = modelNames(body)
		return err
	})
	return names, err
}

// modelNames reads the list, which some servers call data and some models.
func modelNames(body []byte) ([]string, error) {
	var top object
	if json.Unmarshal(body, &top) != nil || faultIn(top, body) != nil || !present(top["data"]) && !present(top["models"]) {
		return nil, wire.NoModels(body)
	}
	models := top["data"]
	if !present(models) {
		models = top["models"]
	}
	names := []string{}
	for _, raw := range list(models) {
		var m struct{ ID, Model, Name string }
		if json.Unmarshal(raw, &m) != nil {
			continue
		}
		for _, name := range []string{m.ID, m.Model, m.Name} {
			if name != "" {
				names = append(names, name)
				break
			}
		}
	}
	return names, nil
}

var errNoSchema = errors.New("the schema of a tool is no JSON object")
