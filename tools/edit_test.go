package tools

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func one(old, new string) []edit { return []edit{{Old: old, New: new}} }

// TestEdits are the rows of edits that change bytes, and nothing but those.
func TestEdits(t *testing.T) {
	for _, c := range []struct {
		name, before string
		edits        []edit
		after        string
	}{
		{"plain", "a\nb\nc\n", one("b", "x\ny"), "a\nx\ny\nc\n"},
		{"B053 only the bytes asked for change", "a\r\nb\r\nc", one("b", "x"), "a\r\nx\r\nc"},
		{"B055 newlines match CRLF", "a\r\nb\r\nc\r\n", one("a\nb\n", "1\n2\n3\n"), "1\r\n2\r\n3\r\nc\r\n"},
		{"B055 a new line gets the line end of its place", "a\r\nb\r\n", one("b", "b\nc"), "a\r\nb\r\nc\r\n"},
		{"B055 mixed ends keep theirs", "a\nb\r\nc\n", []edit{{Old: "c", New: "c\nd"}, {Old: "b", New: "b\n1"}}, "a\nb\r\n1\r\nc\nd\n"},
		{"B055 mixed ends in one place, line by line", "a\r\nb\nc\r\n", one("a\nb\nc", "1\n2\n3"), "1\r\n2\n3\r\n"},
		{"B055 mixed ends in one place, other lines", "a\r\nb\nc\r\n", one("a\nb\nc", "1\n2\n3\n4"), "1\r\n2\r\n3\r\n4\r\n"},
		{"B055 explicit CRLF", "a\r\nb\n", one("a\r\n", "x\n"), "x\r\nb\n"},
		{"B055 old starts with a newline", "a\r\nb\r\nc", one("\nb\nc", "\nd"), "a\r\nd"},
		{"B055 old is a newline", "a\r\nb", one("\n", "\n\n"), "a\r\n\r\nb"},
		{"B056 BOM stays", "\xef\xbb\xbfhead\nx", one("head", "top"), "\xef\xbb\xbftop\nx"},
		{"B056 BOM in old", "\xef\xbb\xbfhead\nx", one("\ufeffhead", "top"), "\xef\xbb\xbftop\nx"},
		{"B058 blanks are exact", "if  a:\n\tif b :\n", one("\tif b :", "\tif c :"), "if  a:\n\tif c :\n"},
		{"B061 all", "aaaa", []edit{{"aa", "b", true}}, "bb"},
		{"B061 all, result holds old", "aaaa", []edit{{"a", "aa", true}}, "aaaaaaaa"},
		{"B067 no newline added", "x", one("x", "x\ny\n"), "x\ny\n"},
		{"B067 none taken", "x\n\n", one("x\n", "y"), "y\n"},
		{"in order", "a", []edit{{Old: "a", New: "b"}, {Old: "b", New: "c"}}, "c"},
		{"Latin-1 bytes stay", "caf\xe9\nx = 1\n", one("x = 1", "x = 2"), "caf\xe9\nx = 2\n"},
		{"NUL stays", "a\x00b", one("b", "c"), "a\x00c"},
		{"delete", "a\nb\n", one("a\n", ""), "b\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := newKit(t, Config{})
			k.write("f", c.before)
			k.want("edit_file", args{"path": "f", "edits": c.edits})
			if got := k.content("f"); got != c.after {
				t.Errorf("got %q, want %q", got, c.after)
			}
		})
	}
}

