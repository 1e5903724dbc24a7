package rules

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weir-agents/weir/tools"
)

// tree makes a workspace with links in it and a second root beside.
func tree(t *testing.T) (w, second string) {
	t.Helper()
	dir := t.TempDir()
	w, second = filepath.Join(dir, "w"), filepath.Join(dir, "second")
	for _, f := range []string{"a.go", "src/b.go", "src/deep/er/c.go", ".env", "src/.env", "real/f", "real/sub/g", "[x]", `b\c`, "{a,b}", "st*r"} {
		write(t, filepath.Join(w, f))
	}
	write(t, filepath.Join(second, "b.go"))
	link(t, "real", filepath.Join(w, "link"))
	link(t, "real/sub", filepath.Join(w, "sub"))
	link(t, ".env", filepath.Join(w, "public"))
	link(t, second, filepath.Join(w, "other"))
	return w, second
}

func TestPromise4WhatAnAllowCovers(t *testing.T) {
	w, second := tree(t)
	for _, test := range []struct{ pattern, yes, no string }{
		{"a.go", "a.go ./a.go src/../a.go W/a.go", "src/a.go A.go a.go/x b.go"},
		{"*.go", "a.go new.go S/b.go other/b.go", "src/b.go .env src"},
		{"src/*.go", "src/b.go", "src/deep/er/c.go a.go src"},
		{"src", "src", "src/b.go src/deep"},
		{"**/*.go", "a.go src/b.go src/deep/er/c.go", ".env src"},
		{"src/**/c.go", "src/c.go src/deep/er/c.go", "c.go"},
		{"src/**", "src/b.go src/deep/er/c.go src/.env", "src a.go srcs"},
		{"**", "a.go src/deep/er/c.go", "../x"},
		{"?.go", "a.go", "ab.go"},
		{"[ab].go", "a.go b.go", "c.go"},
		{"[!a].go", "b.go", "a.go"},
		{"real/f", "real/f link/f link/sub/../f sub/../f", "f"},
		{"link/f", "", "link/f real/f"},
		{"sub/../f", "", "real/f f"},
		{"[[]x]", "[x]", "x"},
		{`b\c`, `b\c`, "bc"},
		{"{a,b}", "{a,b}", "a b"},
		{"st*r", "st*r star", "s"},
		{"st[*]r", "st*r", "star"},
		{"W/src/*", "src/b.go", "a.go S/b.go"},
		{"S/**", "S/b.go other/b.go", "a.go"},
		{"src/", "", "src src/b.go"},
		{"./src/*.go", "src/b.go", "b.go"},
	} {
		abs := strings.NewReplacer("W/", w+"/", "S/", second+"/").Replace
		p := policyOf(t, Config{Roots: []string{w, second}, Allow: []string{"write_file(" + abs(test.pattern) + ")"}, Interactive: true})
		for _, path := range strings.Fields(test.yes) {
			if v := call(t, p, "write_file", "path", abs(path)); v.Decision != tools.Allow {
				t.Errorf("%s should cover %s: %+v", test.pattern, path, v)
			}
		}
		for _, path := range strings.Fields(test.no) {
			if v := call(t, p, "write_file", "path", abs(path)); v.Decision == tools.Allow {
				t.Errorf("%s should not cover %s: %+v", test.pattern, path, v)
			}
			if v := call(t, p, "edit_file", "path", abs(path)); v.Decision == tools.Allow {
				t.Errorf("a rule of write_file covers edit_file: %+v", v)
			}
		}
	}
}

