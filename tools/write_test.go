package tools

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestWriteCreatesAndReplaces(t *testing.T) {
	k := newKit(t, Config{})
	got := k.want("write_file", args{"path": "a/b/new.txt", "content": "one\n"})
	has(t, got, "a/b/new.txt: created, 4 bytes\n", "+one\n")
	got = k.want("write_file", args{"path": "a/b/new.txt", "content": "two\n"})
	has(t, got, "a/b/new.txt: replaced, 4 bytes, before 4\n", "-one\n+two\n")
	has(t, k.want("write_file", args{"path": "a/b/new.txt", "content": "two\n"}), "unchanged")
	has(t, k.refuse("write_file", args{"path": "a/b", "content": ""}), "a folder, not a regular file")
	has(t, k.refuse("write_file", args{"path": "a/c/", "content": ""}), "names a folder")
	has(t, k.refuse("write_file", args{"path": "", "content": ""}), "the path is empty")
	k.noTemps()
}

// noTemps fails if a temporary file is left anywhere.
func (k *kit) noTemps() {
	k.t.Helper()
	_ = filepath.WalkDir(k.dir, func(path string, _ fs.DirEntry, _ error) error {
		if strings.Contains(path, ".weir-") {
			k.t.Errorf("%s was left", path)
		}
		return nil
	})
}

func (k *kit) mode(name string) fs.FileMode {
	k.t.Helper()
	info, err := os.Lstat(k.path(name))
	if err != nil {
		k.t.Fatal(err)
	}
	return info.Mode()
}

