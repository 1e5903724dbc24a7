package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// covered are the places of which commands have their own; under them only what
// lies in a root needs hiding.
var covered = []string{"/tmp", "/run", "/dev", "/proc"}

// plan returns the places, outer ones first. It looks anew for each command,
// because one may have made what the next must not change, such as a repository.
func (s *Sandbox) plan() ([]place, error) {
	places := map[string]place{}
	set := func(p place) {
		if old, ok := places[p.Path]; !ok || old.Use < p.Use {
			places[p.Path] = p
		}
	}
	for _, root := range s.cfg.Roots {
		set(place{Path: root, Use: writable, Dir: true})
	}
	guards := []guard{}
	for _, path := range s.cfg.ReadOnlyInside {
		g := guard{path: filepath.Clean(path)}
		if strings.HasSuffix(path, "/") && s.kind != Landlock { // That protects nothing inside a root.
			g.make = emptyDir
		}
		guards = append(guards, g)
	}
	if s.cfg.Repositories && s.kind != Landlock {
		guards = append(guards, s.repositories()...)
	}
	for _, g := range guards {
		found, err := s.protect(g)
		if err != nil {
			return nil, err
		}
		for _, p := range found {
			set(p)
		}
	}
	for _, path := range slices.Concat(s.cfg.Hidden, sockets()) {
		info, err := os.Lstat(path)
		if err != nil || !s.visible(path) {
			continue
		}
		if info.IsDir() {
			set(place{Path: path, Use: hiddenDir, Dir: true})
		} else {
			set(place{Path: path, Use: hiddenFile})
		}
	}
	return arrange(places), nil
}

// arrange sorts places and leaves out what a hidden folder, or a protected one,
// takes care of anyway.
func arrange(places map[string]place) []place {
	paths := slices.SortedFunc(maps.Keys(places), func(a, b string) int { return strings.Compare(a+"/", b+"/") })
	var kept []place
	for _, path := range paths {
		p := places[path]
		if !slices.ContainsFunc(kept, func(outer place) bool {
			return within(path, outer.Path) &&
				(outer.Use == hiddenDir || outer.Use == protected && p.Use <= protected)
		}) {
			kept = append(kept, p)
		}
	}
	return kept
}

// visible reports whether a command would see the machine's path.
func (s *Sandbox) visible(path string) bool {
	if _, in := rootOf(path, s.cfg.Roots); in {
		return true
	}
	return !slices.ContainsFunc(covered, func(dir string) bool { return within(path, dir) })
}

// protect returns the places that keep a path as it is: itself, and the folders
// between it and its root, because who moves one of those away can put another
// in its place.
func (s *Sandbox) protect(g guard) ([]place, error) {
	path := g.path
	base, ok := rootOf(path, s.cfg.Roots)
	if !ok {
		return nil, nil // Outside the roots all is read only.
	}
	root, err := os.OpenRoot(base)
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	defer root.Close()
	var found []place
	names := strings.Split(strings.TrimPrefix(path, base+"/"), "/")
	for i := range names {
		name, last := filepath.Join(names[:i+1]...), i == len(names)-1
		info, err := root.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) && last && g.make != nothing {
			if err := s.stand(root, name, g); err != nil {
				return nil, err
			}
			info, err = root.Lstat(name)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil
		case err != nil:
			return nil, fmt.Errorf("sandbox: protect %s: %w", path, err)
		case info.Mode()&fs.ModeSymlink != 0:
			return nil, fmt.Errorf("sandbox: %s is a symbolic link, so %s cannot be protected; replace the link, "+
				"or turn the sandbox off", filepath.Join(base, name), path)
		case !last && !info.IsDir():
			return nil, nil // Such as .git of a worktree, which is a file.
		}
		p := place{Path: filepath.Join(base, name), Use: pinned, Dir: info.IsDir()}
		if last {
			p.Use = protected
		}
		if stat, ok := info.Sys().(*syscall.Stat_t); ok {
			p.Dev, p.Ino = stat.Dev, stat.Ino
		}
		found = append(found, p)
	}
	return found, nil
}

// stand makes what stands for a missing path until the sandbox is closed.
func (s *Sandbox) stand(root *os.Root, name string, g guard) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := g.make.stand(root, name)
	switch {
	case err == nil:
		s.made[g.path] = g.make
	case errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS):
		// A command may make it as little.
	case !errors.Is(err, fs.ErrExist):
		return fmt.Errorf("sandbox: make what is to be protected: %w", err)
	}
	return nil
}

// sockets are those that lie in the file system: a door to whoever listens, such
// as a container service that can do everything. Where services put theirs by
// custom, in /run, commands see nothing at all.
func sockets() []string {
	table, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		return nil
	}
	var paths []string
	for line := range strings.SplitSeq(string(table), "\n") {
		start := strings.Index(line, " /")
		if start < 0 {
			continue
		}
		path := filepath.Clean(line[start+1:])
		if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeSocket == 0 {
			continue
		}
		if real, err := filepath.EvalSymlinks(path); err == nil {
			paths = append(paths, real)
		}
	}
	return paths
}
