package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strings"

	"github.com/weir-agents/weir/provider/script"
	"github.com/weir-agents/weir/provider/sim"
)

// Upstream is a simulated model server that plays one script.
type Upstream struct {
	URL   string
	apart bool // in a process of its own
	end   func() error
	again func() (*Upstream, error) // another one like it
}

// Close ends the server.
func (u *Upstream) Close() error { return u.end() }

// order is what a server in a process of its own is told on its standard input.
type order struct {
	Script string
	Config sim.Config
}

// Start starts a server in a process of its own: self is a command that calls
// [Serve]. It ends with Close, or with this process.
func Start(self []string, src string, cfg sim.Config) (*Upstream, error) {
	if len(self) == 0 {
		return nil, errors.New("start the simulated server: no command given that serves")
	}
	cmd := exec.Command(self[0], self[1:]...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start the simulated server: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start the simulated server: %w", err)
	}
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the simulated server: %w", err)
	}
	end := func() error {
		_ = in.Close() // It ends when its standard input does.
		return cmd.Wait()
	}
	err = json.NewEncoder(in).Encode(order{src, cfg})
	line, readErr := bufio.NewReader(out).ReadString('\n')
	if err = errors.Join(err, readErr); err != nil {
		return nil, fmt.Errorf("start the simulated server: %w", errors.Join(err, end(), errors.New(said.String())))
	}
	return &Upstream{
		URL: strings.TrimSpace(line), apart: true, end: end,
		again: func() (*Upstream, error) { return Start(self, src, cfg) },
	}, nil
}

// Serve is the other side of [Start]: it reads from in what to play, writes its
// address to out, and serves until in ends.
func Serve(in io.Reader, out io.Writer) error {
	var o order
	r := json.NewDecoder(in)
	if err := r.Decode(&o); err != nil {
		return fmt.Errorf("read what to serve: %w", err)
	}
	u, err := StartHere(o.Script, o.Config)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(out, u.URL); err != nil {
		return errors.Join(err, u.Close())
	}
	_, err = io.Copy(io.Discard, in)
	return errors.Join(err, u.Close())
}

// StartHere starts a server in this process, for tests; its cost is then in
// what is measured.
func StartHere(src string, cfg sim.Config) (*Upstream, error) {
	s, err := script.Parse([]byte(src))
	if err != nil {
		return nil, err
	}
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the simulated server: %w", err)
	}
	h := &holding{Listener: l, clock: sim.NewClock()}
	server := &http.Server{Handler: watched(sim.New(s, cfg), h)}
	served := make(chan error, 1)
	// Ends with Close.
	go func() { served <- server.Serve(h) }()
	end := func() error {
		err := server.Close()
		if s := <-served; !errors.Is(s, http.ErrServerClosed) {
			err = errors.Join(err, s)
		}
		return err
	}
	return &Upstream{
		URL: "http://" + l.Addr().String(), end: end,
		again: func() (*Upstream, error) { return StartHere(src, cfg) },
	}, nil
}
