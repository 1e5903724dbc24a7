package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
)

// Bounds of what a session can take back; beyond them the oldest changes are
// forgotten.
const (
	historyMax      = 64 << 20 // bytes of content
	historyCountMax = 10_000
)

// Change is what a session has done to one file, from before its first change
// to after its last.
type Change struct {
	Path    string // absolute
	Name    string // as results call it
	Created bool
	Diff    string // unified; empty if the file is as it was
}

// past is one write.
type past struct {
	turn, path, name string
	before, after    []byte
	created          bool
}

// history is every write of a session, oldest first.
type history struct {
	mu    sync.Mutex
	list  []past
	bytes int
}

type historyKey struct{}

func historyOf(s *Scope) *history {
	return s.Value(historyKey{}, func() any { return &history{} }).(*history)
}

func (p *past) size() int { return len(p.before) + len(p.after) }

func (h *history) add(p past) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.list = append(h.list, p)
	h.bytes += p.size()
	for (h.bytes > historyMax || len(h.list) > historyCountMax) && len(h.list) > 1 {
		h.bytes -= h.list[0].size()
		h.list = h.list[1:]
	}
}

// last returns the newest write.
func (h *history) last() (past, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.list) == 0 {
		return past{}, false
	}
	return h.list[len(h.list)-1], true
}

func (h *history) drop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.bytes -= h.list[len(h.list)-1].size()
	h.list = h.list[:len(h.list)-1]
}

// Changes tells what the tools of a session have written, by file, in the
// order of their first changes. Making the diffs takes time; do not call it in
// a Receive.
func Changes(s *Scope) []Change {
	h := historyOf(s)
	h.mu.Lock()
	list := append([]past(nil), h.list...)
	h.mu.Unlock()
	var firsts []*past
	last := map[string][]byte{}
	for i := range list {
		if _, ok := last[list[i].path]; !ok {
			firsts = append(firsts, &list[i])
		}
		last[list[i].path] = list[i].after
	}
	changes := make([]Change, len(firsts))
	for i, p := range firsts {
		changes[i] = Change{Path: p.path, Name: p.name, Created: p.created, Diff: unified(p.name, p.before, last[p.path])}
	}
	return changes
}

// Undo takes back what the newest turn that wrote anything has written, newest
// first, and returns the names of the files. A file that has another content
// since is left alone: then the error names it, and it and what came before it
// stays. It writes to disk; do not call it in a Receive.
func (w *Workspace) Undo(ctx context.Context, s *Scope) ([]string, error) {
	h := historyOf(s)
	p, ok := h.last()
	if !ok {
		return nil, errors.New("nothing to undo: no file was written in this session")
	}
	var names []string
	for turn := p.turn; ok && p.turn == turn; p, ok = h.last() {
		if err := w.takeBack(ctx, s, p); err != nil {
			return names, fmt.Errorf("undo %s: %w", shown(p.name), err)
		}
		h.drop()
		names = append(names, p.name)
	}
	return names, nil
}

func (w *Workspace) takeBack(ctx context.Context, s *Scope, p past) error {
	c := &change{ws: w, path: p.path}
	return c.locked(ctx, func(dir *os.Root, name string) error {
		if err := c.read(dir, name); err != nil {
			return err
		}
		if c.place.Path != p.path || c.info == nil || !bytes.Equal(c.before, p.after) {
			return errors.New("changed since it was written; take it back by hand")
		}
		if p.created {
			seenOf(s).forget(p.path)
			return dir.Remove(name)
		}
		// What the model has seen is left as it was: it does not know of this, so
		// its next edit is told to read the file again.
		back := writing{dir: dir, name: name, old: c.info, content: p.before}
		return back.run()
	})
}
