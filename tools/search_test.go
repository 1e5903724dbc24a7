package tools

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestListDirShowsKindsAndCounts(t *testing.T) {
	k := newKit(t, Config{})
	k.write("b.txt", "12345")
	k.write("a/x/deep.txt", "1")
	k.write("skip.o", "")
	k.write("new\nline", "")
	k.write(".gitignore", "*.o\n")
	k.write(".git/config", "")
	if err := os.Symlink("b.txt", k.path("link")); err != nil {
		t.Fatal(err)
	}
	want := ".: 5 entries\n.gitignore  4\na/\nb.txt  5\nlink -> b.txt\nnew\\nline  0\n2 ignored, 0 not readable"
	if got := k.want("list_dir", args{}); got != want {
		t.Errorf("got %q", got)
	}
	has(t, k.want("list_dir", args{"depth": 3}), "a/\n", "a/x/\n", "a/x/deep.txt  1\n")
	want = "a/x: 1 entry\ndeep.txt  1\n0 ignored, 0 not readable"
	if got := k.want("list_dir", args{"path": "a/x"}); got != want {
		t.Errorf("got %q", got)
	}
	has(t, k.refuse("list_dir", args{"path": "b.txt"}), "a file, not a folder")
	has(t, k.want("list_dir", args{"path": ".git"}), "config")
}

func TestListDirIsCapped(t *testing.T) {
	k := newKit(t, Config{})
	for i := range listMax + 5 {
		k.write(fmt.Sprintf("f%04d", i), "")
	}
	r := k.call("list_dir", args{})
	if !r.Truncated {
		t.Error("not marked as truncated")
	}
	has(t, r.Text, ".: 1005 entries", "… 5 more")
}

