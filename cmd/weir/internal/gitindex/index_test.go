package gitindex

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// git runs the real one in dir, without anybody's configuration.
func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=n", "GIT_AUTHOR_EMAIL=e", "GIT_COMMITTER_NAME=n", "GIT_COMMITTER_EMAIL=e",
	}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %q: %v", args, err)
	}
	return string(out)
}

// repository makes one that tracks files whose names have a lot in common.
func repository(t testing.TB) string {
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	for _, name := range []string{"a", "a-b", "a.b/c", "ab", "deep/er/and/deeper", "deep/er/file", "ünï/cöde", strings.Repeat("n", 200)} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(name), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	git(t, dir, "add", ".")
	return dir
}

func index(t testing.TB, dir string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, ".git/index"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// names returns the names of an index, with the stage in front where there is
// one, as `git ls-files --stage` has them.
func names(data []byte) (all []string, err error) {
	err = Read(data, func(e Entry) error {
		all = append(all, string('0'+rune(e.Stage))+"\t"+string(e.Name))
		return nil
	})
	return all, err
}

// What is read is what git lists, in each version, conflicts too.
func TestTheNamesAreThoseOfGit(t *testing.T) {
	dir := repository(t)
	for _, version := range []string{"2", "3", "4"} {
		git(t, dir, "update-index", "--index-version", version)
		if version == "3" { // which needs a reason to be written
			if err := os.WriteFile(filepath.Join(dir, "intended"), []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
			git(t, dir, "add", "-N", "intended")
			git(t, dir, "update-index", "--skip-worktree", "ab")
		}
		var want []string
		for line := range strings.SplitSeq(strings.TrimSuffix(git(t, dir, "ls-files", "-z", "--stage"), "\x00"), "\x00") {
			want = append(want, line[strings.IndexByte(line, '\t')-1:])
		}
		got, err := names(index(t, dir))
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("version %s: %v\n%s", version, err, diff)
		}
	}
	flags := map[string]string{}
	if err := Read(index(t, dir), func(e Entry) error {
		if e.Intended || e.Skipped {
			flags[string(e.Name)] = map[bool]string{true: "intended", false: "skipped"}[e.Intended]
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"intended": "intended", "ab": "skipped"}, flags); diff != "" {
		t.Error(diff)
	}
}

// An index that does not hold all of the files says so.
func TestAnIndexOfAnotherKindIsNotRead(t *testing.T) {
	split := repository(t)
	git(t, split, "update-index", "--split-index")
	git(t, split, "add", ".")
	if err := os.WriteFile(filepath.Join(split, "a"), []byte("changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	git(t, split, "add", "a") // stands in the new file without a name
	sparse := repository(t)
	git(t, sparse, "commit", "-q", "-m", "m")
	git(t, sparse, "sparse-checkout", "set", "--cone", "--sparse-index", "a.b")
	for dir, want := range map[string]error{split: ErrSplit, sparse: ErrSparse} {
		if _, err := names(index(t, dir)); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
}

// made is an index of version 4 with these entries, each the bytes to strip of
// the name before it and the ones to add.
func made(entries ...[2]string) []byte {
	body := binary.BigEndian.AppendUint32([]byte("DIRC\x00\x00\x00\x04"), uint32(len(entries)))
	name := 0
	for _, e := range entries {
		fixed := make([]byte, fixedSize)
		binary.BigEndian.PutUint32(fixed[24:], Regular|0o644)
		name += len(e[1]) - int(e[0][0])
		binary.BigEndian.PutUint16(fixed[60:], uint16(min(name, lengthMask)))
		body = append(append(append(append(body, fixed...), e[0]...), e[1]...), 0)
	}
	return sealed(body)
}

func sealed(body []byte) []byte {
	sum := sha1.Sum(body)
	return append(body, sum[:]...)
}

func TestAHostileIndexIsDamaged(t *testing.T) {
	head := "DIRC\x00\x00\x00\x02"
	for name, data := range map[string][]byte{
		"empty":              {},
		"a large count":      sealed([]byte(head + "\xff\xff\xff\xff")),
		"no sum":             append([]byte(head), make([]byte, 3)...),
		"another sum":        append(made([2]string{"\x00", "a"}), 1),
		"outside":            made([2]string{"\x00", "../a"}),
		"outside, further":   made([2]string{"\x00", "a/../../b"}),
		"absolute":           made([2]string{"\x00", "/a"}),
		"in .git":            made([2]string{"\x00", "a/.GIT/config"}),
		"no name":            made([2]string{"\x00", ""}),
		"twice":              made([2]string{"\x00", "a"}, [2]string{"\x01", "a"}),
		"no order":           made([2]string{"\x00", "b"}, [2]string{"\x01", "a"}),
		"more than was":      made([2]string{"\x01", "a"}),
		"a long name":        made([2]string{"\x00", strings.Repeat("a", 4000)}, [2]string{"\x00", strings.Repeat("a", 97)}),
		"a number, too long": made([2]string{"\xff\xff\xff\xff\x7f", "a"}),
		"an extension":       sealed([]byte(head + "\x00\x00\x00\x00TREE\xff\xff\xff\xff")),
		"part of one":        sealed([]byte(head + "\x00\x00\x00\x00TREE\x00")),
	} {
		if got, err := names(data); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if got, err := names(made([2]string{"\x00", "a/b"}, [2]string{"\x01", "c"})); err != nil || len(got) != 2 {
		t.Fatalf("what these are made of is no index: %q, %v", got, err)
	}
}

// FuzzRead changes real ones; a sum of zeros is not looked at.
func FuzzRead(f *testing.F) {
	dir := repository(f)
	for _, version := range []string{"2", "4"} {
		git(f, dir, "update-index", "--index-version", version)
		data := index(f, dir)
		f.Add(append(data[:len(data)-sha1.Size:len(data)-sha1.Size], make([]byte, sha1.Size)...))
	}
	f.Add(made([2]string{"\x00", "a/b"}, [2]string{"\x01", "c"}))
	f.Fuzz(func(t *testing.T, data []byte) {
		var last []byte
		entries := 0
		_ = Read(data, func(e Entry) error { // whether it is whole does not matter here
			if entries++; entries*fixedSize > len(data) {
				t.Fatal("more entries than bytes for them")
			}
			if !filepath.IsLocal(string(e.Name)) || len(e.Name) > NameMax || bytes.Compare(last, e.Name) > 0 {
				t.Fatalf("%q behind %q", e.Name, last)
			}
			last = append(last[:0], e.Name...)
			return nil
		})
	})
}
