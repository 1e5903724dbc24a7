package pipeline_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weir-agents/weir/pipeline"
)

// A server that ends its answer a little after its last event keeps its
// connection all the same: the turn does not wait for that end, and its own end
// does not cut it off.
func TestConnectionsAreKeptAfterALateEnd(t *testing.T) {
	answers := map[string]string{
		"openai": `data: {"choices":[{"index":0,"delta":{"content":"Aye."},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n",
		"anthropic": `data: {"type":"message_start","message":{"id":"m","usage":{"input_tokens":1}}}` + "\n\n" +
			`data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Aye."}}` + "\n\n" +
			`data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n",
	}
	for _, dialect := range dialects {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			var dialed atomic.Int32
			ended := make(chan struct{}, 100)
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if _, err := io.Copy(io.Discard, r.Body); err != nil {
					t.Error(err)
				}
				if _, err := io.WriteString(w, answers[dialect]); err != nil {
					t.Error(err)
				}
				w.(http.Flusher).Flush()
				<-time.After(2 * time.Millisecond) // the end is late
				ended <- struct{}{}
			}))
			server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
				if s == http.StateNew {
					dialed.Add(1)
				}
			}
			server.Start()
			t.Cleanup(server.Close)
			u := &upstream{http: server}
			s := open(t, u.client(t, dialect), pipeline.Config{Compaction: pipeline.Compaction{Off: true}})
			for range 50 {
				if got := text(run(t, s, "go")); !strings.Contains(got, "Aye.") {
					t.Fatalf("got %q", got)
				}
				<-ended
				<-time.After(5 * time.Millisecond) // a tool or a person takes longer
			}
			// A busy machine may be late now and then; cut drains lose all of them.
			if n := dialed.Load(); n > 5 {
				t.Errorf("%d connections for 50 turns", n)
			}
		})
	}
}
