package workspace

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Git is the state of a work tree, as far as a few small files tell it.
type Git struct {
	// Top is the folder that holds .git; "" without one.
	Top string
	// Branch is empty if no branch is checked out.
	Branch string
	// Commit is set if no branch is checked out.
	Commit string
	// Doing says what git is in the middle of, such as `merge`; empty if nothing.
	Doing string
}

// Bounds of what is read of a repository.
const (
	levelsMax  = 64
	gitFileMax = 4 << 10
	branchMax  = 400 // bytes of a branch's name
)

// doing are the files that tell of an operation that has not ended.
var doing = []struct{ file, name string }{
	{"rebase-merge", "rebase"},
	{"rebase-apply", "rebase"},
	{"MERGE_HEAD", "merge"},
	{"CHERRY_PICK_HEAD", "cherry-pick"},
	{"REVERT_HEAD", "revert"},
	{"BISECT_LOG", "bisect"},
}

var (
	// A counted repeat of such classes would take megabytes at every start.
	branchName = regexp.MustCompile(`^ref: refs/heads/([\pL\pN][\pL\pN._/+#@-]*)$`)
	commitName = regexp.MustCompile(`^[0-9a-f]{40}([0-9a-f]{24})?$`)
)

// ReadGit looks for a repository from dir up. It runs nothing, looks at no file
// of the work tree, and costs some ten system calls however large that is; so
// it does not know what has changed.
func ReadGit(dir string) Git {
	for range levelsMax {
		if store, ok := gitStore(dir); ok {
			return readStore(dir, store)
		}
		if filepath.Dir(dir) == dir {
			break
		}
		dir = filepath.Dir(dir)
	}
	return Git{}
}

// gitStore returns the folder of git's own files: .git, or where a file of that
// name, in a worktree or a submodule, points.
func gitStore(dir string) (string, bool) {
	path := filepath.Join(dir, ".git")
	info, err := os.Stat(path)
	if err != nil {
		return "", false
	}
	if info.IsDir() {
		return path, true
	}
	data, _, err := readPath(path, gitFileMax)
	if err != nil {
		return "", false
	}
	target, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir: ")
	if !ok {
		return "", false
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(dir, target)
	}
	return target, true
}

func readStore(top, store string) Git {
	g := Git{Top: top}
	data, _, err := readPath(filepath.Join(store, "HEAD"), gitFileMax)
	if err != nil {
		return Git{}
	}
	head := strings.TrimSpace(string(data))
	if m := branchName.FindStringSubmatch(head); m != nil && len(m[1]) <= branchMax {
		g.Branch = m[1]
	} else if commitName.MatchString(head) {
		g.Commit = head[:12]
	}
	for _, d := range doing {
		if _, err := os.Lstat(filepath.Join(store, d.file)); err == nil {
			g.Doing = d.name
			break
		}
	}
	return g
}

// String returns a few words, "" without a repository.
func (g Git) String() string {
	text := ""
	switch {
	case g.Top == "":
		return ""
	case g.Branch != "":
		text = "branch " + g.Branch
	case g.Commit != "":
		text = "no branch, commit " + g.Commit
	default:
		text = "a repository"
	}
	if g.Doing != "" {
		text += ", in the middle of a " + g.Doing
	}
	return text
}
