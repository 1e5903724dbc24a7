package streamtest

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"
)

// Server answers every request with the response of one case.
type Server struct {
	URL string // such as http://127.0.0.1:4711

	response []byte
	timing   Timing
	quit     chan struct{}
	lock     sync.Mutex
	requests int
	conns    map[net.Conn]bool
}

// Serve starts a server on loopback. It ends with the test.
func (c Case) Serve(t testing.TB) *Server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{
		URL: "http://" + l.Addr().String(), response: c.Response, timing: c.Timing,
		quit: make(chan struct{}), conns: map[net.Conn]bool{},
	}
	var served sync.WaitGroup
	served.Go(func() { s.accept(l, &served) })
	t.Cleanup(func() {
		close(s.quit)
		_ = l.Close()
		s.lock.Lock()
		for conn := range s.conns {
			_ = conn.Close()
		}
		s.lock.Unlock()
		served.Wait()
	})
	return s
}

// Requests returns how many requests have come: a case is one attempt.
func (s *Server) Requests() int {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.requests
}

func (s *Server) accept(l net.Listener, served *sync.WaitGroup) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		s.lock.Lock()
		s.conns[conn] = true
		s.lock.Unlock()
		served.Go(func() { s.play(conn.(*net.TCPConn)) })
	}
}

// play reads a request to its end, since a close before that would be a reset,
// and writes the response.
func (s *Server) play(conn *net.TCPConn) {
	defer func() { _ = conn.Close() }()
	req, err := http.ReadRequest(bufio.NewReader(conn))
	if err != nil {
		return
	}
	if _, err := io.Copy(io.Discard, req.Body); err != nil {
		return
	}
	s.lock.Lock()
	s.requests++
	s.lock.Unlock()
	if s.write(conn) != nil {
		return
	}
	switch s.timing.End {
	case "reset":
		s.wait(50)
		_ = conn.SetLinger(0)
	case "hold":
		deadline := time.Now().Add(time.Duration(s.timing.HoldMS) * time.Millisecond)
		_ = conn.SetReadDeadline(deadline)
		_, _ = conn.Read(make([]byte, 1)) // until the client closes
	}
}

var errQuit = errors.New("the test is over")

func (s *Server) write(conn net.Conn) error {
	at := 0
	for _, seg := range s.timing.Segments {
		if _, err := conn.Write(s.response[at:seg.Upto]); err != nil {
			return err
		}
		at = seg.Upto
		if !s.wait(seg.ThenMS) {
			return errQuit
		}
	}
	_, err := conn.Write(s.response[at:])
	return err
}

// wait waits for ms, less if the test ends.
func (s *Server) wait(ms int) bool {
	select {
	case <-time.After(time.Duration(ms) * time.Millisecond):
		return true
	case <-s.quit:
		return false
	}
}
