package sim_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weir-agents/weir/provider/script"
	"github.com/weir-agents/weir/provider/sim"
)

// bubble starts a server on a pipe inside a synctest bubble. The server and
// all connections have ended when the returned function has.
func bubble(t *testing.T, s script.Script) (server *sim.Server, get func(ctx context.Context, path, body string) (*http.Response, error), end func()) {
	l := sim.NewPipeListener()
	server = sim.New(s, sim.Config{})
	h := &http.Server{Handler: server}
	go func() { _ = h.Serve(l) }() // Ends with Close.
	transport := &http.Transport{DialContext: l.DialContext}
	get = func(ctx context.Context, path, body string) (*http.Response, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://sim"+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Anthropic-Version", "2023-06-01")
		return transport.RoundTrip(req)
	}
	return server, get, func() {
		transport.CloseIdleConnections()
		_ = h.Close()
	}
}

func TestPacingIsExactInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := one(script.Text{Text: "one two three"})
		s.First, s.Gap = 2*time.Second, 50*time.Millisecond
		_, get, end := bubble(t, s)
		defer end()
		for path, ask := range dialects {
			begin := time.Now()
			resp, err := get(t.Context(), path, fmt.Sprintf(ask, true))
			if err != nil {
				t.Fatal(err)
			}
			if got := time.Since(begin); got != 2*time.Second {
				t.Errorf("%s: headers after %v", path, got)
			}
			in := bufio.NewReader(resp.Body)
			for _, word := range []string{"one", "two", "three"} {
				for line := ""; !strings.Contains(line, word); {
					if line, err = in.ReadString('\n'); err != nil {
						t.Fatal(err)
					}
				}
			}
			if got := time.Since(begin); got != 2100*time.Millisecond {
				t.Errorf("%s: the last token after %v", path, got)
			}
			if _, err := io.Copy(io.Discard, in); err != nil {
				t.Error(err)
			}
			resp.Body.Close()
		}
	})
}

// A client that stops reading makes an answer late, but no later than it was
// itself: the schedule is one of moments, not of gaps.
func TestLatenessDoesNotAddUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const words = 1000
		s := one(script.Text{Pieces: []script.Piece{script.Repeat{Text: " word", Bytes: 5 * words}}})
		s.Gap = 10 * time.Millisecond
		_, get, end := bubble(t, s)
		defer end()
		begin := time.Now()
		resp, err := get(t.Context(), "/v1/chat/completions", fmt.Sprintf(dialects["/v1/chat/completions"], true))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		time.Sleep(5 * time.Second) // The pipe holds little: the server is stuck in its second frame.
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			t.Fatal(err)
		}
		if got := time.Since(begin); got != (words-1)*s.Gap {
			t.Errorf("the answer took %v, its script %v", got, (words-1)*s.Gap)
		}
	})
}

func TestWritesBlockWhileTheClientDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const size = 5 << 20
		s := one(script.Text{Pieces: []script.Piece{script.Repeat{Text: "lorem ipsum ", Bytes: size}}})
		s.Split = 4000
		server, get, end := bubble(t, s)
		defer end()
		resp, err := get(t.Context(), "/chat/completions", fmt.Sprintf(askOpenAI, true))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		synctest.Wait()
		first := server.Written()
		<-time.After(time.Hour) // of the bubble
		if now := server.Written(); now != first || now > 64<<10 {
			t.Errorf("%d bytes written, then %d", first, now)
		}
		n, err := io.Copy(io.Discard, resp.Body)
		if err != nil || n < size || server.Written() != n {
			t.Errorf("read %d of %d, %v", n, server.Written(), err)
		}
	})
}

func TestWaitsEndWhenTheClientGoes(t *testing.T) {
	for name, b := range map[string]script.Block{
		"gate": script.Gate("g"), "stall": script.Fault{Kind: script.Stall}, "wait": script.Wait(24 * time.Hour),
	} {
		for _, text := range []string{"", "a"} {
			synctest.Test(t, func(t *testing.T) {
				_, get, end := bubble(t, one(script.Text{Text: text}, b))
				ctx, cancel := context.WithCancel(t.Context())
				begin := time.Now()
				go func() { <-time.After(time.Second); cancel() }() // Ends after a second of the bubble's.
				resp, err := get(ctx, "/v1/messages", fmt.Sprintf(askAnthropic, true))
				if err == nil {
					_, err = io.Copy(io.Discard, resp.Body)
					resp.Body.Close()
				}
				if !errors.Is(err, context.Canceled) || time.Since(begin) != time.Second {
					t.Errorf("%s after %q: %v after %v", name, text, err, time.Since(begin))
				}
				synctest.Wait()
				end() // The bubble fails if the handler is still there.
			})
		}
	}
}

func TestAResetOverAPipeIsABrokenBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, get, end := bubble(t, one(script.Text{Text: "a"}, script.Fault{Kind: script.Reset}))
		defer end()
		resp, err := get(t.Context(), "/chat/completions", fmt.Sprintf(askOpenAI, true))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if body, err := io.ReadAll(resp.Body); !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(string(body), `"a"`) {
			t.Errorf("%q, %v", body, err)
		}
	})
}

func TestAClosedPipeListenerTakesNoConnections(t *testing.T) {
	l := sim.NewPipeListener()
	_ = l.Close()
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
	if _, err := l.DialContext(t.Context(), "tcp", "sim:80"); !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := sim.NewPipeListener().DialContext(ctx, "tcp", "sim:80"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	var _ net.Listener = l
}
