package tools

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Bounds of one path. Looking up an element costs as much as it is deep.
const (
	linksMax    = 40  // links it may go through, as in the kernel
	elementsMax = 256 // elements, those of its links too
)

// Errors of paths. They never tell what is outside the workspace.
var (
	ErrOutside = errors.New("outside the workspace")
	errLoop    = errors.New("too many links, perhaps a loop")
)

// Place is where a path leads at the moment it was asked.
type Place struct {
	// Path is absolute, links followed.
	Path string
	// Root is the workspace root that holds it, absolute, links followed.
	Root string
	// Rel is Path in Root; "." is Root itself.
	Rel string
	// Info tells of the file there; nil if there is none (then its folder
	// exists, unless a further element is missing as well).
	Info fs.FileInfo
	// Note is a sentence for the model if not the exact name was taken.
	Note string

	root *root
}

// Locate follows path, relative to the first root or absolute, through all its
// links to a place inside the roots; `..` after a link goes by the link, as in
// the kernel. It touches nothing outside: a path that leads there is
// ErrOutside. A name that does not exist is no error. It reads the file system.
func (w *Workspace) Locate(path string) (Place, error) {
	return (&walk{w: w}).locate(path)
}

// locateExisting is Locate for reading: a name that does not exist may be taken
// for the only one that looks like it, else it is an error. Names of which
// withholds, if not nil, says that a deny rule covers them are neither taken nor
// told.
func (w *Workspace) locateExisting(path string, withholds func(path string) bool) (Place, error) {
	place, err := (&walk{w: w, lookalike: true, withholds: withholds}).locate(path)
	if err == nil && place.Info == nil {
		err = errors.New("no such file")
	}
	return place, err
}

// walk resolves one path. A racing change can make it wrong but not unsafe:
// what it finds is opened through the root's handle.
type walk struct {
	w         *Workspace
	lookalike bool
	withholds func(path string) bool // of names that were not asked for; nil withholds none
	links     int
	elements  int
	note      string
	missing   bool // an element did not exist
	info      fs.FileInfo
}

func (k *walk) locate(path string) (Place, error) {
	if path == "" {
		path = "."
	}
	if strings.ContainsRune(path, 0) {
		return Place{}, errors.New("a path cannot hold a NUL byte")
	}
	at := k.w.roots[0].real
	if filepath.IsAbs(path) {
		at = string(filepath.Separator)
	}
	at, err := k.follow(at, path)
	if err != nil {
		return Place{}, err
	}
	r, rel := k.w.holder(at)
	if r == nil {
		return Place{}, ErrOutside
	}
	if k.info == nil && !k.missing {
		if k.info, err = r.handle.Lstat(rel); err != nil {
			return Place{}, plain(err)
		}
	}
	return Place{Path: at, Root: r.real, Rel: rel, Info: k.info, Note: k.note, root: r}, nil
}

// follow goes on from the folder at by the elements of path.
func (k *walk) follow(at, path string) (string, error) {
	for element := range strings.SplitSeq(path, string(filepath.Separator)) {
		var err error
		if at, err = k.step(at, element); err != nil {
			return "", err
		}
	}
	return at, nil
}

func (k *walk) step(at, element string) (string, error) {
	switch element {
	case "", ".":
		return at, nil
	}
	if k.elements++; k.elements > elementsMax {
		return "", fmt.Errorf("more than %d folders deep", elementsMax)
	}
	if element == ".." {
		if k.missing {
			return "", errors.New("`..` after a folder that does not exist")
		}
		k.info = nil
		return filepath.Dir(at), nil
	}
	next := k.w.alias(filepath.Join(at, element))
	r, rel := k.w.holder(next)
	if r == nil {
		if k.w.leadsTo(next) {
			return next, nil
		}
		return "", ErrOutside
	}
	if k.missing || rel == "." {
		return next, nil
	}
	info, err := r.handle.Lstat(rel)
	if errors.Is(err, fs.ErrNotExist) && k.lookalike {
		if next, err = k.similar(r, at, element); err != nil {
			return "", err
		}
		_, rel = k.w.holder(next)
		info, err = r.handle.Lstat(rel)
	}
	if errors.Is(err, fs.ErrNotExist) {
		k.missing, k.info = true, nil
		return next, nil
	}
	if err != nil {
		return "", plain(err)
	}
	k.info = info
	if info.Mode()&fs.ModeSymlink == 0 {
		return next, nil
	}
	return k.link(r, rel, at)
}

// link goes on where the link rel, which stands in the folder at, points.
func (k *walk) link(r *root, rel, at string) (string, error) {
	if k.links++; k.links > linksMax {
		return "", errLoop
	}
	target, err := r.handle.Readlink(rel)
	if err != nil {
		return "", plain(err)
	}
	k.info = nil
	if filepath.IsAbs(target) {
		at = string(filepath.Separator)
	}
	return k.follow(at, target)
}

// plain takes the operation and the path out of an error: the caller knows the
// path as the model wrote it.
func plain(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	switch {
	case errors.Is(err, syscall.ENAMETOOLONG):
		return errors.New("the name is too long")
	case errors.Is(err, syscall.ENOTDIR):
		return errors.New("not a folder")
	case errors.Is(err, os.ErrPermission):
		return errors.New("permission denied")
	}
	return err
}
