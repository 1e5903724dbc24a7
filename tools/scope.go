package tools

import (
	"sync"

	"github.com/sourcegraph/conc"
)

// Scope is what the tools of one session share: their own state, and the
// background processes that must not outlive the session. Its methods may be
// called from any goroutine.
type Scope struct {
	mu     sync.Mutex
	values map[any]any
	held   map[*Hold]struct{}
	closed bool
}

// NewScope returns the scope of a new session.
func NewScope() *Scope {
	return &Scope{values: map[any]any{}, held: map[*Hold]struct{}{}}
}

// Value returns the state stored under key, made by create at the first call.
// Use a private type for key, as with a context.
func (s *Scope) Value(key any, create func() any) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.values[key]
	if !ok {
		v = create()
		s.values[key] = v
	}
	return v
}

// Hold is something running that belongs to a turn and must end with a cancel
// of that turn or with the session, whichever is first.
type Hold struct {
	turn string
	end  func()
	once sync.Once
}

// Keep registers end, which must stop the thing and return when it is gone. It
// is called at most once. On a closed scope it is called at once.
func (s *Scope) Keep(turn string, end func()) *Hold {
	h := &Hold{turn: turn, end: end}
	s.mu.Lock()
	closed := s.closed
	if !closed {
		s.held[h] = struct{}{}
	}
	s.mu.Unlock()
	if closed {
		h.stop()
	}
	return h
}

// Release forgets h without calling its end, because the thing ended by itself.
func (s *Scope) Release(h *Hold) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.held, h)
}

// EndTurn ends everything kept for turn and returns when it is gone. It blocks.
func (s *Scope) EndTurn(turn string) {
	s.endAll(func(h *Hold) bool { return h.turn == turn }, false)
}

// Close ends everything kept and returns when it is gone. It blocks.
func (s *Scope) Close() { s.endAll(func(*Hold) bool { return true }, true) }

func (s *Scope) endAll(which func(*Hold) bool, closing bool) {
	s.mu.Lock()
	s.closed = s.closed || closing
	var ending []*Hold
	for h := range s.held {
		if which(h) {
			ending = append(ending, h)
			delete(s.held, h)
		}
	}
	s.mu.Unlock()
	var wg conc.WaitGroup // what panics there panics here, in the caller's goroutine
	for _, h := range ending {
		wg.Go(h.stop)
	}
	wg.Wait()
}

func (h *Hold) stop() { h.once.Do(h.end) }
