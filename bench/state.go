package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/weir-agents/weir/provider/sim"
)

// state is what a simulated server says of itself.
type state struct {
	Written int64         // bytes of answers that its sockets have taken
	Open    int64         // answers on their way
	CPU     time.Duration // of its process
	// Held is for how long in all writes to a socket had to wait, of those that
	// waited for heldLeast, and HeldAt when the first of them since the last mark
	// began, on sim.Clock; 0 for none.
	Held   time.Duration
	HeldAt int64
}

const statePath = "/bench/state"

// heldLeast is how long a write to a socket must take to be one that waited for
// its reader.
const heldLeast = 5 * time.Millisecond

// holding is a listener whose connections note which writes had to wait.
type holding struct {
	net.Listener
	clock sim.Clock
	held  atomic.Int64
	at    atomic.Int64
}

// Accept implements net.Listener.
func (h *holding) Accept() (net.Conn, error) {
	c, err := h.Listener.Accept()
	return &heldConn{c, h}, err
}

type heldConn struct {
	net.Conn
	by *holding
}

func (c *heldConn) Write(p []byte) (int, error) {
	begun := time.Now()
	n, err := c.Conn.Write(p)
	if took := time.Since(begun); took >= heldLeast {
		c.by.held.Add(int64(took))
		c.by.at.CompareAndSwap(0, c.by.clock.At(begun))
	}
	return n, err
}

// watched is a simulated server that tells its state. A POST marks it: what is
// held from then on is counted anew.
func watched(server *sim.Server, h *holding) http.Handler {
	var open atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == statePath {
			if r.Method == http.MethodPost {
				h.held.Store(0)
				h.at.Store(0)
			}
			now := state{server.Written(), open.Load(), CPU(), time.Duration(h.held.Load()), h.at.Load()}
			_ = json.NewEncoder(w).Encode(now) // The reader may be gone.
			return
		}
		open.Add(1)
		defer open.Add(-1)
		server.ServeHTTP(w, r)
	})
}

// state asks a simulated server how it is.
func (u *Upstream) state(ctx context.Context) (s state, err error) {
	return u.tell(ctx, http.MethodGet)
}

// mark asks it too, and has it count anew what is held.
func (u *Upstream) mark(ctx context.Context) (s state, err error) {
	return u.tell(ctx, http.MethodPost)
}

func (u *Upstream) tell(ctx context.Context, method string) (s state, err error) {
	req, err := http.NewRequestWithContext(ctx, method, u.URL+statePath, nil)
	if err != nil {
		return s, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return s, err
	}
	defer func() { _ = res.Body.Close() }() // It is read to its end.
	if err := json.NewDecoder(res.Body).Decode(&s); err != nil {
		return s, fmt.Errorf("read the server's state: %w", err)
	}
	return s, nil
}

// serverCost returns what tells the processor time that the server has taken since,
// by so many tokens, in unit: its own floor. There is none of a server in this
// process, or of somebody else.
func (t Trial) serverCost(ctx context.Context, unit string, each time.Duration) (func(tokens float64) ([]Sample, error), error) {
	if !t.Server.apart {
		return func(float64) ([]Sample, error) { return nil, nil }, nil
	}
	before, err := t.Server.state(ctx)
	return func(tokens float64) ([]Sample, error) {
		after, err := t.Server.state(ctx)
		return []Sample{{Name: "server cpu", Unit: unit, Less: true, Value: float64(after.CPU-before.CPU) / float64(each) / max(1, tokens)}}, err
	}, err
}

// stillAfter is for how long a server must have written nothing to be called
// stuck, and look how often it is asked.
const (
	stillAfter = 50 * time.Millisecond
	lookEvery  = 2 * time.Millisecond
)

// still waits until the server writes no more, and returns when it last wrote
// and what it had written then. It gives up after most.
func (u *Upstream) still(ctx context.Context, most time.Duration) (last time.Time, at state, err error) {
	begun := time.Now()
	last = begun
	for {
		s, err := u.state(ctx)
		switch {
		case err != nil:
			return last, s, err
		case s.Written != at.Written:
			last, at = time.Now(), s
		case time.Since(last) > stillAfter:
			return last, at, nil
		case time.Since(begun) > most:
			return last, at, errors.New("the server writes although nobody reads")
		}
		wait(ctx, lookEvery)
	}
}

// free waits until the server answers nobody, and returns when that was seen.
func (u *Upstream) free(ctx context.Context, most time.Duration) (time.Time, error) {
	begun := time.Now()
	for {
		s, err := u.state(ctx)
		now := time.Now()
		switch {
		case err != nil:
			return now, err
		case s.Open == 0:
			return now, nil
		case now.Sub(begun) > most:
			return now, fmt.Errorf("%v after the end the server still answers", most)
		}
		wait(ctx, lookEvery/10)
	}
}
