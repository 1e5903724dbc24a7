package anthropic

import (
	"testing"

	"github.com/weir-agents/weir/provider/streamtest"
)

func TestEveryRecordedStreamIsReadRight(t *testing.T) {
	for _, c := range streamtest.Cases(t, "../testdata/streams", "anthropic") {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			server := c.Serve(t)
			client := newClient(t, Config{BaseURL: server.URL, IdleTimeout: c.Idle()})
			c.Check(t, streamtest.Collect(t, client.Stream(t.Context(), streamtest.Request())))
			if n := server.Requests(); n != 1 {
				t.Errorf("%d requests, want one attempt", n)
			}
		})
	}
}
