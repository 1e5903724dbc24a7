package tools

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// Workspace is the folders that file tools may touch. Every access goes
// through the handle of a folder, so neither `..` nor a link nor a racing
// rename leads outside. It is safe for several goroutines and sessions at once.
type Workspace struct {
	roots []*root
	locks fileLocks
	// searching bounds the goroutines that look into files, of all searches:
	// more than there are processors would only wait for each other.
	searching chan struct{}

	mu    sync.Mutex
	extra []*root // may be read but not written, such as spilled output
}

// root is one folder of a Workspace.
type root struct {
	handle *os.Root
	asked  string // absolute, as it was given
	real   string // absolute, with links followed
	// readOnly roots are never written and not listed in Roots.
	readOnly bool
}

// OpenWorkspace opens the folders; the first is the working directory of the
// tools. A root may itself be reached through links. Close it after the last
// session that uses it.
func OpenWorkspace(roots ...string) (*Workspace, error) {
	if len(roots) == 0 {
		return nil, errors.New("open workspace: no folder given")
	}
	w := &Workspace{
		locks:     fileLocks{held: map[string]*fileLock{}},
		searching: make(chan struct{}, runtime.GOMAXPROCS(0)),
	}
	for _, dir := range roots {
		r, err := openRoot(dir)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("open workspace: %w", err), w.Close())
		}
		w.roots = append(w.roots, r)
	}
	return w, nil
}

func openRoot(dir string) (*root, error) {
	asked, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	real, err := filepath.EvalSymlinks(asked)
	if err != nil {
		return nil, err
	}
	handle, err := os.OpenRoot(real)
	if err != nil {
		return nil, err
	}
	return &root{handle: handle, asked: asked, real: real}, nil
}

// Close gives the handles back. No call may run any more.
func (w *Workspace) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var errs []error
	for _, r := range append(w.roots, w.extra...) {
		errs = append(errs, r.handle.Close())
	}
	return errors.Join(errs...)
}

// Roots returns the folders, absolute and with links followed, the working
// directory first.
func (w *Workspace) Roots() []string {
	dirs := make([]string, len(w.roots))
	for i, r := range w.roots {
		dirs[i] = r.real
	}
	return dirs
}

// allowRead lets dir be read, not written: what tools put aside for the model
// lies there.
func (w *Workspace) allowRead(dir string) error {
	r, err := openRoot(dir)
	if err != nil {
		return err
	}
	r.readOnly = true
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, old := range w.extra {
		if old.real == r.real {
			return r.handle.Close()
		}
	}
	w.extra = append(w.extra, r)
	return nil
}

// all returns every root, those for reading only last.
func (w *Workspace) all() []*root {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append(w.roots[:len(w.roots):len(w.roots)], w.extra...)
}

// holder returns the innermost root that holds an absolute path without links,
// and the path in it ("." for the root itself).
func (w *Workspace) holder(abs string) (*root, string) {
	var best *root
	for _, r := range w.all() {
		if within(abs, r.real) && (best == nil || len(r.real) > len(best.real)) {
			best = r
		}
	}
	if best == nil {
		return nil, ""
	}
	rel, err := filepath.Rel(best.real, abs)
	if err != nil {
		return nil, ""
	}
	return best, rel
}

// leadsTo reports whether abs is a folder above a root, by either of its names.
func (w *Workspace) leadsTo(abs string) bool {
	for _, r := range w.all() {
		if within(r.real, abs) || within(r.asked, abs) {
			return true
		}
	}
	return false
}

// alias returns the real path of a root that is called by a name with links in
// it, and any other path as it is.
func (w *Workspace) alias(abs string) string {
	for _, r := range w.all() {
		if abs == r.asked {
			return r.real
		}
	}
	return abs
}

// within compares whole path elements: /a/bc is not within /a/b.
func within(abs, dir string) bool {
	if dir == abs || dir == string(filepath.Separator) {
		return true
	}
	return strings.HasPrefix(abs, dir) && abs[len(dir)] == filepath.Separator
}
