package workspace

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// patient are the limits of a machine that has other things to do.
var patient = StatusLimits{Time: time.Minute}

// repo is a repository of the real git's.
type repo struct {
	t   *testing.T
	dir string
}

func newRepo(t *testing.T, args ...string) repo {
	r := repo{t, tree(t, nil)}
	r.git(append([]string{"init", "-q", "-b", "main"}, args...)...)
	return r
}

// git runs the real one, without anybody's configuration.
func (r repo) git(args ...string) string {
	r.t.Helper()
	out, err := r.try(args...)
	if err != nil {
		r.t.Fatalf("git %q: %v", args, err)
	}
	return out
}

func (r repo) try(args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir = r.dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=/dev/null", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_OPTIONAL_LOCKS=0",
		"GIT_AUTHOR_NAME=n", "GIT_AUTHOR_EMAIL=e", "GIT_COMMITTER_NAME=n", "GIT_COMMITTER_EMAIL=e",
	}
	out, err := cmd.Output()
	return string(out), err
}

// at returns a path in the work tree, whose folders are made.
func (r repo) at(name string) string {
	path := filepath.Join(r.dir, name)
	r.must(os.MkdirAll(filepath.Dir(path), 0o700))
	return path
}

func (r repo) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r repo) write(name, text string) {
	r.t.Helper()
	r.must(os.WriteFile(r.at(name), []byte(text), 0o600))
}

// commit tracks all there is, and has the files be older than the index.
func (r repo) commit() {
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", "m")
}

func (r repo) status(below string, denied func(string) bool) Status {
	r.t.Helper()
	s, ok := ReadStatus(context.Background(), filepath.Join(r.dir, below), denied, patient)
	if !ok {
		r.t.Fatal("no repository")
	}
	return s
}

// byKind are the names of a status by what is told of them.
func byKind(s Status) map[string][]string {
	all := map[string][]string{}
	for kind, n := range map[string]names{
		"conflict": s.Conflicts, "changed": s.Changed, "deleted": s.Deleted, "maybe": s.Maybe, "intended": s.Intended, "untracked": s.Untracked,
	} {
		if n.Count > 0 {
			all[kind] = slices.Sorted(slices.Values(n.First))
		}
	}
	return all
}

// asGit is what git itself says of the work tree.
func (r repo) asGit() map[string][]string {
	all := map[string][]string{}
	fields := strings.Split(r.git("status", "--porcelain", "-z", "-uall", "--no-renames", "--ignore-submodules=all"), "\x00")
	for _, f := range fields {
		if f == "" {
			continue
		}
		kind := map[byte]string{'M': "changed", 'T': "changed", 'D': "deleted", '?': "untracked", 'A': "intended"}[f[1]]
		if strings.ContainsRune(f[:2], 'U') || f[:2] == "AA" || f[:2] == "DD" {
			kind = "conflict"
		}
		if kind != "" {
			all[kind] = append(all[kind], f[3:])
		}
	}
	for kind := range all {
		slices.Sort(all[kind])
	}
	return all
}