// B062: a write goes through links to the file; a loop is an error.
func TestB062WriteThroughLinks(t *testing.T) {
	k := newKit(t, Config{})
	k.write("real", "old\n")
	for name, target := range map[string]string{
		"link": "real", "chain": "link", "abs": k.path("real"), "dangling": "sub/../fresh", "loop": "pool", "pool": "loop",
	} {
		if err := os.Symlink(target, k.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(k.path("sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"link", "chain", "abs", "dangling"} {
		k.want("write_file", args{"path": name, "content": name + "\n"})
		if k.mode(name).Type() != fs.ModeSymlink {
			t.Errorf("%s is no link any more", name)
		}
		real := "real"
		if name == "dangling" {
			real = "fresh"
		}
		if got := k.content(real); got != name+"\n" {
			t.Errorf("by %s the file became %q", name, got)
		}
	}
	has(t, k.refuse("write_file", args{"path": "loop", "content": ""}), "too many links, perhaps a loop")
}

// B064: a write keeps the mode and never widens it; a new file gets the mode
// new files get.
func TestB064ModeStays(t *testing.T) {
	k := newKit(t, Config{})
	for _, mode := range []fs.FileMode{0o600, 0o755, 0o640, 0o444 | 0o200, 0o755 | fs.ModeSetuid} {
		k.scope = NewScope()
		k.write("f", "#!/bin/sh\n")
		if err := os.Chmod(k.path("f"), mode); err != nil {
			t.Fatal(err)
		}
		k.want("write_file", args{"path": "f", "content": "#!/bin/sh\necho " + mode.String() + "\n"})
		if got := k.mode("f"); got != mode {
			t.Errorf("%v became %v", mode, got)
		}
		if err := os.Remove(k.path("f")); err != nil {
			t.Fatal(err)
		}
	}
	k.write("by-hand", "")
	k.want("write_file", args{"path": "new", "content": "#!/bin/sh\n"})
	if got, want := k.mode("new"), k.mode("by-hand")&^0o022|k.mode("new")&0o022; got != want {
		t.Errorf("a new file got %v, not %v", got, want)
	}
}

// A replaced file keeps its owner, a new one gets the group of a setgid folder.
// Without the right to give files away the test says less.
func TestWriteKeepsOwnerAndGroup(t *testing.T) {
	k := newKit(t, Config{})
	k.write("dir/old", "1\n")
	_ = os.Chown(k.path("dir/old"), 12345, 12345)
	_ = os.Chown(k.path("dir"), -1, 23456)
	if err := os.Chmod(k.path("dir"), 0o755|fs.ModeSetgid); err != nil {
		t.Fatal(err)
	}
	owner := func(name string) (uint32, uint32) {
		t.Helper()
		info, err := os.Lstat(k.path(name))
		if err != nil {
			t.Fatal(err)
		}
		stat := info.Sys().(*syscall.Stat_t)
		return stat.Uid, stat.Gid
	}
	uid, gid := owner("dir/old")
	k.want("write_file", args{"path": "dir/old", "content": "2\n"})
	if u, g := owner("dir/old"); u != uid || g != gid {
		t.Errorf("%d:%d became %d:%d", uid, gid, u, g)
	}
	k.want("write_file", args{"path": "dir/new", "content": "n\n"})
	_, folder := owner("dir")
	if _, g := owner("dir/new"); g != folder {
		t.Errorf("a new file got group %d, its folder has %d", g, folder)
	}
}

// B065: a file with several hard links is written in place, so they stay; a
// swap to what is no file is refused, not followed.
func TestB065HardLinksStay(t *testing.T) {
	k := newKit(t, Config{})
	k.write("f", "one two three\n")
	if err := os.Link(k.path("f"), k.path("g")); err != nil {
		t.Fatal(err)
	}
	has(t, k.want("write_file", args{"path": "f", "content": "short\n"}), "written in place, since it has 2 hard links")
	if got := k.content("g"); got != "short\n" {
		t.Errorf("the other link has %q", got)
	}
	if err := os.Remove(k.path("f")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(k.path("f"), 0o644); err != nil {
		t.Fatal(err)
	}
	has(t, k.refuse("write_file", args{"path": "f", "content": "x"}), "a named pipe, not a regular file")
}

// A file that appears or changes between the look and the rename is not lost.
func TestWriteNeverTakesAnotherWritersFile(t *testing.T) {
	k := newKit(t, Config{})
	c := func(edit func(context.Context, []byte) ([]byte, error)) *change {
		return &change{ws: k.ws, call: Call{Turn: "t", Scope: k.scope}, path: "f", edit: edit}
	}
	err := c(func(context.Context, []byte) ([]byte, error) { k.write("f", "theirs"); return []byte("mine"), nil }).run(t.Context())
	if err == nil || k.content("f") != "theirs" {
		t.Errorf("a new file: %v, %q", err, k.content("f"))
	}
	err = c(func(context.Context, []byte) ([]byte, error) {
		k.write("f", "theirs again")
		return []byte("mine"), nil
	}).run(t.Context())
	if err == nil || k.content("f") != "theirs again" {
		t.Errorf("an old file: %v, %q", err, k.content("f"))
	}
	k.noTemps()
}

func TestUndoTakesBackTheNewestTurn(t *testing.T) {
	k := newKit(t, Config{})
	k.write("old", "1\n")
	write := func(turn, path, content string) {
		t.Helper()
		c := &change{ws: k.ws, call: Call{Turn: turn, Scope: k.scope}, path: path, folders: true, edit: func(context.Context, []byte) ([]byte, error) {
			return []byte(content), nil
		}}
		if err := c.run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	write("t1", "old", "2\n")
	write("t2", "old", "3\n")
	write("t2", "new", "n\n")
	write("t2", "old", "4\n")
	changes := Changes(k.scope)
	if len(changes) != 2 || changes[0].Name != "old" || !changes[1].Created {
		t.Fatalf("got %+v", changes)
	}
	has(t, changes[0].Diff, "-1\n+4\n")

	names, err := k.ws.Undo(t.Context(), k.scope)
	if err != nil || strings.Join(names, " ") != "old new old" || k.content("old") != "2\n" {
		t.Errorf("got %v, %v, %q", names, err, k.content("old"))
	}
	if _, err := os.Lstat(k.path("new")); !os.IsNotExist(err) {
		t.Errorf("new is still there: %v", err)
	}
	// The model does not know that its edit is gone.
	has(t, k.refuse("edit_file", args{"path": "old", "edits": one("2", "9")}), "changed since you read it")

	k.write("old", "by hand\n")
	if _, err := k.ws.Undo(t.Context(), k.scope); err == nil || k.content("old") != "by hand\n" {
		t.Errorf("another's change was taken back: %v", err)
	}
	k.write("old", "2\n")
	if _, err := k.ws.Undo(t.Context(), k.scope); err != nil || k.content("old") != "1\n" {
		t.Errorf("got %v, %q", err, k.content("old"))
	}
	if _, err := k.ws.Undo(t.Context(), k.scope); err == nil {
		t.Error("there was something left to undo")
	}
}

func TestUndoForgetsTheOldestBeyondItsBound(t *testing.T) {
	h := &history{}
	for range 5 {
		h.add(past{after: make([]byte, historyMax/3)})
	}
	if len(h.list) != 3 || h.bytes > historyMax {
		t.Errorf("%d changes with %d bytes", len(h.list), h.bytes)
	}
}
