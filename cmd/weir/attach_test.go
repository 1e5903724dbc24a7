package main

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/provider"
)

func TestFilesOfAPromptGoWithIt(t *testing.T) {
	dir := tree(t, map[string]string{
		"plan.md": "one\ntwo\n", "p.png": "\x89PNG", "zero": "a\x00b", "sub/x": "y", "big": strings.Repeat("日", attachBytes),
		"huge.jpg": strings.Repeat("x", imageBytes+1),
	})
	if err := syscall.Mkfifo(dir+"/pipe", 0o600); err != nil {
		t.Fatal(err)
	}
	const plan = "\n\n<file path=\"plan.md\">\none\ntwo\n</file>"
	for prompt, want := range map[string]attached{
		"no file":                     {text: "no file"},
		"mail a@plan.md or @home":     {text: "mail a@plan.md or @home"},
		"see @plan.md":                {text: "see @plan.md" + plan, notes: []string{"with the file plan.md, 8 B"}},
		"(see @plan.md), @plan.md.":   {text: "(see @plan.md), @plan.md." + plan, notes: []string{"with the file plan.md, 8 B"}},
		"@sub @pipe @/dev/zero @":     {text: "@sub @pipe @/dev/zero @"},
		"@p.png what is it":           {text: "@p.png what is it", images: []provider.Block{provider.Image{MediaType: "image/png", Data: []byte("\x89PNG")}}, notes: []string{"with the picture p.png, 4 B"}},
		"@zero":                       {text: "@zero", notes: []string{"zero does not go with the prompt: it is no text"}},
		"@huge.jpg":                   {text: "@huge.jpg", notes: []string{"huge.jpg does not go with the prompt: a picture may have 8 MiB"}},
		"@" + dir + "/sub/x and @sub": {text: "@" + dir + "/sub/x and @sub\n\n<file path=\"" + dir + "/sub/x\">\ny\n</file>", notes: []string{"with the file " + dir + "/sub/x, 1 B"}},
	} {
		if diff := cmp.Diff(want, attach(prompt, dir), cmp.AllowUnexported(attached{})); diff != "" {
			t.Errorf("%q:\n%s", prompt, diff)
		}
	}
	got := attach("@big", dir)
	if len(got.text) > attachBytes+200 || strings.Contains(got.text, "\ufffd") || !strings.Contains(got.text, "the first 256 KiB of it") {
		t.Errorf("a big file: %d bytes, %q", len(got.text), got.notes)
	}
}

func TestAPromptTakesSoManyFiles(t *testing.T) {
	files, prompt := map[string]string{}, ""
	for i := range attachMax + 1 {
		files[fmt.Sprint(i)] = "x"
		prompt += fmt.Sprintf("@%d ", i)
	}
	if got := attach(prompt, tree(t, files)); strings.Count(got.text, "<file") != attachMax || len(got.notes) != attachMax+1 {
		t.Errorf("%q", got.notes)
	}
}
