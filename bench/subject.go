package bench

import (
	"context"
	"net/http"
)

// Subject is one way to read a streamed answer.
type Subject struct {
	Name string
	// Open makes a client of the server at url, whose connections it makes by
	// transport.
	Open func(url string, transport http.RoundTripper) (Client, error)
}

// Client is what all sessions of a subject share.
type Client interface {
	Session() (Session, error)
	Close()
}

// Session asks one question after another.
type Session interface {
	// Read asks once and gives every piece of the answer to take, in order; the
	// text is good until take returns. When take returns false Read leaves.
	Read(ctx context.Context, take func(text string) bool) error
	Close()
}

// Subjects are all there are, the floor first.
func Subjects() []Subject {
	return []Subject{
		{"floor", openFloor},
		{"adapter", openAdapter},
		{"weir", openWeir},
		{"channels", openChannels},
		{"unbounded", openUnbounded},
		{"bounded", openBounded},
		{"openai-go", openSDK},
	}
}

// Transport returns connections for streams at once: all are kept.
func Transport(streams int) *http.Transport {
	return &http.Transport{MaxIdleConns: streams, MaxIdleConnsPerHost: streams, DisableCompression: true}
}

// question is what everybody asks.
const (
	model    = "lighthouse-1"
	question = "What is on the rock?"
)
