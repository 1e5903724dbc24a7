package openai

import (
	"testing"

	"github.com/weir-agents/weir/provider/streamtest"
)

const corpus = "../testdata/streams"

func TestEveryRecordedStreamIsReadRight(t *testing.T) {
	for _, c := range streamtest.Cases(t, corpus, "openai") {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			server := c.Serve(t)
			client, err := New(Config{BaseURL: server.URL, IdleTimeout: c.Idle()})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(client.Close)
			c.Check(t, streamtest.Collect(t, client.Stream(t.Context(), streamtest.Request())))
			if n := server.Requests(); n != 1 {
				t.Errorf("%d requests, want one attempt", n)
			}
		})
	}
}