func TestWhatADenyCovers(t *testing.T) {
	w, second := tree(t)
	for _, test := range []struct{ pattern, yes, no string }{
		{"**/.env", ".env src/.env ./src//.env public W/.env src/../.env S/.env", "a.go .ENV .env2"},
		{".env", ".env public real/../.env sub/../../.env", "src/.env"},
		{"public", "public W/public", ".env"},
		{"link/*", "link/f link/new W/link/f", "real/f"},
		{"real/*", "real/f link/f sub/../f link/sub", "real/sub/g sub/g"},
		{"real/**", "real/f real/sub/g link/sub/g sub/g sub real", "a.go"},
		{"link", "link", "link/f real"},
		{"f", "sub/../f f", "real/f"},
		{"src", "src", "src/b.go"},
		{"W/src/*", "src/b.go W/src/b.go", "a.go"},
		{"S/*", "S/b.go other/b.go", "a.go"},
		{"**", "a.go src/b.go .env", ""},
	} {
		abs := strings.NewReplacer("W/", w+"/", "S/", second+"/").Replace
		p := policyOf(t, Config{Mode: Bypass, Roots: []string{w, second}, Allow: []string{"read_file"}, Deny: []string{"read_file(" + abs(test.pattern) + ")"}})
		for _, path := range strings.Fields(test.yes) {
			if v := call(t, p, "read_file", "path", abs(path)); v.Decision != tools.Deny || v.By != "rule" {
				t.Errorf("%s should deny %s: %+v", test.pattern, path, v)
			}
			if v := call(t, p, "grep", "path", abs(path), "pattern", "x"); v.Decision != tools.Deny {
				t.Errorf("%s should keep grep from %s: %+v", test.pattern, path, v)
			}
			if !p.Denied("grep", abs(path)) || !p.Denied("list_dir", abs(path)) || p.Denied("write_file", abs(path)) {
				t.Errorf("%s should keep %s out of what grep finds, and not out of write_file", test.pattern, path)
			}
		}
		for _, path := range strings.Fields(test.no) {
			if v := call(t, p, "read_file", "path", abs(path)); v.Decision != tools.Allow {
				t.Errorf("%s should not deny %s: %+v", test.pattern, path, v)
			}
			if p.Denied("grep", abs(path)) {
				t.Errorf("%s should leave %s in what grep finds", test.pattern, path)
			}
		}
		if v := call(t, p, "grep", "pattern", "x"); v.Decision != tools.Allow {
			t.Errorf("%s denies a search of the whole workspace: %+v", test.pattern, v)
		}
	}
}

// A link that leads out of the workspace is a name that may be listed, unless a
// rule covers its name; what it leads to is never read.
func TestALinkThatLeadsOutsideIsWithheldOnlyByARuleOfItsName(t *testing.T) {
	w, _ := tree(t)
	link(t, "/etc", filepath.Join(w, "etc"))
	link(t, "/etc", filepath.Join(w, "id.key"))
	link(t, "round", filepath.Join(w, "round"))
	p := policyOf(t, Config{Roots: []string{w}, Deny: []string{"read_file(**/*.key)"}})
	for path, want := range map[string]bool{"etc": false, "round": false, "id.key": true} {
		for _, tool := range []string{"list_dir", "glob", "grep"} {
			if p.Denied(tool, filepath.Join(w, path)) != want {
				t.Errorf("%s %s is not %v", tool, path, want)
			}
		}
		if !p.Denied("read_file", filepath.Join(w, path)) {
			t.Errorf("read_file may read %s", path)
		}
	}
}

func TestPromise8ProtectedPathsAreAskedByThemselves(t *testing.T) {
	w, _ := tree(t)
	state := filepath.Join(w, "state")
	write(t, filepath.Join(state, "session"))
	write(t, filepath.Join(w, ".git", "config"))
	link(t, ".git", filepath.Join(w, "g"))
	link(t, state, filepath.Join(w, "s"))
	for _, mode := range []Mode{AskMode, AcceptEdits, Bypass} {
		p := policyOf(t, Config{Mode: mode, Roots: []string{w}, Protected: []string{filepath.Join(w, "s")}, Allow: []string{"write_file", "write_file(**)"}, Interactive: true})
		for path, protected := range map[string]bool{
			".git/hooks/pre-commit": true, ".git/config": true, "g/config": true, ".GIT/Config": true, ".git": true, "sub/.git/hooks/x": true, ".git/modules/m/hooks/x": true,
			".git/worktrees/t/config.worktree": true, ".weir/config": true, ".weir": true, "src/.weir/x": true, "state/session": true, "s/session": true, "state": true,
			".git/commondir": true, "g/commondir": true, ".git/worktrees/t/commondir": true, ".git/worktrees/t/gitdir": true, ".git/modules/m/commondir": true,
			".git/info/attributes": true, ".git/rebase-merge/git-rebase-todo": true, ".git/refs/heads/config": false, ".git/info/exclude": false, ".gitignore": false, "git/config": false, "states": false, "a.go": false, "config": false,
		} {
			v := call(t, p, "write_file", "path", path)
			want := tools.Allow
			if protected {
				want = tools.Ask
			}
			if v.Decision != want || protected && (v.Suggestion != "" || !strings.Contains(v.Reason, "always asked by itself")) {
				t.Errorf("mode %s, %s: %+v", mode, path, v)
			}
			if v := call(t, p, "read_file", "path", path); v.Decision != tools.Allow {
				t.Errorf("reading %s: %+v", path, v)
			}
		}
	}
}

