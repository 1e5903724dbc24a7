package anthropic

import (
	"io"
	"net/http"
	"testing"

	"github.com/weir-agents/weir/provider/streamtest"
)

// I3: the arguments of a large call are in memory once.
func TestALargeCallIsHeldOnce(t *testing.T) {
	c := newClient(t, Config{Transport: roundTrip(func(req *http.Request) (*http.Response, error) {
		body := io.NopCloser(streamtest.LargeCallBody("anthropic"))
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Request: req, Body: body}, nil
	})})
	streamtest.CheckLargeCall(t, c.Stream(t.Context(), streamtest.Request()))
}