// TestEditsRefused are the rows of edits that must change nothing and say why.
func TestEditsRefused(t *testing.T) {
	for _, c := range []struct {
		name, before string
		edits        []edit
		why          string
	}{
		{"twice", "x\ny\nx\n", one("x", "z"), "old occurs 2 times, at lines 1, 3"},
		{"B055 LF and CRLF are told apart by nobody", "a\nb\na\r\nb\n", one("a\nb", "x"), "old occurs 2 times, at lines 1, 3"},
		{"overlapping", "aaa", one("aa", "b"), "old occurs 2 times"},
		{"empty old", "x", one("", "y"), "old is empty"},
		{"no change", "x", one("x", "x"), "old and new are the same"},
		{"no edits", "x", []edit{}, "no edits given"},
		{"undo each other", "x", []edit{{Old: "x", New: "y"}, {Old: "y", New: "x"}}, "undo each other"},
		{"all or none", "a b", []edit{{Old: "a", New: "1"}, {Old: "z", New: "2"}}, "edit 2 of 2: old was not found"},
		{
			"B058 loose blanks are no match", "def f():\n    return  1\n", one("  return 1", "return 2"),
			"line 2: only the blanks at its ends differ",
		},
		{
			"B059 a line like it is not edited", "beta(2)\ngamma\nbeta(7)\n", one("beta(9)", "beta(1)"),
			"nearest:\nline 1: not the same: the file has \"beta(2)\"\nline 3: not the same: the file has \"beta(7)\"",
		},
		{"case", "Func One\n", one("func one", "x"), "only upper and lower case differ"},
		{"quotes", "say \u201chi\u201d\n", one(`say "hi"`, "x"), "only quotation marks or odd blanks differ"},
		{"numbers copied", "one\ntwo\n", one("     1\tone\n     2\ttwo", "x"), "leave out the line numbers"},
		{"later line", "a = 1\nb = 2\nc = 3\n", one("a = 1\nb = 9\nc = 3", "x"), `line 1: not the same: the file has "b = 2"`},
		{"past the end", "a = 1\n", one("a = 1\n\nb = 2", "x"), "line 1: the file ends after 2 lines"},
		{"nothing like it", "zzzz\n", one("quite different", "x"), "nothing in the file is like it"},
		{"mixed encodings", "caf\xe9 x\n", one("x", "é"), "the file is not UTF-8"},
		{"UTF-16", "\xff\xfea\x00", one("a", "x"), "the file is UTF-16"},
		{"bytes as shown", "caf\xe9\n", one(`caf\xe9`, "x"), `not what read_file shows as \xNN`},
		{"not UTF-8", "caf\xe9\n", one("café", "x"), "only ASCII text can be matched"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := newKit(t, Config{})
			k.write("f", c.before)
			why := k.refuse("edit_file", args{"path": "f", "edits": c.edits})
			if strings.HasPrefix(c.name, "B058") {
				has(t, why, "only its blanks differ")
			} else {
				has(t, why, c.why)
			}
			if got := k.content("f"); got != c.before {
				t.Errorf("the file was changed to %q", got)
			}
		})
	}
}

func TestEditShowsADiff(t *testing.T) {
	k := newKit(t, Config{})
	k.write("f", "a\nb\nc\n")
	got := k.want("edit_file", args{"path": "f", "edits": one("b", "x")})
	want := "f: edited, 1 place replaced\n--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	has(t, k.refuse("edit_file", args{"path": "new", "edits": one("a", "b")}), "no such file; to create it use write_file")
}

// The diff tells of line ends: once where all lines end alike, else at each line;
// and of a newline at the end that goes or comes.
func TestADiffShowsLineEnds(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{"a\r\nb\r\n", "a\nb\n", "\\ Line ends: CRLF before, LF after\n@@ -1,2 +1,2 @@\n-a\r\n-b\r\n+a\n+b\n"},
		{"a\nb\n", "a\r\nb\n", "\\ Line ends: LF before, LF and CRLF after\n@@ -1,2 +1,2 @@\n-a\n+a\r\n b\n"},
		{"a\r\nb\n", "x\r\nb\n", "\\ Line ends: LF and CRLF\n@@ -1,2 +1,2 @@\n-a\r\n+x\r\n b\n"},
		{"a\r\nb\r\n", "a\r\nx\r\n", "\\ Line ends: CRLF\n@@ -1,2 +1,2 @@\n a\n-b\n+x\n"},
		{"", "a\r\n", "\\ Line ends: CRLF\n@@ -0,0 +1 @@\n+a\n"},
		{"a\r\n", "a", "\\ Line ends: CRLF\n@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n"},
		{"a\nb\n", "a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n"},
		{"a\nb", "a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"},
		{"a\n", "a\r", "@@ -1 +1 @@\n-a\n+a\r\n\\ No newline at end of file\n"},
		{"a\n", "b\n", "@@ -1 +1 @@\n-a\n+b\n"},
	} {
		if diff := cmp.Diff("--- a/f\n+++ b/f\n"+c.want, unified("f", []byte(c.before), []byte(c.after))); diff != "" {
			t.Errorf("%q to %q: %s", c.before, c.after, diff)
		}
	}
	k := newKit(t, Config{})
	k.write("f", "a\r\nb\n")
	has(t, k.want("write_file", args{"path": "f", "content": "a\nb\n"}), "\n\\ Line ends: LF and CRLF before, LF after\n")
}

