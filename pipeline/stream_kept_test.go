package pipeline_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/anthropic"
	"github.com/weir-agents/weir/provider/openai"
	"github.com/weir-agents/weir/provider/sim"
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
			synctest.Test(t, func(t *testing.T) { keptAfterALateEnd(t, dialect, answers[dialect]) })
		})
	}
}

// keptAfterALateEnd runs in virtual time: no busy machine makes an end later.
func keptAfterALateEnd(t *testing.T, dialect, answer string) {
	pipe := sim.NewPipeListener()
	dialed := 0
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			t.Error(err)
		}
		if _, err := io.WriteString(w, answer); err != nil {
			t.Error(err)
		}
		w.(http.Flusher).Flush()
		time.Sleep(time.Millisecond) // the end is late
	})}
	go func() { _ = server.Serve(pipe) }() // ends with Close
	transport := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		dialed++
		return pipe.DialContext(ctx, network, address)
	}}
	var model provider.Provider
	var err error
	if dialect == "openai" {
		model, err = openai.New(openai.Config{BaseURL: "http://sim", Transport: transport})
	} else {
		model, err = anthropic.New(anthropic.Config{BaseURL: "http://sim", Transport: transport})
	}
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, model, pipeline.Config{ActorSystem: pipeline.NewActorSystem(), Compaction: pipeline.Compaction{Off: true}})
	for range 100 {
		if got := text(run(t, s, "go")); !strings.Contains(got, "Aye.") {
			t.Fatalf("got %q", got)
		}
	}
	if dialed > 2 {
		t.Errorf("%d connections for 100 turns", dialed)
	}
	s.Close()
	transport.CloseIdleConnections()
	_ = server.Close()
	time.Sleep(time.Minute) // virtual: timers end
}