// weir's folders may be made later, and its home may be a link.
func TestProtectedFoldersNeedNotExist(t *testing.T) {
	dir := t.TempDir()
	home := filepath.Join(dir, "home")
	if err := os.Mkdir(home, 0o755); err != nil {
		t.Fatal(err)
	}
	link(t, "home", filepath.Join(dir, "link"))
	p := policyOf(t, Config{Mode: Bypass, Roots: []string{home}, Protected: []string{filepath.Join(dir, "link", "state", "weir")}, Interactive: true})
	if v := call(t, p, "write_file", "path", "state/weir/x"); v.Decision != tools.Ask {
		t.Errorf("%+v", v)
	}
}

func TestFileSuggestionsCoverOnePath(t *testing.T) {
	w, second := tree(t)
	for path, want := range map[string]string{
		"a.go": "write_file(a.go)", "link/f": "write_file(real/f)", "[x]": "write_file([[]x])", "st*r": "write_file(st[*]r)", `b\c`: `write_file(b\c)`, "{a,b}": "write_file({a,b})",
		"new/file": "write_file(new/file)", "a b": "write_file(a b)", "a ": "", "a\nb": "", "x(y)": "write_file(x(y))",
	} {
		p := policyOf(t, Config{Roots: []string{w}, Interactive: true})
		v := call(t, p, "write_file", "path", path)
		if v.Decision != tools.Ask || v.Suggestion != want {
			t.Errorf("%q: %+v, want %s", path, v, want)
		}
		if want == "" {
			continue
		}
		if err := p.Remember(want); err != nil || call(t, p, "write_file", "path", path).Decision != tools.Allow {
			t.Errorf("%s does not cover %q: %v", want, path, err)
		}
		if v := call(t, p, "write_file", "path", path+"x"); v.Decision != tools.Ask {
			t.Errorf("%s covers %qx", want, path)
		}
	}
	p := policyOf(t, Config{Roots: []string{w, second}, Interactive: true})
	if v := call(t, p, "write_file", "path", second+"/b.go"); v.Suggestion != "write_file("+second+"/b.go)" {
		t.Errorf("with two roots: %+v", v)
	}
}

func TestReadableFoldersAreNotWritten(t *testing.T) {
	w, second := tree(t)
	p := policyOf(t, Config{Mode: Bypass, Roots: []string{w}, Readable: []string{second}})
	if v := call(t, p, "read_file", "path", second+"/b.go"); v.Decision != tools.Allow {
		t.Errorf("%+v", v)
	}
	if v := call(t, p, "write_file", "path", second+"/b.go"); v.Decision != tools.Deny {
		t.Errorf("%+v", v)
	}
	if v := call(t, p, "bash", "command", "ls", "cwd", second); v.Decision != tools.Deny {
		t.Errorf("%+v", v)
	}
	if err := os.RemoveAll(w); err != nil {
		t.Fatal(err)
	}
	if v := call(t, p, "read_file", "path", "a.go"); v.Decision != tools.Allow {
		t.Errorf("a workspace that is gone is the tool's to report: %+v", v)
	}
	none := policyOf(t, Config{Mode: Bypass, Roots: []string{}})
	if v := call(t, none, "read_file", "path", "a"); v.Decision != tools.Deny {
		t.Errorf("without roots: %+v", v)
	}
}
