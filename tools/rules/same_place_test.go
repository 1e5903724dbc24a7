package rules

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/weir-agents/weir/tools"
)

// crossroads is two roots, the second reached through a link, with links of all
// kinds in them and beside them.
func crossroads(t *testing.T) (base string, roots []string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"w/a/b", "w/.git/hooks", "real/a", "w-evil", "out/a"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"w/f", "w/a/f", "w/a/b/f", "real/f", "out/f", "w-evil/f"} {
		if err := os.WriteFile(filepath.Join(base, file), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{
		"second": "real", "w/up": "..", "w/a/up": "../..", "w/a/back": "../../w/a/b", "w/deep": "a/b", "w/out": "../out", "w/out-f": "../out/f",
		"w/abs": filepath.Join(base, "w/a"), "w/abs-out": filepath.Join(base, "out"), "w/other": filepath.Join(base, "second"), "w/other-real": "../real",
		"w/self": "self", "w/one": "two", "w/two": "one", "w/gone": "a/none", "w/gone-out": "../out/none", "w/hooks": ".git/hooks", "w/root": "/",
		"w/a/b/three": "../../a/b/../up/w/f", "real/w": "../w", "w/dot": ".", "w/slash": "a/",
	} {
		if err := os.Symlink(target, filepath.Join(base, name)); err != nil {
			t.Fatal(err)
		}
	}
	return base, []string{filepath.Join(base, "w"), filepath.Join(base, "second")}
}

// What a file tool opens is what the policy has judged: wherever the workspace
// finds a place, the policy finds the same, and what is outside for one is not
// inside for the other.
func TestPromise1ThePolicyJudgesThePlaceThatIsOpened(t *testing.T) {
	base, dirs := crossroads(t)
	work, err := tools.OpenWorkspace(dirs...)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = work.Close() }()
	roots, err := openRoots(dirs)
	if err != nil {
		t.Fatal(err)
	}
	element := rapid.SampledFrom([]string{
		"..", "..", ".", "", "a", "b", "f", "none", "up", "back", "deep", "out", "out-f", "abs", "abs-out", "other", "other-real", "self", "one", "gone", "gone-out",
		"hooks", ".git", "root", "three", "w", "w-evil", "second", "real", "dot", "slash", strings.TrimPrefix(base, "/"), "A", "f ", "\x00",
	})
	found, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		path := strings.Join(rapid.SliceOfN(element, 1, 6).Draw(t, "path"), "/")
		path = rapid.SampledFrom([]string{"", "", "", "/", base + "/", base + "/w/", base + "/second/"}).Draw(t, "from") + path
		opened, err := work.Locate(path)
		judged, denied := locate(roots, path)
		switch {
		case err == nil && (denied != nil || judged.real != opened.Path):
			t.Fatalf("%q opens %s, the policy judges %s, %v", path, opened.Path, judged.real, denied)
		case errors.Is(err, tools.ErrOutside) && denied == nil && !missing(judged.real):
			t.Fatalf("%q is outside, the policy judges %s", path, judged.real)
		case err == nil:
			found++
		default:
			refused++
		}
	})
	if found == 0 || refused == 0 {
		t.Errorf("%d found, %d refused: that shows nothing", found, refused)
	}
}

func missing(path string) bool {
	_, err := os.Lstat(path)
	return err != nil
}
