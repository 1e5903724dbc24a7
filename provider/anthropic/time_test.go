package anthropic

import (
	"context"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weir-agents/weir/provider"
)

// slow is a transport whose answers are written by the test. A request whose
// context ends breaks its answer, as a connection would.
type slow chan *io.PipeWriter

func (s slow) RoundTrip(req *http.Request) (*http.Response, error) {
	r, w := io.Pipe()
	context.AfterFunc(req.Context(), func() { w.CloseWithError(context.Cause(req.Context())) })
	s <- w
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: r, Request: req}, nil
}

// writing starts a client whose server runs write for its one answer.
func writing(t *testing.T, write func(w io.Writer)) *Client {
	t.Helper()
	transport := make(slow, 1)
	c, err := New(Config{Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { <-done })
	// Ends with the answer; the cleanup waits for it.
	go func() {
		defer close(done)
		write(<-transport)
	}()
	return c
}

func TestSilenceEndsAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := writing(t, func(w io.Writer) { io.WriteString(w, stream(start, textEvent("x"))) })
		begun := time.Now()
		got, err := ask(t, c, provider.Request{})
		wantOutcome(t, got, outcome{Blocks: []provider.Block{provider.Text{Text: "x"}}, Kind: provider.IdleTimeout})
		if waited := time.Since(begun); waited != 90*time.Second {
			t.Errorf("waited %v", waited)
		}
		if e := provider.AsError(err); !e.Retryable || e.Usage == nil || e.Usage.Input != 3 {
			t.Errorf("%+v", e)
		}
	})
}

func TestAReadersTimeIsNotSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := writing(t, func(w io.Writer) {
			io.WriteString(w, stream(start, textEvent("x")))
			io.WriteString(w, stream(textEvent("y"), because("end_turn"), stopped))
		})
		words := ""
		for d, err := range c.Stream(t.Context(), provider.Request{Model: "m"}) {
			if err != nil {
				t.Fatal(err)
			}
			words += d.Text
			time.Sleep(time.Hour) // virtual: the consumer reads a newspaper
		}
		if words != "xy" {
			t.Errorf("%q", words)
		}
	})
}

func TestAfterAStopReasonTwoSecondsAreEnough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := writing(t, func(w io.Writer) {
			io.WriteString(w, stream(start, textEvent("x"), because("end_turn")))
			for range 10 {
				time.Sleep(500 * time.Millisecond) // heartbeats prolong nothing
				if _, err := io.WriteString(w, stream(`{"type":"ping"}`)); err != nil {
					return
				}
			}
		})
		begun := time.Now()
		got, _ := ask(t, c, provider.Request{})
		wantOutcome(t, got, outcome{Blocks: []provider.Block{provider.Text{Text: "x"}}, Stop: provider.StopEnd, Usage: told})
		if waited := time.Since(begun); waited > 2*time.Second {
			t.Errorf("waited %v", waited)
		}
	})
}

func TestMessageStopEndsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := writing(t, func(w io.Writer) {
			io.WriteString(w, stream(start, textEvent("x"), because("end_turn"), stopped))
			// The connection is held open.
		})
		begun := time.Now()
		got, _ := ask(t, c, provider.Request{})
		wantOutcome(t, got, outcome{Blocks: []provider.Block{provider.Text{Text: "x"}}, Stop: provider.StopEnd, Usage: told})
		if waited := time.Since(begun); waited != 0 {
			t.Errorf("waited %v", waited)
		}
		time.Sleep(time.Second) // virtual: what is left is drained for a moment
	})
}

func TestACancelEndsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := writing(t, func(w io.Writer) { io.WriteString(w, stream(start)) })
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		for _, err := range c.Stream(ctx, provider.Request{Model: "m"}) {
			if err != context.DeadlineExceeded {
				t.Errorf("%v", err)
			}
		}
	})
}
