package wire

import (
	"fmt"
	"net/http"

	"github.com/weir-agents/weir/provider"
)

// badBytes is what is quoted of an event that is no JSON.
const badBytes = 300

// located completes the failure of an answer whose head had come: e.Message,
// which may hold the server's words, gets what a person can do and where it
// happened.
func (c *Client) located(e *provider.Error, resp *http.Response) *provider.Error {
	e.Status, e.URL = resp.StatusCode, c.shown(resp.Request)
	size := wordsBytes
	if e.Kind == provider.BadJSON {
		size = badBytes
	}
	e.Message = fmt.Sprintf("%s%s (status %d, %s)", c.quote(e.Message, size), advice(e), e.Status, e.URL)
	return c.redacted(e)
}

// shown returns where req went. The address of a redirect is a server's words.
func (c *Client) shown(req *http.Request) string {
	at := ShownURL(req.URL)
	return c.secrets().redact(at, req.Response != nil)
}

// advice is what a person can do about the failure of a stream. What is tried
// again by itself says what to do if that does not help.
func advice(e *provider.Error) string {
	switch e.Kind {
	case provider.TruncatedStream:
		return "; if it goes on, look at the server's log and at the time limits of proxies on the way"
	case provider.IdleTimeout:
		return "; if the model needs longer, raise the idle timeout"
	case provider.FirstByteTimeout:
		return "; if the model needs longer, raise the first-byte timeout"
	case provider.EmptyResponse:
		return "; if it goes on, check that the server has the model and look at its log"
	case provider.BadJSON, provider.BadToolCall:
		return "; if it goes on, check that the server speaks this API, and that no proxy changes its answers"
	case provider.SplicedStream:
		return "; if it goes on, look for a proxy that mixes answers"
	case provider.NotAStream:
		return "; check the base URL, and that no proxy answers in the server's place"
	case provider.TooLarge:
		return "; ask for less at once"
	case provider.ProviderError:
		if e.Retryable {
			return ""
		}
		return "; asking the same again does not help"
	default: // kinds of no stream
		return ""
	}
}
