package tools

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// trap is a workspace beside files that it must never reach.
type trap struct {
	*kit
	outside string // the folder beside it
	before  map[string]string
}

const canary = "CANARY that nobody may read"

func newTrap(t *testing.T) *trap {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"ws/sub/deep", "ws-other", "out/dir"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"out/secret", "out/dir/secret", "ws-other/secret", "secret"} {
		if err := os.WriteFile(filepath.Join(base, file), []byte(canary), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ws := filepath.Join(base, "ws")
	for name, target := range map[string]string{
		"file-out": "../out/secret", "file-abs": filepath.Join(base, "out/secret"), "dir-out": "../out",
		"dir-abs": filepath.Join(base, "out"), "up": "..", "sub/up2": "../..", "sub/deep/up3": "../../..",
		"dangling-out": "../out/new", "dangling-abs": filepath.Join(base, "out/new2"), "self": "self",
		"loop-a": "loop-b", "loop-b": "loop-a", "chain1": "chain2", "chain2": "sub/up2",
		"root": "/", "proc": "/proc/self/cwd/..", "back": "../ws/in", "abs-in": filepath.Join(ws, "in"),
		"abs-dir": filepath.Join(ws, "sub"), "dangling-in": "sub/fresh", "to-sub": "sub/deep",
	} {
		if err := os.Symlink(target, filepath.Join(ws, name)); err != nil {
			t.Fatal(err)
		}
	}
	k := &trap{kit: newKitIn(t, ws, Config{}), outside: base}
	k.kit.write("in", "inside\n")
	k.before = k.state()
	return k
}

// state is every file outside the workspace, with its content and mode.
func (k *trap) state() map[string]string {
	k.t.Helper()
	state := map[string]string{}
	err := filepath.WalkDir(k.outside, func(path string, d os.DirEntry, err error) error {
		if err != nil || path == k.dir {
			return filepath.SkipDir
		}
		content := "dir"
		if !d.IsDir() {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			content = string(b)
		}
		state[path] = content + d.Type().String()
		return nil
	})
	if err != nil {
		k.t.Fatal(err)
	}
	return state
}

func (k *trap) untouched() {
	k.t.Helper()
	after := k.state()
	if len(after) != len(k.before) {
		k.t.Errorf("outside there are %d files, before %d", len(after), len(k.before))
	}
	for path, content := range k.before {
		if after[path] != content {
			k.t.Errorf("%s was changed to %q", path, after[path])
		}
	}
}

// escapes are paths that lead out of the workspace, or nowhere.
func (k *trap) escapes() []string {
	base := k.outside
	return []string{
		"../out/secret", "../secret", "..", "../", "../..", "sub/../../out/secret", "./../out/secret", "sub/deep/../../../secret",
		"../ws-other/secret", base + "/ws-other/secret", base + "/out/secret", base, base + "/", "/etc/passwd", "/", "//etc/passwd",
		base + "/ws/../out/secret", base + "/ws/sub/../../out/secret", base + "/w", base + "/ws-other",
		"file-out", "file-abs", "dir-out/secret", "dir-out/dir/secret", "dir-abs/secret", "up/out/secret", "up/secret",
		"sub/up2/secret", "sub/deep/up3/secret", "chain1/secret", "chain2/out/secret", "dir-out/../secret", "to-sub/../../../secret",
		"dangling-out", "dangling-abs", "root/etc/passwd", "proc/secret", "self", "loop-a", "loop-a/x",
		"in\x00", "\x00", "../out/secret\x00", strings.Repeat("x", 300), strings.Repeat("y/", 3000) + "z", "in/../../secret",
		base + "/ws/self/x", "file-out/", "~/secret/../../..",
	}
}

// Promise 1: file tools never touch anything outside the roots.
func TestPromise1NothingOutsideTheRoots(t *testing.T) {
	k := newTrap(t)
	if n := len(k.escapes()); n < 40 {
		t.Fatalf("only %d paths", n)
	}
	for _, path := range k.escapes() {
		for tool, a := range map[string]args{
			"read_file":  {"path": path},
			"list_dir":   {"path": path},
			"grep":       {"pattern": "CANARY", "path": path},
			"glob":       {"pattern": "**/secret", "path": path},
			"write_file": {"path": path, "content": "written"},
			"edit_file":  {"path": path, "edits": []edit{{Old: "CANARY", New: "written"}}},
			"bash":       {"command": "true", "cwd": path},
		} {
			r := k.call(tool, a)
			if r.OK() {
				t.Errorf("%s %q: %s", tool, path, r.Text)
			}
			if strings.Contains(r.Text, "that nobody may read") {
				t.Errorf("%s %q shows what is outside: %s", tool, path, r.Text)
			}
		}
	}
	for _, pattern := range []string{"../**/secret", "../out/*", "dir-out/*", "up/**/secret", "/etc/pass*", k.outside + "/**/secret"} {
		if r := k.call("glob", args{"pattern": pattern}); strings.Contains(r.Text, "secret\n") || strings.Contains(r.Text, "passwd\n") {
			t.Errorf("glob %s: %s", pattern, r.Text)
		}
		has(t, k.want("grep", args{"pattern": "CANARY", "glob": pattern}), "0 matches")
	}
	k.untouched()
}

// What stays inside works, whatever links it goes through.
func TestLinksInsideAreFollowed(t *testing.T) {
	k := newTrap(t)
	for _, path := range []string{"back", "abs-in", "up/ws/in", "sub/../in", "to-sub/../../in", k.dir + "/in"} {
		has(t, k.want("read_file", args{"path": path}), "inside")
	}
	k.want("write_file", args{"path": "abs-dir/new", "content": "a"})
	k.want("write_file", args{"path": "dangling-in", "content": "b"})
	if got := k.content("sub/new") + k.content("sub/fresh"); got != "ab" {
		t.Errorf("got %q", got)
	}
	k.untouched()
}

func TestRootThatIsALink(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "real"), 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink("real", link); err != nil {
		t.Fatal(err)
	}
	k := newKitIn(t, link, Config{})
	k.want("write_file", args{"path": link + "/a", "content": "one\n"})
	for _, path := range []string{"a", link + "/a", filepath.Join(dir, "real/a"), link + "/../real/a"} {
		has(t, k.want("read_file", args{"path": path}), "one")
	}
}

