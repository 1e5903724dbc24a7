package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/weir-agents/weir/provider"
)

// Options say how a client connects and how much it takes in. The zero value
// of each field stands for the default named beside it.
type Options struct {
	ConnectTimeout   time.Duration // 10 s: dial, and TLS again as long
	FirstByteTimeout time.Duration // 5 min: until the first byte of the answer's body is there
	IdleTimeout      time.Duration // 90 s: of silence while the body is read
	LineBytes        int           // 16 MiB: one line of an event stream
	MessageBytes     int           // 64 MiB: all that one answer holds
	// Transport replaces the client's own; ConnectTimeout and Proxy are then
	// its affair.
	Transport http.RoundTripper
	// Proxy chooses the proxy for a request; nil is none.
	Proxy func(*http.Request) (*url.URL, error)
	// Secrets are never shown in the text of an error.
	Secrets []string
}

func (o Options) orDefaults() Options {
	if o.ConnectTimeout <= 0 {
		o.ConnectTimeout = 10 * time.Second
	}
	if o.FirstByteTimeout <= 0 {
		o.FirstByteTimeout = 5 * time.Minute
	}
	if o.IdleTimeout <= 0 {
		o.IdleTimeout = 90 * time.Second
	}
	if o.LineBytes <= 0 {
		o.LineBytes = provider.LineBytes
	}
	if o.MessageBytes <= 0 {
		o.MessageBytes = 64 << 20
	}
	return o
}

// Client is the HTTP client under a vendor's SDK: its Do is given to the SDK,
// which sends each request once. Safe for use by many goroutines.
type Client struct {
	opts Options
	http *http.Client
	// drains are the answers of this client whose rest is being read.
	drains drains
	own    *http.Transport // nil if the transport is the caller's
	// secrets are prepared by the first failure.
	secrets func() *secrets
}

// NewClient returns a client. It opens no connection.
func NewClient(o Options) *Client {
	c := &Client{opts: o.orDefaults()}
	c.secrets = sync.OnceValue(func() *secrets { return newSecrets(o.Secrets) })
	transport := o.Transport
	if transport == nil {
		c.own = ownTransport(c.opts)
		transport = c.own
	}
	c.http = &http.Client{Transport: transport, CheckRedirect: sameServer}
	return c
}

func ownTransport(o Options) *http.Transport {
	dialer := &net.Dialer{Timeout: o.ConnectTimeout, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:               o.Proxy,
		DialContext:         dialer.DialContext,
		TLSHandshakeTimeout: o.ConnectTimeout,
		ForceAttemptHTTP2:   true,
		// A stream is to arrive as it is written, not in compressed blocks.
		DisableCompression:  true,
		MaxIdleConnsPerHost: 256,
		IdleConnTimeout:     90 * time.Second,
	}
}

// sameServer follows a redirect only if it repeats the request unchanged at
// the same server: a key must not travel, and a POST must not become a GET.
func sameServer(next *http.Request, via []*http.Request) error {
	first := via[0]
	if len(via) > 3 || next.Method != first.Method || next.URL.Scheme != first.URL.Scheme ||
		!strings.EqualFold(next.URL.Host, first.URL.Host) {
		return http.ErrUseLastResponse
	}
	return nil
}

// Close closes the connections that are kept and idle.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// exchange carries what Do learns past the SDK to the driver.
type exchange struct {
	body *body
	err  error
}

type exchangeKey struct{}

// Do sends one request. The body of the response it returns counts the idle
// timeout while it is read. An answer other than 2xx, none in time and no
// connection are a *provider.Error.
func (c *Client) Do(req *http.Request) (*http.Response, error) {
	c.drains.wait(req.Context())
	if err := req.Context().Err(); err != nil { // not even a dial: that would go on
		return nil, err
	}
	// Its own context, ended by the caller's: so that it can be let go of.
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(req.Context()))
	detach := context.AfterFunc(req.Context(), func() { cancel(context.Cause(req.Context())) })
	resp, err := c.send(req.WithContext(ctx), cancel)
	if ex, ok := req.Context().Value(exchangeKey{}).(*exchange); ok {
		ex.err = err
		if err == nil {
			ex.body = resp.Body.(*body)
		}
	}
	if err != nil {
		detach()
		cancel(nil)
		return nil, err
	}
	b := resp.Body.(*body)
	b.detach, b.drains = detach, &c.drains
	return resp, nil
}

func (c *Client) send(req *http.Request, cancel context.CancelCauseFunc) (*http.Response, error) {
	first := time.Now().Add(c.opts.FirstByteTimeout)
	late := time.AfterFunc(c.opts.FirstByteTimeout, func() { cancel(errFirstByte) })
	resp, err := c.http.Do(req)
	late.Stop()
	if err != nil {
		return nil, c.unanswered(req, err)
	}
	b := newBody(resp, cancel, first, c.opts.IdleTimeout)
	if resp.StatusCode/100 != 2 {
		b.first = time.Time{} // the words of a refusal have no reason to be late
		return nil, c.refused(resp, b)
	}
	resp.Body = b
	return resp, nil
}

var errFirstByte = errors.New("no answer in time")

// unanswered is the error of a request to which no answer came.
func (c *Client) unanswered(req *http.Request, err error) error {
	e := &provider.Error{Kind: provider.Unreachable, Retryable: true, URL: ShownURL(req.URL), Err: err}
	var wrapped *url.Error // its text repeats the URL, with its query
	if errors.As(err, &wrapped) {
		e.Err = wrapped.Err
	}
	switch cause := context.Cause(req.Context()); {
	case errors.Is(cause, errFirstByte):
		e.Kind = provider.FirstByteTimeout
		e.Message = fmt.Sprintf("%s sent no answer within %v", e.URL, c.opts.FirstByteTimeout)
	case cause != nil:
		return cause
	default:
		e.Message = fmt.Sprintf("cannot reach %s: %s; check the base URL and that the server runs", e.URL, c.quote(e.Err.Error(), wordsBytes))
	}
	return c.redacted(e)
}