// B050: edits of one file at the same time, by one session or several, are all
// there in the end.
func TestB050ParallelEditsAreNotLost(t *testing.T) {
	k := newKit(t, Config{})
	other, err := OpenWorkspace(k.dir) // Another program with its own locks.
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	reg, err := NewRegistry(Builtin(other, Config{})...)
	if err != nil {
		t.Fatal(err)
	}
	stranger := &kit{t: t, dir: k.dir, ws: other, reg: reg}
	var content, want strings.Builder
	for i := range 24 {
		fmt.Fprintf(&content, "line <%d>\n", i)
		fmt.Fprintf(&want, "LINE <%d>\n", i)
	}
	k.write("f", content.String())
	var wg sync.WaitGroup
	for i := range 24 {
		user := k
		if i%3 == 0 {
			user = stranger
		}
		wg.Go(func() {
			a := args{"path": "f", "edits": one(fmt.Sprintf("line <%d>", i), fmt.Sprintf("LINE <%d>", i))}
			if r := user.callIn(t.Context(), NewScope(), "edit_file", a); !r.OK() {
				t.Errorf("edit %d: %s", i, r.Text)
			}
		})
	}
	wg.Wait()
	if got := k.content("f"); got != want.String() {
		t.Errorf("got %q", got)
	}
}

// B052: what has changed since the model read it is not overwritten.
func TestB052ChangedSinceRead(t *testing.T) {
	k := newKit(t, Config{})
	k.write("f", "one\n")
	k.want("read_file", args{"path": "f"})
	k.write("f", "two\n") // The same size, perhaps the same time.
	has(t, k.refuse("write_file", args{"path": "f", "content": "mine\n"}), "changed since you read it")
	has(t, k.refuse("edit_file", args{"path": "f", "edits": one("two", "2")}), "changed since you read it")
	if got := k.content("f"); got != "two\n" {
		t.Fatalf("got %q", got)
	}
	k.want("read_file", args{"path": "f"})
	k.want("edit_file", args{"path": "f", "edits": one("two", "2")})
	k.want("edit_file", args{"path": "f", "edits": one("2", "3")}) // Our own write is no change.
	k.write("f", "else\n")
	has(t, k.refuse("edit_file", args{"path": "f", "edits": one("else", "x")}), "changed since you read it")

	k.write("h", "long line")
	k.want("read_file", args{"path": "h", "byte_offset": 0})
	k.write("h", "another")
	has(t, k.refuse("edit_file", args{"path": "h", "edits": one("another", "x")}), "changed since you read it")

	k.write("g", "unread\n")
	k.want("edit_file", args{"path": "g", "edits": one("unread", "edited")})
}

// An edit that succeeds has replaced the one place where old stands, and no
// byte elsewhere.
func TestEditChangesOnlyItsSpan(t *testing.T) {
	piece := rapid.SampledFrom([]string{"a", "b", "\n", "\r\n", " ", "é", "\xe9"})
	text := rapid.Map(rapid.SliceOfN(piece, 1, 30), func(p []string) string { return strings.Join(p, "") })
	lf := func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
	rapid.Check(t, func(t *rapid.T) {
		before := text.Draw(t, "before")
		from := rapid.IntRange(0, len(before)-1).Draw(t, "from")
		to := rapid.IntRange(from+1, len(before)).Draw(t, "to")
		if before[to-1] == '\r' {
			to++ // A line end is one thing.
		}
		if from > 0 && before[from-1] == '\r' {
			from--
		}
		old, repl := before[from:to], text.Draw(t, "new")
		if rapid.Bool().Draw(t, "as shown") {
			old, repl = lf(old), lf(repl)
		}
		done, err := applyEdits(t.Context(), []byte(before), []edit{{Old: old, New: repl}})
		if err != nil {
			return
		}
		want := strings.Replace(lf(before), lf(old), lf(repl), 1)
		if strings.Contains(old, "\r\n") { // Asked for with its line ends, which tell it from others.
			want = lf(strings.Replace(before, old, repl, 1))
		}
		if done.places != 1 || lf(string(done.text)) != want {
			t.Fatalf("%q with %q for %q became %q", before, repl, old, done.text)
		}
		if !strings.Contains(before, "\r\n") && string(done.text) != strings.Replace(before, old, repl, 1) {
			t.Fatalf("%q with %q for %q became %q", before, repl, old, done.text)
		}
	})
}
