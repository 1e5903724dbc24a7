package tools

import (
	"os"
	"path/filepath"
	"sync"
)

// spillsMax bounds the spill files of a session; beyond it the oldest goes.
const spillsMax = 32

// spills are the files with long output of a session, oldest first.
type spills struct {
	mu    sync.Mutex
	paths []string
}

type spillsKey struct{}

// newSpill makes a file for long output, in a folder that the file tools may
// read, for this user only.
func (b *builtin) newSpill(scope *Scope, path string) (*os.File, error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := b.ws.allowRead(dir); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	s := scope.Value(spillsKey{}, func() any { return &spills{} }).(*spills)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.paths = append(s.paths, path); len(s.paths) > spillsMax {
		_ = os.Remove(s.paths[0]) // Somebody may have been quicker.
		s.paths = s.paths[1:]
	}
	return file, nil
}
