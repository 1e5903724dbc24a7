package rules

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// linksMax is how many links one path may go through, as in the kernel.
const linksMax = 40

// root is a folder of the workspace.
type root struct {
	given string // absolute and clean, as it was configured
	real  string // links followed
}

func openRoot(dir string) (root, error) {
	given, err := filepath.Abs(dir)
	if err != nil {
		return root{}, err
	}
	real, err := filepath.EvalSymlinks(given)
	return root{given: given, real: real}, err
}

// place is a path that a call names.
type place struct {
	// real is where the path leads, links followed; `..` after a link goes by
	// the link.
	real string
	// asked is the path as asked for, absolute, shortened without a look at links.
	asked string
}

// Errors of places that lead nowhere in the workspace.
var (
	errOutside = errors.New("it is outside the workspace")
	errLoop    = errors.New("it goes through too many links")
)

// locate finds where path, relative to the first root or absolute, leads. A
// name that does not exist is no error. Nothing outside the roots is read.
func locate(roots []root, path string) (place, error) {
	if strings.ContainsRune(path, 0) {
		return place{}, errors.New("it holds a NUL byte")
	}
	if len(roots) == 0 {
		return place{}, errOutside
	}
	if !filepath.IsAbs(path) {
		path = roots[0].given + "/" + path
	}
	w := walk{roots: roots}
	real, err := w.follow("/", path)
	if err == nil && !holds(roots, real) {
		err = errOutside
	}
	return place{real: real, asked: filepath.Clean(path)}, err
}

// walk resolves one path.
type walk struct {
	roots   []root
	links   int
	missing bool // an element does not exist, so what follows does not either
}

func (w *walk) follow(at, path string) (string, error) {
	for element := range strings.SplitSeq(path, "/") {
		switch element {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		var err error
		if at, err = w.step(at, filepath.Join(at, element)); err != nil {
			return "", err
		}
	}
	return at, nil
}

// step goes from the folder at to next. The links on the way to a root were
// followed when the policy was made.
func (w *walk) step(at, next string) (string, error) {
	for _, r := range w.roots {
		if next == r.given {
			return r.real, nil
		}
	}
	if w.missing {
		return next, nil
	}
	if !holds(w.roots, next) {
		if w.leads(next) {
			return next, nil
		}
		return "", errOutside
	}
	info, err := os.Lstat(next)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		w.missing = true
		return next, nil
	case err != nil:
		return "", plain(err)
	case info.Mode()&fs.ModeSymlink == 0:
		return next, nil
	}
	if w.links++; w.links > linksMax {
		return "", errLoop
	}
	target, err := os.Readlink(next)
	if err != nil {
		return "", plain(err)
	}
	if filepath.IsAbs(target) {
		at = "/"
	}
	return w.follow(at, target)
}

// leads reports whether path is above a root, so that more elements may lead
// into it.
func (w *walk) leads(path string) bool {
	for _, r := range w.roots {
		if _, ok := inside(r.given, path); ok {
			return true
		}
		if _, ok := inside(r.real, path); ok {
			return true
		}
	}
	return false
}

func holds(roots []root, path string) bool {
	for _, r := range roots {
		if _, ok := inside(path, r.real); ok {
			return true
		}
	}
	return false
}

// inside returns path relative to dir, "." for dir itself. Both are clean.
func inside(path, dir string) (string, bool) {
	if path == dir {
		return ".", true
	}
	rel, ok := strings.CutPrefix(path, strings.TrimSuffix(dir, "/")+"/")
	return rel, ok
}

// plain takes the operation and the path out of an error.
func plain(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}

// names are the forms of a place that patterns are compared with.
type names struct {
	relative []string
	absolute []string
}

// allowed returns the forms an allow is matched on: the resolved path, relative
// to the innermost root that holds it.
func (p place) allowed(roots []root) names {
	n := names{absolute: []string{p.real}}
	best := root{}
	for _, r := range roots {
		if rel, ok := inside(p.real, r.real); ok && len(r.real) > len(best.real) {
			best = r
			n.relative = []string{rel}
			n.absolute = []string{p.real, filepath.Join(r.given, rel)}
		}
	}
	return n
}

// denied returns the forms a deny is matched on: the resolved path and the path
// as asked for, relative to every root that holds it.
func (p place) denied(roots []root) names {
	n := names{absolute: []string{p.real, p.asked}}
	for _, r := range roots {
		if rel, ok := inside(p.real, r.real); ok {
			n.relative = append(n.relative, rel)
			n.absolute = append(n.absolute, filepath.Join(r.given, rel))
		}
		for _, dir := range []string{r.given, r.real} {
			if rel, ok := inside(p.asked, dir); ok {
				n.relative = append(n.relative, rel)
			}
		}
	}
	return n
}

// describe names a place for a person: relative to its root if it is in one.
func (p place) describe(roots []root) string {
	if n := p.allowed(roots); len(n.relative) > 0 && len(roots) == 1 {
		return n.relative[0]
	}
	return p.real
}

// openRoots follows the links of the roots and refuses missing ones.
func openRoots(dirs []string) ([]root, error) {
	var roots []root
	for _, dir := range dirs {
		r, err := openRoot(dir)
		if err != nil {
			return nil, fmt.Errorf("workspace root %s: %w", dir, plain(err))
		}
		roots = append(roots, r)
	}
	return roots, nil
}
