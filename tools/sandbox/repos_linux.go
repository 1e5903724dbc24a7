package sandbox

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// Bounds of the search for repositories; it is made anew for each command.
const (
	repoNamesMax = 20_000   // names looked at in the roots, those near their tops first
	repoPathsMax = 32 << 10 // bytes of the paths found: what is protected must fit an argument
	moduleDepth  = 4        // folders a submodule's name may have
)

// found are the folders named .git or .weir and the files named .git that lie
// in the roots. What was found once is looked after from then on, so a command
// cannot push it out of the bounds.
type found struct {
	mu     sync.Mutex
	paths  []string
	beyond bool // there is more than the bounds
}

// guard is a path to protect, and what is made if it is missing.
type guard struct {
	path string
	make made
}

// made is what stands for a missing path while commands run.
type made uint8

const (
	nothing made = iota
	emptyDir
	emptyFile
	// itself is a file that holds ".": what git takes for a pointer to the very
	// folder that it is in, and so means nothing.
	itself
)

// search looks for further ones.
func (f *found) search(roots []string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	names, size := 0, 0
	for _, path := range f.paths {
		size += len(path)
	}
	f.beyond = false
	for queue := slices.Clone(roots); len(queue) > 0; queue = queue[1:] {
		for _, entry := range list(queue[0], repoNamesMax-names+1) {
			if names++; names > repoNamesMax {
				f.beyond = true
				return f.paths
			}
			path := filepath.Join(queue[0], entry.Name())
			switch {
			case entry.Name() == ".git" && (entry.IsDir() || entry.Type().IsRegular()), entry.Name() == ".weir" && entry.IsDir():
				if slices.Contains(f.paths, path) {
					continue
				}
				if size += len(path); size > repoPathsMax {
					f.beyond = true
					return f.paths
				}
				f.paths = append(f.paths, path)
			case entry.IsDir():
				queue = append(queue, path)
			}
		}
	}
	return f.paths
}

// list returns at most max names of a folder; none if it cannot be read, or is
// no folder any more.
func list(dir string, max int) []os.DirEntry {
	file, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil
	}
	defer file.Close()
	entries, _ := file.ReadDir(max) // What can be read of it.
	return entries
}

// repositories are the guards of all that was found.
func (s *Sandbox) repositories() []guard {
	var all []guard
	for _, path := range s.found.search(s.cfg.Roots) {
		info, err := os.Lstat(path)
		switch {
		case err != nil || s.throughLink(path):
		case filepath.Base(path) == ".git" && info.IsDir():
			all = append(all, gitDir(path)...)
		case info.IsDir() || info.Mode().IsRegular():
			all = append(all, guard{path: path})
		}
	}
	return all
}

// throughLink reports whether a folder on the way to what was found is a link
// by now: then it is not in its root any more, or is found by its own name.
func (s *Sandbox) throughLink(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	return err != nil || real != path
}

// gitDir are the paths by which git runs programs or takes its configuration
// from elsewhere, of a repository and of those below it: submodules and work
// trees.
func gitDir(dir string) []guard {
	guards := []guard{{dir + "/hooks", emptyDir}, {dir + "/info", emptyDir}}
	for _, name := range []string{"/config", "/config.worktree", "/commondir"} {
		g := guard{path: dir + name}
		if _, err := os.Lstat(dir + "/HEAD"); err == nil { // Else git init is still to come.
			if g.make = emptyFile; name == "/commondir" {
				g.make = itself
			}
		}
		guards = append(guards, g)
	}
	for _, tree := range list(dir+"/worktrees", repoNamesMax) {
		path := dir + "/worktrees/" + tree.Name()
		guards = append(guards, guard{path + "/config.worktree", emptyFile}, guard{path + "/commondir", nothing}, guard{path + "/gitdir", nothing})
	}
	return append(guards, modules(dir+"/modules", moduleDepth)...)
}

func modules(dir string, depth int) []guard {
	var guards []guard
	for _, entry := range list(dir, repoNamesMax) {
		path := filepath.Join(dir, entry.Name())
		if !entry.IsDir() {
			continue
		}
		if info, err := os.Lstat(path + "/HEAD"); err == nil && info.Mode().IsRegular() {
			guards = append(guards, gitDir(path)...)
		} else if depth > 1 {
			guards = append(guards, modules(path, depth-1)...)
		}
	}
	return guards
}

// stand makes what stands for a missing name.
func (m made) stand(root *os.Root, name string) error {
	switch m {
	case nothing:
		return fs.ErrNotExist
	case emptyDir:
		return root.Mkdir(name, 0o755)
	case emptyFile, itself:
	}
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	if m == itself {
		_, err = file.WriteString(".")
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}

// away takes back what was made, unless it is in use by now.
func (s *Sandbox) away() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for path, m := range s.made {
		if m != emptyDir {
			text, err := os.ReadFile(path)
			if err != nil || len(bytes.Trim(text, ".")) > 0 || strings.Contains(string(text), "..") {
				continue
			}
		}
		_ = os.Remove(path) // A folder that holds something stays.
	}
	clear(s.made)
}
