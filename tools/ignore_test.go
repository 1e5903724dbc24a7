package tools

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// git runs the real one, without anybody's configuration.
func (k *kit) git(arguments ...string) string {
	k.t.Helper()
	cmd := exec.Command("git", arguments...)
	cmd.Dir = k.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + k.dir, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null"}
	out, err := cmd.Output()
	if err != nil {
		k.t.Fatalf("git %q: %v", arguments, err)
	}
	return string(out)
}

// oddest are rules in which git lets stars behind a part of a name stand for an
// empty name, too. Nobody means that.
var oddest = regexp.MustCompile(`[^/*]\*\*.*//`)

// What the search tools leave out is what git does, for any rules but the oddest.
func TestIgnoreRulesAgreeWithGit(t *testing.T) {
	k := newKit(t, Config{})
	k.git("init", "-q")
	for _, file := range []string{
		"a", "b.c", "x.o", "[x]", "{a,b}", "#a", "!a", "sp ", "d/a", "d/b.c", "d/x.o", "d/d/a", "d/d/x.o", "d/e/f/a", "d/e/f/b.c",
		"e/a", "e/d/a", "e/d/b.c", "e/f/g/h/a", "ab/a", "ab/ab", "ab/b/a", ".h/a", "d/.h",
		"]", "-", "B", "1", "d/]", "d/-", "d/1", "é", "aéb", "d/é", "d/日本", "ü/a", "d/\xe9", "\xff",
	} {
		k.write(file, "")
	}
	part := rapid.SampledFrom([]string{
		"a", "b", "d", "e", "f", "ab", "*", "?", "**", "*.c", "x.*", "[a-d]", "[!a]", "[^a]*", ".h", "d*", "a?", "{a,b}", "*b", `\a`, "[x]", `\[x\]`,
		"[]a]", "[!]a]", "[a-]", "[-b]", `[\]x]`, "[[:alpha:]]", "[![:upper:]1]", "[[:digit:]b]", "d[!x]a", "[", "[a",
		"***", "a**", "**b", "*****", "d***", "?**", "é", "?é", "??", "???", "??????", "[é]", "[!é]?", "[à-ü]", "a??b", "a?b", "日*", "\xe9", `\é`,
	})
	slash := rapid.SampledFrom([]string{"/", "/", "/", "/", "//", `\/`, "***/", "/**/***/"})
	rule := rapid.Custom(func(t *rapid.T) string {
		r := part.Draw(t, "part")
		for range rapid.IntRange(0, 3).Draw(t, "more") {
			r += slash.Draw(t, "slash") + part.Draw(t, "part")
		}
		r += rapid.SampledFrom([]string{"", "", "", "/", " ", "\r", "//"}).Draw(t, "end")
		if oddest.MatchString(r) {
			r = strings.ReplaceAll(r, "//", "/")
		}
		return rapid.SampledFrom([]string{"", "", "!"}).Draw(t, "not") + rapid.SampledFrom([]string{"", "", "", "/", "//"}).Draw(t, "root") + r
	})
	odd := rapid.SampledFrom([]string{"#a", `\#a`, `\!a`, `sp\ `, "sp ", "", "/", "!", "!/", "**/", "/**", "a**b", "d/**/a", "***"})
	rules := rapid.Map(rapid.SliceOfN(rapid.OneOf(rule, rule, odd), 0, 5), func(lines []string) string { return strings.Join(lines, "\n") + "\n" })
	rapid.Check(t, func(t *rapid.T) {
		k.write(".gitignore", rapid.SampledFrom([]string{"", "\ufeff"}).Draw(t, "mark")+rules.Draw(t, "root"))
		k.write("d/.gitignore", rules.Draw(t, "d"))
		want := strings.FieldsFunc(k.git("ls-files", "-z", "--others", "--exclude-standard"), func(r rune) bool { return r == 0 })
		var got []string
		walk := tree{root: k.ws.roots[0], visit: func(_ *os.Root, e entry) (bool, error) {
			if !e.IsDir() {
				got = append(got, e.rel)
			}
			return true, nil
		}}
		if err := walk.walk(k.t.Context(), "."); err != nil {
			t.Fatal(err)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("got  %q\nwant %q", got, want)
		}
	})
}

// A hostile file costs what its length says: each of these took minutes.
func TestIgnoreRulesAreReadInTimeOfTheirLength(t *testing.T) {
	for name, text := range map[string]string{
		"classes that do not end": strings.Repeat("[", ignoreFileMax),
		"a long class":            "[" + strings.Repeat("a", ignoreFileMax-2) + "]",
		"named ones":              "[" + strings.Repeat("[:alpha:", ignoreFileMax/8),
		"many that do not end":    strings.Repeat("[a\n", ignoreFileMax/3),
	} {
		if got := len(parseIgnore(".", text)); got > 1 {
			t.Errorf("%s: %d rules", name, got)
		}
	}
}
