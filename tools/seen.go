package tools

import (
	"crypto/sha256"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"
)

// Bounds of what a session remembers of the files it has read.
const (
	seenMax   = 4096     // files; beyond it any is forgotten, and may then be edited unread
	hashedMax = 16 << 20 // bytes; a larger file is told by size and time alone
)

// seen is what the tools of a session have read, by real path.
type seen struct {
	mu    sync.Mutex
	files map[string]stamp
}

type seenKey struct{}

func seenOf(s *Scope) *seen {
	return s.Value(seenKey{}, func() any { return &seen{files: map[string]stamp{}} }).(*seen)
}

// stamp tells one content of a file from another.
type stamp struct {
	size    int64
	changed time.Time
	hash    [sha256.Size]byte
	hashed  bool
}

// stampOf describes a file of the given content; nil content is not hashed
// unless the file is empty.
func stampOf(info fs.FileInfo, content []byte) *stamp {
	s := &stamp{size: info.Size(), changed: info.ModTime()}
	if content != nil || s.size == 0 {
		s.hash, s.hashed = sha256.Sum256(content), true
	}
	return s
}

// stampFile reads file again to describe it, unless it is large.
func stampFile(file *os.File, info fs.FileInfo) *stamp {
	s := stampOf(info, nil)
	if s.size == 0 || s.size > hashedMax {
		return s
	}
	h := sha256.New()
	if n, err := io.Copy(h, io.NewSectionReader(file, 0, s.size)); err == nil && n == s.size {
		h.Sum(s.hash[:0])
		s.hashed = true
	}
	return s
}

func (s *seen) note(path string, st stamp) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.files[path]; !ok && len(s.files) >= seenMax {
		for old := range s.files {
			delete(s.files, old)
			break
		}
	}
	s.files[path] = st
}

func (s *seen) forget(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.files, path)
}

// stale reports whether path was read and has another content now.
func (s *seen) stale(path string, info fs.FileInfo, content []byte) bool {
	s.mu.Lock()
	old, ok := s.files[path]
	s.mu.Unlock()
	if !ok {
		return false
	}
	if old.hashed {
		return old.size != int64(len(content)) || old.hash != sha256.Sum256(content)
	}
	return old.size != info.Size() || !old.changed.Equal(info.ModTime())
}
