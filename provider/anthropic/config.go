package anthropic

import (
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"github.com/weir-agents/weir/provider/internal/wire"
)

// Config says which server a [Client] talks to and how. The zero value talks
// to the vendor's own API without a key.
type Config struct {
	// APIKey goes out as x-api-key, AuthToken as a bearer token. Neither header
	// is sent without one: local servers need none.
	APIKey    string
	AuthToken string
	// BaseURL is the server's address, with or without /v1 and a slash at its
	// end; the vendor's own by default. A query stays part of every request.
	BaseURL string
	// Version is the anthropic-version header. By default it is that of the SDK
	// (2026-10-21), which has no sampling parameters any more: a request that
	// sets one (temperature, top_p, top_k) goes out as 2023-06-01.
	Version string
	// Betas are the values of the anthropic-beta header.
	Betas []string

	// Transport sends the requests; by default one of the client's own, which
	// ConnectTimeout and Proxy are for.
	Transport http.RoundTripper
	// Proxy chooses the proxy for a request, such as
	// [http.ProxyFromEnvironment]; none by default.
	Proxy func(*http.Request) (*url.URL, error)
	// ConnectTimeout bounds dial and TLS handshake, 10 s by default.
	ConnectTimeout time.Duration
	// FirstByteTimeout bounds the wait for the answer to begin, 5 m by default.
	FirstByteTimeout time.Duration
	// IdleTimeout bounds the wait for each further byte, 90 s by default. Time
	// in which the consumer does not read does not count.
	IdleTimeout time.Duration
	// LineBytes caps one event of an answer, 16 MiB by default.
	LineBytes int
	// MessageBytes caps a whole answer, 64 MiB by default.
	MessageBytes int

	// MaxTokens caps answers to requests that name no cap; 32,000 by default,
	// which every model the vendor still serves accepts.
	MaxTokens int
	// NoPromptCache leaves out the cache breakpoints that are set at the end of
	// the tools, of the system prompt and of the last two user messages.
	NoPromptCache bool
	// NoEagerInput leaves eager_input_streaming out of the tools: for servers
	// that refuse the member. With it a call's arguments stream as the model
	// writes them; they are validated here in either case.
	NoEagerInput bool
	// Extra members are added to every request body; those of a Request win,
	// and both win over what this package would have sent.
	Extra map[string]json.RawMessage
	// Headers are set on every request and win over those of the client.
	Headers map[string]string
}

const (
	// DefaultBaseURL is where requests go if [Config.BaseURL] is empty.
	DefaultBaseURL = "https://api.anthropic.com/v1"

	defaultMaxTokens    = 32_000
	defaultMessageBytes = 64 << 20
	// samplingVersion is the last API version that takes sampling parameters.
	samplingVersion = "2023-06-01"
)

func (c Config) withDefaults() Config {
	if c.MaxTokens <= 0 {
		c.MaxTokens = defaultMaxTokens
	}
	if c.MessageBytes <= 0 {
		c.MessageBytes = defaultMessageBytes
	}
	return c
}

// secrets returns what no error may show.
func (c Config) secrets(base wire.Base) []string {
	return append(append(wire.SecretHeaders(c.Headers), base.Secrets...), c.APIKey, c.AuthToken)
}