func TestFurtherRoots(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	ws, err := OpenWorkspace(first, second)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	place, err := ws.Locate(second + "/x/y")
	if err != nil || place.Root != ws.Roots()[1] || place.Rel != "x/y" || place.Info != nil {
		t.Errorf("got %+v, %v", place, err)
	}
	if place, err = ws.Locate("x"); err != nil || place.Path != ws.Roots()[0]+"/x" {
		t.Errorf("got %+v, %v", place, err)
	}
}

// Promise 1, second half, and B065: neither does a folder that turns into a link
// and back while tools look, nor a file that does; and a pipe that it turns into
// holds nobody.
func TestPromise1B065RacingLink(t *testing.T) {
	t.Parallel() // It takes the time that the promise names.
	k := newTrap(t)
	k.kit.write("race/secret", "inside\n")
	k.kit.write("file", "inside\n")
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	swapped := make(chan int)
	go func() { swapped <- k.swap(ctx) }()
	calls := 0
	for ctx.Err() == nil {
		for tool, a := range map[string]args{
			"read_file":  {"path": "race/secret"},
			"grep":       {"pattern": "CANARY"},
			"list_dir":   {"path": "race"},
			"write_file": {"path": "race/secret", "content": "inside\n"},
			"edit_file":  {"path": "file", "edits": []edit{{Old: "CANARY", New: "x"}}},
			"glob":       {"pattern": "race/*"},
		} {
			calls++
			if r := k.call(tool, a); strings.Contains(r.Text, "that nobody may read") || strings.Contains(r.Text, "dir/") {
				t.Fatalf("%s: %s", tool, r.Text)
			}
		}
	}
	if n := <-swapped; n < 100 || calls < 100 {
		t.Errorf("only %d swaps and %d calls", n, calls)
	}
	k.untouched()
}

// swap turns race and file into links that lead outside, file into a pipe too,
// and back.
func (k *trap) swap(ctx context.Context) int {
	n := 0
	for ; ctx.Err() == nil; n++ {
		_ = os.Rename(k.path("race"), k.path("race.dir"))
		_ = os.Symlink("../out", k.path("race"))
		_ = os.Rename(k.path("file"), k.path("file.real"))
		if n%2 == 0 {
			_ = os.Symlink("../out/secret", k.path("file"))
		} else {
			_ = syscall.Mkfifo(k.path("file"), 0o644)
		}
		_ = os.Remove(k.path("race"))
		_ = os.Rename(k.path("race.dir"), k.path("race"))
		_ = os.Remove(k.path("file"))
		_ = os.Rename(k.path("file.real"), k.path("file"))
	}
	return n
}
