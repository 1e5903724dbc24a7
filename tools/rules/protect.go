package rules

import (
	"path/filepath"
	"slices"
	"strings"
)

// guarded says what makes a path one that is never written without being asked
// for by itself; empty if nothing does. Names count in any case, because some
// file systems ignore it.
func guarded(protected []string, p place) string {
	for _, path := range []string{p.real, p.asked} {
		for _, dir := range protected {
			if _, ok := inside(path, dir); ok {
				return "it holds weir's own files"
			}
		}
		elements := strings.Split(strings.ToLower(path), "/")
		if slices.Contains(elements, ".weir") {
			return "it holds weir's configuration of the project"
		}
		if at := slices.Index(elements, ".git"); at >= 0 && gitRuns(elements[at+1:]) {
			return "git runs programs that it names"
		}
	}
	return ""
}

// gitNames are the names below `.git` by which git runs programs: hooks and
// configuration, what says that these are elsewhere, and the list of what a
// rebase is still to do. The names of its attributes say which of them run.
var gitNames = []string{"hooks", "config", "config.worktree", "commondir", "gitdir", "attributes", "rebase-merge", "rebase-apply"}

// gitRuns reports whether a path below `.git` can name programs, those of
// submodules and work trees too, or is `.git` itself.
func gitRuns(below []string) bool {
	if len(below) == 0 || slices.Contains(gitNames, below[0]) {
		return true
	}
	switch below[0] {
	case "modules", "worktrees", "info":
		return slices.ContainsFunc(below[1:], func(e string) bool { return slices.Contains(gitNames, e) })
	}
	return false
}

// resolved follows the links of an absolute path as far as it exists.
func resolved(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if parent := filepath.Dir(path); err != nil && parent != path {
		return filepath.Join(resolved(parent), filepath.Base(path))
	}
	return real
}
