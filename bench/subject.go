package bench

import (
	"context"
	"net/http"
	"strings"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/openai"
)

// Subject is one way to read a streamed answer.
type Subject struct {
	Name string
	// Raw subjects read HTTP themselves and cannot take a Source's Provider.
	Raw bool
	// Open makes a client of src.
	Open func(src Source) (Client, error)
}

// Source is where answers come from.
type Source struct {
	// URL is a server's, its connections made by Transport.
	URL       string
	Transport http.RoundTripper
	// Model and Key go with every request; without a Model it is the script's.
	Model, Key string
	// Provider is asked in the place of a server, if it is not nil.
	Provider provider.Provider
}

// model returns src as a provider.
func (src Source) model() (provider.Provider, error) {
	if src.Provider != nil {
		return src.Provider, nil
	}
	return openai.New(openai.Config{BaseURL: src.URL, APIKey: src.Key, Transport: src.Transport})
}

// modelName is whom to ask.
func (src Source) modelName() string {
	if src.Model == "" {
		return "lighthouse-1"
	}
	return src.Model
}

// base is the address that the dialect's paths stand behind.
func (src Source) base() string {
	base := strings.TrimRight(src.URL, "/")
	if last := base[strings.LastIndexByte(base, '/')+1:]; len(last) > 1 && last[0] == 'v' && last[1] >= '0' && last[1] <= '9' {
		return base
	}
	return base + "/v1"
}

// close closes the connections that are idle.
func (src Source) close() { (&http.Client{Transport: src.Transport}).CloseIdleConnections() }

// Client is what all sessions of a subject share.
type Client interface {
	Session() (Session, error)
	Close()
}

// Session asks one question after another.
type Session interface {
	// Read asks a question and gives every piece of the answer to take, in order; the text is good until take returns. When take
	// returns false Read leaves.
	Read(ctx context.Context, question string, take func(text string) bool) error
	Close()
}

// stateless is the session of a subject that keeps nothing between questions.
type stateless func(ctx context.Context, question string, take func(text string) bool) error

// Read implements Session.
func (s stateless) Read(ctx context.Context, question string, take func(text string) bool) error {
	return s(ctx, question, take)
}

// Close implements Session. There is nothing to close but the client.
func (stateless) Close() {}

// Subjects are all there are, the floor first.
func Subjects() []Subject {
	return []Subject{
		{"floor", true, openFloor},
		{"adapter", false, openAdapter},
		{"weir", false, openWeir},
		{"channels", false, openChannels},
		{"unbounded", false, openUnbounded},
		{"bounded", false, openBounded},
		{"openai-go", true, openSDK},
	}
}

// Transport returns connections for streams at once: all are kept.
func Transport(streams int) *http.Transport {
	return &http.Transport{MaxIdleConns: streams, MaxIdleConnsPerHost: streams, DisableCompression: true}
}

// plain is what everybody asks where it does not matter.
const plain = "What is on the rock?"
