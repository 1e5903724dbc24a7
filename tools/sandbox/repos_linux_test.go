package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// git runs git outside the sandbox.
func (a *arena) git(args ...string) string {
	a.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=n", "-c", "user.email=e", "-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir, cmd.Env = a.root, []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + a.base, "GIT_CONFIG_NOSYSTEM=1"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		a.t.Fatalf("git %s: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// repositories fills the root with a repository, one in a folder of it, a
// submodule and a linked work tree, and returns the names there are then.
func (a *arena) repositories() string {
	a.t.Helper()
	if err := os.RemoveAll(a.root + "/.git"); err != nil {
		a.t.Fatal(err)
	}
	a.git("init", "-q", "--template=", "deep/in/nested")
	a.git("-C", "deep/in/nested", "commit", "-q", "--allow-empty", "-m", "first")
	a.git("init", "-q", "--template=", ".")
	a.git("commit", "-q", "--allow-empty", "-m", "first")
	a.git("submodule", "--quiet", "add", "./deep/in/nested", "lib/part")
	a.git("worktree", "add", "-q", "tree")
	before := a.names()
	a.change(func(c *Config) { c.ReadOnlyInside, c.Repositories = []string{a.root + "/.weir/"}, true })
	return before
}

// Promise 8, and the kind behind it: what git takes programs from, where it is
// and where it is missing, of every repository in the workspace.
func TestPromise8NoRepositoryCanBeMadeToRunPrograms(t *testing.T) {
	eachKind(t, func(t *testing.T, a *arena) {
		a.repositories()
		if a.kind == Landlock {
			// It cannot, says so, and makes nothing up for it.
			if open := strings.Join(a.sandbox.open(), ", "); !strings.Contains(open, "protected files inside the workspace can be written") {
				t.Errorf("left open: %s", open)
			}
			a.ok(`ls -d .weir .git/hooks 2>/dev/null | wc -l`, "0")
			return
		}
		var scripts []string
		for _, dir := range []string{".git", "deep/in/nested/.git", ".git/modules/lib/part"} {
			for _, script := range []string{
				`mkdir -p %[1]s/hooks && echo x > %[1]s/hooks/pre-commit`, `rm -rf %[1]s/hooks && mkdir %[1]s/hooks && echo x > %[1]s/hooks/a`,
				`mkdir -p %[1]s/info && echo x > %[1]s/info/attributes`, `echo x >> %[1]s/config`, `echo x > c; mv -f c %[1]s/config`,
				`echo x >> %[1]s/config.worktree`, `rm %[1]s/commondir`, `echo ../../evil > %[1]s/commondir`,
				`echo ../../evil > c; mv -f c %[1]s/commondir`, `mv %[1]s %[1]s.away`, `git --git-dir=%[1]s config core.fsmonitor evil`,
			} {
				scripts = append(scripts, fmt.Sprintf(script, dir))
			}
		}
		a.refused(append(scripts,
			`mkdir -p .weir; echo x > .weir/config.toml`, `rmdir .weir && mkdir .weir && echo x > .weir/config.toml`, `mv .weir w`,
			`echo "gitdir: ../evil" > tree/.git`, `rm tree/.git`, `echo "gitdir: ../../evil" > lib/part/.git`,
			`echo ../../../evil > .git/worktrees/tree/commondir`, `echo x > .git/worktrees/tree/config.worktree`,
			`echo x > sub/.weir/new`, `mv deep away`, `mv deep/in/nested deep/in/other`,
		)...)
		a.ok(`for d in . deep/in/nested lib/part tree; do (cd $d && echo x > new && git add new && `+
			`git -c user.name=n -c user.email=e commit -qm second && git log --format=%s -1); done; git gc -q 2>/dev/null`, "second\nsecond\nsecond\nsecond")
	})
}

// What stands for a missing path is harmless to git, and goes with the sandbox.
func TestWhatStandsForAMissingPathGoes(t *testing.T) {
	eachKind(t, func(t *testing.T, a *arena) {
		before := a.repositories()
		a.ok(`git status --short sub/.weir | wc -l`, "1")
		for _, dir := range []string{".", "deep/in/nested", "lib/part", "tree"} {
			if log := a.git("-C", dir, "log", "--format=%s"); log != "first" { // Git works outside meanwhile.
				t.Errorf("%s: %s", dir, log)
			}
		}
		if err := a.sandbox.Close(); err != nil {
			t.Fatal(err)
		}
		if after := a.names(); after != before {
			t.Errorf("before\n%s\nafter\n%s", before, after)
		}
	})
}

// names are those in the root, but for what git made itself.
func (a *arena) names() string {
	a.t.Helper()
	var all []string
	err := filepath.WalkDir(a.root, func(path string, _ os.DirEntry, err error) error {
		if !strings.Contains(path, "/logs") && !strings.Contains(path, "/refs") {
			all = append(all, strings.TrimPrefix(path, a.root))
		}
		return err
	})
	if err != nil {
		a.t.Fatal(err)
	}
	return strings.Join(all, "\n")
}

// A command that fills the workspace with names does not push out what was
// found before, and what was never looked at is said.
func TestTheSearchForRepositoriesIsBounded(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, dir := range []string{root + "/z/.git", root + "/z/y/.weir"} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s := &Sandbox{cfg: Config{Roots: []string{root}}}
	want := fmt.Sprint([]string{root + "/z/.git", root + "/z/y/.weir"})
	if got := fmt.Sprint(s.found.search(s.cfg.Roots)); got != want || s.found.beyond {
		t.Errorf("%s, beyond %v", got, s.found.beyond)
	}
	for i := range repoNamesMax {
		if err := os.WriteFile(fmt.Sprintf("%s/a%d", root, i), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := fmt.Sprint(s.found.search(s.cfg.Roots)); got != want || !s.found.beyond {
		t.Errorf("%s, beyond %v", got, s.found.beyond)
	}
	if said := s.got(""); !strings.Contains(said, "beyond the first 20000 names") {
		t.Errorf("it says %q", said)
	}
	long := strings.Repeat("n", 200)
	s = &Sandbox{}
	for i := range 200 {
		if err := os.MkdirAll(fmt.Sprintf("%s/many/%s%d/.git", root, long, i), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(s.found.search([]string{root + "/many"})); n < 100 || !s.found.beyond {
		t.Errorf("%d found, beyond %v", n, s.found.beyond)
	}
}