func TestGlobShowsTheNewestFirst(t *testing.T) {
	k := newKit(t, Config{})
	for i, name := range []string{"old.go", "sub/mid.go", "new.go", "x.txt"} {
		k.write(name, "")
		at := time.Unix(1_000_000+int64(i), 0)
		if err := os.Chtimes(k.path(name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	for pattern, want := range map[string]string{
		"**/*.go":         "3 files\nnew.go\nsub/mid.go\nold.go\n",
		"*.go":            "2 files\nnew.go\nold.go\n",
		"sub/*":           "1 file\nsub/mid.go\n",
		k.path("sub/**"):  "1 file\nsub/mid.go\n",
		"*.{go,txt}":      "3 files\nx.txt\nnew.go\nold.go\n",
		"nowhere/**/*.go": "0 files\n",
	} {
		if got := k.want("glob", args{"pattern": pattern}); got != want+"0 ignored, 0 not readable" {
			t.Errorf("%s: got %q", pattern, got)
		}
	}
	r := k.call("glob", args{"pattern": "**", "limit": 2})
	if has(t, r.Text, "4 files, the newest 2 of them", "x.txt\nnew.go\n"); r.Truncated {
		t.Error("an explicit limit that was met is marked as truncated")
	}
	has(t, k.refuse("glob", args{"pattern": "[a"}), "not well formed")
}

func TestGrepShowsLines(t *testing.T) {
	k := newKit(t, Config{})
	k.write("a.go", "package a\n\nfunc One() {}\r\n// one\nfunc Two() {}\n")
	k.write("sub/b.txt", "func in text\n")
	k.write("bin", "func\x00")
	const end = "0 ignored, 0 not readable"
	for _, c := range []struct {
		args args
		want string
	}{
		{args{"pattern": `func \w+\(`}, "2 matches in 1 file\na.go:3:func One() {}\na.go:5:func Two() {}\n" + end + ", 1 binary"},
		{args{"pattern": "ONE", "ignore_case": true, "glob": "*.go"}, "2 matches in 1 file\na.go:3:func One() {}\na.go:4:// one\n" + end},
		{args{"pattern": "^// one$", "context": 1, "path": "a.go"}, "1 match in 1 file\na.go-3-func One() {}\na.go:4:// one\na.go-5-func Two() {}\n" + end},
		{args{"pattern": `\Afunc`, "glob": "sub/*.txt"}, "1 match in 1 file\nsub/b.txt:1:func in text\n" + end},
		{args{"pattern": `\{\}$`, "path": "."}, "2 matches in 1 file\na.go:3:func One() {}\na.go:5:func Two() {}\n" + end + ", 1 binary"},
		{args{"pattern": "func", "limit": 1, "glob": "*.{go,txt}"}, "1 match in 1 file; there are more than the limit of 1\na.go:3:func One() {}\n" + end},
		{args{"pattern": "nothing", "path": "sub"}, "0 matches in 0 files\n" + end},
	} {
		if got := k.want("grep", c.args); got != c.want {
			t.Errorf("%v: got %q", c.args, got)
		}
	}
	has(t, k.refuse("grep", args{"pattern": "("}), "missing closing )")
	has(t, k.refuse("grep", args{"pattern": "x", "path": "bin"}), "binary")
}

// B073: a match in a huge line is a piece of it around the match.
func TestB073MatchInAHugeLine(t *testing.T) {
	k := newKit(t, Config{})
	k.write("min.js", strings.Repeat("x", 3_000_000)+"NEEDLE"+strings.Repeat("y", 2_000_000)+"\nNEEDLE\n")
	got := k.want("grep", args{"pattern": "NEEDLE"})
	has(t, got, "2 matches in 1 file\nmin.js:1:…xxx", "xNEEDLEy", "y…\nmin.js:2:NEEDLE\n")
	if len(got) > 1000 {
		t.Errorf("%d bytes", len(got))
	}
	k.write("many", strings.Repeat(strings.Repeat("z", 390)+"\n", 500))
	r := k.call("grep", args{"pattern": "z", "path": "many", "limit": 500})
	if len(r.Text) > grepMax+500 || !r.Truncated {
		t.Errorf("%d bytes, truncated %v", len(r.Text), r.Truncated)
	}
}

// B074: ignore rules never hide what was asked for, and say what they skipped.
func TestB074ExplicitPathIsSearched(t *testing.T) {
	k := newKit(t, Config{})
	k.write(".gitignore", "scripts/*\nbuild/\n*.log\n")
	k.write("scripts/run.sh", "needle\n")
	k.write("scripts/x.log", "needle\n")
	k.write("build/out/a.c", "needle\n")
	for _, c := range []struct {
		tool string
		args args
		want string
	}{
		{"grep", args{"pattern": "needle"}, "0 matches in 0 files\n3 ignored"},
		{"grep", args{"pattern": "needle", "path": "scripts/"}, "scripts/run.sh:1:needle\n1 ignored"},
		{"grep", args{"pattern": "needle", "glob": "scripts/*.sh"}, "scripts/run.sh:1:needle\n1 ignored"},
		{"grep", args{"pattern": "needle", "path": "build"}, "build/out/a.c:1:needle\n0 ignored"},
		{"grep", args{"pattern": "needle", "path": "build/out"}, "build/out/a.c:1:needle\n0 ignored"},
		{"grep", args{"pattern": "needle", "path": "scripts/x.log"}, "scripts/x.log:1:needle\n0 ignored"},
		{"glob", args{"pattern": "**/*.sh"}, "0 files\n3 ignored"},
		{"glob", args{"pattern": "scripts/*.sh"}, "scripts/run.sh\n1 ignored"},
		{"glob", args{"pattern": "**/a.c", "path": "build"}, "build/out/a.c\n0 ignored"},
		{"list_dir", args{"path": "scripts"}, "run.sh  7\n1 ignored"},
	} {
		has(t, k.want(c.tool, c.args), c.want)
	}
}

// B076: nested ignore files hold, so ignored copies of a repository are no hits.
func TestB076IgnoredTreesAreSkipped(t *testing.T) {
	k := newKit(t, Config{})
	k.write("main.go", "needle\n")
	k.write("tools/.gitignore", "worktrees\n!keep.tmp\n")
	k.write(".gitignore", "*.tmp\n")
	k.write("tools/keep.tmp", "needle\n")
	k.write("tools/drop.tmp2", "")
	k.write("other/keep.tmp", "needle\n")
	for i := range 5 {
		k.write(fmt.Sprintf("tools/worktrees/w%d/main.go", i), "needle\n")
	}
	want := "2 matches in 2 files\nmain.go:1:needle\ntools/keep.tmp:1:needle\n2 ignored, 0 not readable"
	if got := k.want("grep", args{"pattern": "needle"}); got != want {
		t.Errorf("got %q", got)
	}
}

// Ignore rules are read as git reads them.
func TestIgnoreRules(t *testing.T) {
	for _, c := range []struct {
		rules, path string
		dir, want   bool
	}{
		{"*.txt\n!src", "src/a.txt", false, true},
		{"/build", "build", true, true},
		{"/build", "x/build", true, false},
		{"build/", "build", false, false},
		{"a/**/b", "a/x/y/b", false, true},
		{"a/**/b", "a/b", false, true},
		{"a/**", "a", true, false},
		{"a/**", "a/x", false, true},
		{"**/foo", "x/y/foo", false, true},
		{"doc/*.txt", "doc/a/b.txt", false, false},
		{"[!a]x", "bx", false, true},
		{"[!a]x", "ax", false, false},
		{"{a,b}", "a", false, false},
		{"{a,b}", "{a,b}", false, true},
		{`\#x`, "#x", false, true},
		{"#x", "#x", false, false},
		{"x \r", "x", false, true},
		{"*\n!*.go", "a.go", false, false},
		{"*\n!*.go", "a.c", false, true},
	} {
		got := ignores{parseIgnore(".", c.rules)}.ignored(c.path, c.dir)
		if got != c.want {
			t.Errorf("%q %s: got %v", c.rules, c.path, got)
		}
	}
}

// B077: a search through very many folders, deep ones and loops of links ends
// at once when it is canceled, and by itself otherwise.
func TestB077SearchEnds(t *testing.T) {
	k := newKit(t, Config{})
	k.write("d/f.go", "needle\n")
	if err := os.Symlink("..", k.path("d/loop")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(k.path("deep"+strings.Repeat("/x", 300)), 0o755); err != nil {
		t.Fatal(err)
	}
	got := k.want("glob", args{"pattern": "**/*"})
	has(t, got, "2 files", "d/f.go\n", "d/loop\n", "1 not readable")
	has(t, k.want("grep", args{"pattern": "needle"}), "1 match in 1 file")

	ctx, cancel := context.WithCancel(t.Context())
	for i := range 50 {
		k.write(fmt.Sprintf("many/%d", i), "")
	}
	place, err := k.ws.locateFolder("many", nil)
	if err != nil {
		t.Fatal(err)
	}
	walk := tree{root: place.root, visit: func(*os.Root, entry) (bool, error) { cancel(); return true, nil }}
	if err := walk.walk(ctx, place.Rel); !errors.Is(err, context.Canceled) || walk.names != 1 {
		t.Errorf("%v after %d names", err, walk.names)
	}
	for tool, a := range map[string]args{"glob": {"pattern": "**"}, "grep": {"pattern": "needle"}} {
		if r := k.callIn(ctx, k.scope, tool, a); r.Kind != Canceled {
			t.Errorf("%s: %+v", tool, r)
		}
	}
	if r := k.callIn(ctx, k.scope, "list_dir", args{"depth": 99}); r.OK() {
		t.Errorf("list_dir: %+v", r)
	}
}

// Four greps at once over many files hold no more than their buffers.
func TestPromise16ParallelGrepsKeepMemoryBounded(t *testing.T) {
	k := newKit(t, Config{})
	plantTree(t, k.dir, 1_000)
	k.write("large", strings.Repeat("no match in this line at all\n", 300_000))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	results := make(chan Result, 4)
	for range 4 {
		go func() { results <- k.call("grep", args{"pattern": "needle [0-9]+7$"}) }()
	}
	for range 4 {
		has(t, (<-results).Text, "99 matches in 99 files")
	}
	runtime.ReadMemStats(&after)
	const ceiling = 4 * (grepWorkersMax*scanMax + 8<<20)
	if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > ceiling {
		t.Errorf("the heap grew by %d bytes, more than %d", grown, ceiling)
	}
}

// plantTree makes n files in folders of 100.
func plantTree(tb testing.TB, root string, n int) {
	tb.Helper()
	for i := range n {
		dir := filepath.Join(root, fmt.Sprintf("t%03d", i/100))
		if i%100 == 0 {
			if err := os.Mkdir(dir, 0o755); err != nil {
				tb.Fatal(err)
			}
		}
		text := strings.Repeat("some line of code\n", 20) + fmt.Sprintf("needle %d\n", i)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%05d.txt", i)), []byte(text), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
}
