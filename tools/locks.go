package tools

import (
	"context"
	"sync"
)

// fileLocks lets one call at a time write to a file.
type fileLocks struct {
	mu   sync.Mutex
	held map[string]*fileLock
}

type fileLock struct {
	free  chan struct{} // holds one value while the lock is free
	users int
}

// lock waits for the file of that real path, or for ctx. The caller calls
// unlock exactly once.
func (l *fileLocks) lock(ctx context.Context, path string) (unlock func(), err error) {
	l.mu.Lock()
	f := l.held[path]
	if f == nil {
		f = &fileLock{free: make(chan struct{}, 1)}
		f.free <- struct{}{}
		l.held[path] = f
	}
	f.users++
	l.mu.Unlock()
	select {
	case <-f.free:
		return func() { f.free <- struct{}{}; l.leave(path, f) }, nil
	case <-ctx.Done():
		l.leave(path, f)
		return nil, context.Cause(ctx)
	}
}

func (l *fileLocks) leave(path string, f *fileLock) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if f.users--; f.users == 0 {
		delete(l.held, path)
	}
}
