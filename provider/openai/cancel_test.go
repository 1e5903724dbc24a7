package openai

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/sim"
	"github.com/weir-agents/weir/provider/streamtest"
)

// line is a connection that counts while it is open.
type line struct {
	net.Conn
	open *atomic.Int32
	once sync.Once
}

func (l *line) Close() error {
	l.once.Do(func() { l.open.Add(-1) })
	return l.Conn.Close()
}

// harborside is a server and the lines to it, in a bubble of virtual time.
type harborside struct {
	client *Client
	dials  atomic.Int32
	open   atomic.Int32
}

// inHarbor runs test with a client whose server is h; without one every dial
// hangs until it is given up. The bubble ends only if all that it began does.
func inHarbor(t *testing.T, h http.HandlerFunc, test func(t *testing.T, s *harborside)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &harborside{}
		pipe := sim.NewPipeListener()
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // only then does a server see a client go
			h(w, r)
		})}
		var serving sync.WaitGroup
		serving.Go(func() { _ = server.Serve(pipe) })
		dial := func(ctx context.Context, network, address string) (net.Conn, error) {
			s.dials.Add(1)
			if h == nil {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			conn, err := pipe.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			s.open.Add(1)
			return &line{Conn: conn, open: &s.open}, nil
		}
		s.client = client(t, Config{BaseURL: "http://sim", Transport: &http.Transport{DialContext: dial}})
		test(t, s)
		s.client.Close()
		_ = server.Close()
		serving.Wait()
	})
}

func hang(r *http.Request) { <-r.Context().Done() }

const ended = `data: {"choices":[{"delta":{"content":"Aye."},"finish_reason":"stop"}]}` + "\n\n"

// A context that ends, in whatever phase of a request, ends the stream at once
// with its error and closes the connection, which the server sees.
func TestACancelEndsEveryPhaseAtOnce(t *testing.T) {
	phases := map[string]struct {
		serve http.HandlerFunc
		text  string // what had come
	}{
		"connect":   {nil, ""},
		"head":      {func(_ http.ResponseWriter, r *http.Request) { hang(r) }, ""},
		"first":     {func(w http.ResponseWriter, r *http.Request) { say(w, ""); hang(r) }, ""},
		"alive":     {func(w http.ResponseWriter, r *http.Request) { say(w, ": x\n\n"); hang(r) }, ""},
		"within":    {func(w http.ResponseWriter, r *http.Request) { say(w, aye); hang(r) }, "Aye."},
		"an event":  {func(w http.ResponseWriter, r *http.Request) { say(w, aye+"data: {"); hang(r) }, "Aye."},
		"an object": {func(w http.ResponseWriter, r *http.Request) { say(w, `{"choices":[`); hang(r) }, ""},
		"finished":  {func(w http.ResponseWriter, r *http.Request) { say(w, ended); hang(r) }, "Aye."},
		"refusal": {func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusServiceUnavailable)
			say(w, "Over")
			hang(r)
		}, ""},
	}
	for name, phase := range phases {
		for ending, why := range map[string]error{"cancel": context.Canceled, "deadline": context.DeadlineExceeded} {
			t.Run(name+"/"+ending, func(t *testing.T) {
				inHarbor(t, phase.serve, func(t *testing.T, s *harborside) {
					ctx, cancel := context.WithTimeout(t.Context(), time.Second)
					if ending == "cancel" {
						ctx, cancel = context.WithCancel(t.Context())
						time.AfterFunc(time.Second, cancel)
					}
					defer cancel()
					o := streamtest.Collect(t, s.client.Stream(ctx, streamtest.Request()))
					if !errors.Is(o.Err, why) || o.Text != phase.text || o.Took != time.Second {
						t.Errorf("after %v: %q, %v", o.Took, o.Text, o.Err)
					}
					synctest.Wait()
					if n := s.open.Load(); n != 0 {
						t.Errorf("%d connections are open", n)
					}
				})
			})
		}
	}
}

// A context that ended before costs no connection, and one that ends right
// behind the answer does not take the connection away.
func TestACancelBeforeOrAfterAnAnswerCostsNoConnection(t *testing.T) {
	serve := func(w http.ResponseWriter, _ *http.Request) {
		say(w, ended+"data: [DONE]\n\n")
		time.Sleep(time.Millisecond) // the end of the body comes after the answer's
	}
	inHarbor(t, serve, func(t *testing.T, s *harborside) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if o := streamtest.Collect(t, s.client.Stream(ctx, streamtest.Request())); !errors.Is(o.Err, context.Canceled) || s.dials.Load() != 0 {
			t.Errorf("canceled before: %d dials, %v", s.dials.Load(), o.Err)
		}
		for range 3 {
			ctx, cancel := context.WithCancel(t.Context())
			for d, err := range s.client.Stream(ctx, streamtest.Request()) {
				if err != nil {
					t.Error(err)
				}
				if d.Kind == provider.FinishDelta {
					cancel()
				}
			}
			cancel()
			time.Sleep(time.Second)
		}
		if dials, open := s.dials.Load(), s.open.Load(); dials != 1 || open != 1 {
			t.Errorf("three answers took %d connections, %d are open", dials, open)
		}
	})
}
