// Package journal keeps the append-only record of sessions.
//
// A session hands over facts before anyone acts on them; a durable journal has
// them on disk when Append returns. This package holds the interface and the
// journal that lives in memory.
//
// It is a leaf: it imports nothing else of weir.
package journal

import (
	"context"
	"encoding/json"
	"iter"
	"sync"
	"time"
)

// Record is one fact of a session.
type Record struct {
	N    uint64 // from 1, by the session's own count; set by Append
	Kind string // what happened, such as message_kept
	Turn string // "" outside a turn
	At   time.Time
	Data json.RawMessage
}

// Journal keeps records by session. Its methods may be called from several
// goroutines, but one session has one writer.
type Journal interface {
	// Append adds records in order and returns when they are kept. It may block
	// on a disk, so nobody calls it in a Receive.
	Append(ctx context.Context, session string, records ...Record) error
	// Read yields the records of a session from number from on, oldest first.
	// A session that is not known yields nothing.
	Read(ctx context.Context, session string, from uint64) iter.Seq2[Record, error]
	// Durable reports whether kept records survive the process. Facts wait for
	// a durable journal; others are recorded beside the work.
	Durable() bool
}

// Memory is a journal that ends with the process. The zero value is ready.
type Memory struct {
	// AsDurable makes sessions wait for Append as for a disk. For tests.
	AsDurable bool

	mu       sync.Mutex
	sessions map[string][]Record
}

// Append implements Journal. It never fails.
func (m *Memory) Append(_ context.Context, session string, records ...Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.sessions == nil {
		m.sessions = map[string][]Record{}
	}
	for _, r := range records {
		r.N = uint64(len(m.sessions[session]) + 1)
		m.sessions[session] = append(m.sessions[session], r)
	}
	return nil
}

// Read implements Journal. It yields what was there when the loop began.
func (m *Memory) Read(ctx context.Context, session string, from uint64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		m.mu.Lock()
		records := m.sessions[session]
		m.mu.Unlock()
		for _, r := range records {
			if err := ctx.Err(); err != nil {
				yield(Record{}, err)
				return
			}
			if r.N >= from && !yield(r, nil) {
				return
			}
		}
	}
}

// Durable implements Journal.
func (m *Memory) Durable() bool { return m.AsDurable }
