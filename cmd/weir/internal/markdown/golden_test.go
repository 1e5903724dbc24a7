package markdown

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestSample pins how each kind of block looks, in three widths and in colour;
// the words are the same with and without it.
func TestSample(t *testing.T) {
	text, err := os.ReadFile("testdata/sample.md")
	if err != nil {
		t.Fatal(err)
	}
	show := func(width int, color bool) string {
		s := New(width, 0, color)
		return s.Write(string(text)).Final + s.Close().Final
	}
	for name, got := range map[string]string{
		"wide.golden": show(72, false), "narrow.golden": show(24, false), "one.golden": show(1, false),
		"color.golden": strings.ReplaceAll(show(72, true), "\x1b", "^"),
	} {
		file := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	if plain := sgr.ReplaceAllString(show(24, true), ""); plain != show(24, false) {
		t.Error("the words differ in colour")
	}
}

// BenchmarkWrite is the cost of a piece of text of four bytes, as a model
// streams them.
func BenchmarkWrite(b *testing.B) {
	text, err := os.ReadFile("testdata/sample.md")
	if err != nil {
		b.Fatal(err)
	}
	s := New(80, 0, true)
	at := 0
	for b.Loop() {
		if at+4 > len(text) {
			at = 0
			s.Close()
		}
		s.Write(string(text[at : at+4]))
		at += 4
	}
}
