package openai

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/sim"
	"github.com/weir-agents/weir/provider/streamtest"
)

const aye = `data: {"choices":[{"index":0,"delta":{"content":"Aye."}}]}` + "\n\n"

// inBubble runs test in a bubble of virtual time, with a client whose server
// is h, over connections in memory.
func inBubble(t *testing.T, c Config, h http.HandlerFunc, test func(t *testing.T, c *Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		pipe := sim.NewPipeListener()
		var served sync.WaitGroup
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			served.Add(1)
			defer served.Done()
			_, _ = io.Copy(io.Discard, r.Body) // only then does a server see a client go
			h(w, r)
		})}
		served.Go(func() { _ = server.Serve(pipe) })
		c.BaseURL = "http://sim"
		c.Transport = &http.Transport{DialContext: pipe.DialContext}
		client := client(t, c)
		test(t, client)
		client.Close()
		_ = server.Close()
		served.Wait()
	})
}

func say(w http.ResponseWriter, text string) {
	_, _ = io.WriteString(w, text)
	w.(http.Flusher).Flush()
}

func TestAServerThatDoesNotAnswerIsGivenUp(t *testing.T) {
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	inBubble(t, Config{}, hang, func(t *testing.T, c *Client) {
		o := send(t, c)
		e := provider.AsError(o.Err)
		if e.Kind != provider.FirstByteTimeout || !e.Retryable || o.Took != 5*time.Minute {
			t.Errorf("after %v: %+v", o.Took, e)
		}
	})
}

// A server may send the head of its answer before it has read a long prompt:
// the idle timeout is for what comes after the first byte.
func TestAHeadAloneIsNoFirstByte(t *testing.T) {
	for _, wait := range []time.Duration{4 * time.Minute, 6 * time.Minute} {
		head := func(w http.ResponseWriter, r *http.Request) {
			say(w, "")
			select {
			case <-time.After(wait):
				say(w, aye+finished)
			case <-r.Context().Done():
			}
		}
		inBubble(t, Config{}, head, func(t *testing.T, c *Client) {
			o := send(t, c)
			if wait < 5*time.Minute {
				if o.Err != nil || o.Took != wait {
					t.Errorf("after %v: %+v", o.Took, o)
				}
				return
			}
			if e := provider.AsError(o.Err); e.Kind != provider.FirstByteTimeout || !e.Retryable || o.Took != 5*time.Minute {
				t.Errorf("after %v: %+v", o.Took, e)
			}
		})
	}
}

func TestSilenceWithinAnAnswerIsGivenUp(t *testing.T) {
	stall := func(w http.ResponseWriter, r *http.Request) {
		say(w, aye)
		time.Sleep(time.Minute)
		say(w, ": a byte is a byte\n\n")
		<-r.Context().Done()
	}
	inBubble(t, Config{}, stall, func(t *testing.T, c *Client) {
		o := send(t, c)
		e := provider.AsError(o.Err)
		if e.Kind != provider.IdleTimeout || !e.Retryable || o.Took != time.Minute+90*time.Second || o.Text != "Aye." {
			t.Errorf("after %v: %q, %+v", o.Took, o.Text, e)
		}
	})
}

func TestTheReadersTimeIsNotTheServers(t *testing.T) {
	slow := func(w http.ResponseWriter, _ *http.Request) {
		for range 3 {
			say(w, aye)
			time.Sleep(80 * time.Second)
		}
		say(w, finished)
	}
	inBubble(t, Config{}, slow, func(t *testing.T, c *Client) {
		text := ""
		for d, err := range c.Stream(t.Context(), streamtest.Request()) {
			if err != nil {
				t.Fatal(err)
			}
			text += d.Text
			time.Sleep(time.Hour)
		}
		if text != "Aye.Aye.Aye.Aye." {
			t.Errorf("got %q", text)
		}
	})
}

func TestAfterAFinishReasonTwoSecondsAreEnough(t *testing.T) {
	beats := func(w http.ResponseWriter, r *http.Request) {
		say(w, aye+`data: {"choices":[{"delta":{},"finish_reason":"stop"}]}`+"\n\n")
		for r.Context().Err() == nil {
			time.Sleep(300 * time.Millisecond)
			say(w, ": still here\n\n")
		}
	}
	inBubble(t, Config{}, beats, func(t *testing.T, c *Client) {
		o := send(t, c)
		if o.Err != nil || o.Stop != provider.StopEnd || o.Took != 2*time.Second {
			t.Errorf("after %v: %+v", o.Took, o)
		}
	})
}

func TestAReaderThatWaitsDoesNotUseUpTheTwoSeconds(t *testing.T) {
	late := func(w http.ResponseWriter, _ *http.Request) {
		say(w, `data: {"choices":[{"delta":{"content":"Aye."},"finish_reason":"stop"}]}`+"\n\n")
		time.Sleep(time.Second)
		say(w, `data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":1}}`+"\n\n")
		time.Sleep(1500 * time.Millisecond)
		say(w, "data: [DONE]\n\n")
	}
	inBubble(t, Config{}, late, func(t *testing.T, c *Client) {
		var usage *provider.Usage
		for d, err := range c.Stream(t.Context(), streamtest.Request()) {
			if err != nil {
				t.Fatal(err)
			}
			usage = d.Usage
			time.Sleep(time.Minute)
		}
		if usage == nil || usage.Input != 3 {
			t.Errorf("usage %+v", usage)
		}
	})
}

func TestNobodyWaitsForTheDrain(t *testing.T) {
	tail := func(w http.ResponseWriter, r *http.Request) {
		say(w, finished)
		for r.Context().Err() == nil { // a server that never ends
			say(w, ": more\n\n")
			time.Sleep(time.Millisecond)
		}
	}
	inBubble(t, Config{}, tail, func(t *testing.T, c *Client) {
		if o := send(t, c); o.Err != nil || o.Took != 0 {
			t.Errorf("after %v: %+v", o.Took, o)
		}
		// The bubble ends only if the drain does.
	})
}

func TestADialThatHangsIsUnreachable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := func(ctx context.Context, _, _ string) (net.Conn, error) {
			ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
			defer cancel()
			<-ctx.Done()
			return nil, errors.New("dial: i/o timeout")
		}
		c := client(t, Config{BaseURL: "http://sim", Transport: &http.Transport{DialContext: hang}})
		o := send(t, c)
		e := provider.AsError(o.Err)
		if e.Kind != provider.Unreachable || !e.Retryable || o.Took != 10*time.Second {
			t.Errorf("after %v: %+v", o.Took, e)
		}
	})
}

func TestARefusalThatNeverEndsIsReadForTwoSeconds(t *testing.T) {
	drip := func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
		say(w, "Overloaded")
		<-r.Context().Done()
	}
	inBubble(t, Config{}, drip, func(t *testing.T, c *Client) {
		o := send(t, c)
		if e := provider.AsError(o.Err); e.Status != 503 || o.Took != 2*time.Second {
			t.Errorf("after %v: %+v", o.Took, e)
		}
	})
}
