package actors

import "sync"

// live carries the output of a call that runs to the executor. At most one
// CallOutput is on its way; what comes meanwhile waits here within LiveBytes,
// so a tool that floods never blocks and never fills a mailbox.
type live struct {
	ref   Ref
	send  func(text string)
	limit int

	mu      sync.Mutex
	waiting liveText
	sent    bool // one is on its way
	closed  bool
}

func (l *live) put(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || text == "" {
		return
	}
	l.waiting.add(text, l.limit)
	l.pass()
}

// taken says that the executor has the last piece.
func (l *live) taken() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent = false
	l.pass()
}

// pass sends what waits if nothing is on its way. The lock is held.
func (l *live) pass() {
	if l.sent || !l.waiting.any() {
		return
	}
	l.sent = true
	l.send(l.waiting.take())
}

// close sends the rest: the call has ended.
func (l *live) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.waiting.any() {
		l.send(l.waiting.take())
	}
}
