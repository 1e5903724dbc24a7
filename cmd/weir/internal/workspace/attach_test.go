package workspace

import (
	"bytes"
	"image"
	"image/png"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/tools"
)

// tiny is a whole picture.
func tiny(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestAttach(t *testing.T) {
	dir := tree(t, map[string]string{
		"secret": "SECRET", "w/a.go": "package a\n", "w/docs/with blank.md": "blank", "w/p.png": tiny(t), "w/cut.png": tiny(t)[:40], "w/gif": "GIF89a begins a GIF", "w/d.pdf": "%PDF-1.7",
		"w/out": "->../secret", "w/bin": "\x00\x01", "w/long": strings.Repeat("ä", textMax), "w/b": "b", "w/b.c": "not utf8 \xff",
	})
	ws, err := tools.OpenWorkspace(filepath.Join(dir, "w"))
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	text := func(name, body string) provider.Block { return provider.Text{Text: "File " + name + ":\n\n" + body} }
	for prompt, want := range map[string]Attached{
		"look at @a.go, please (@b).":      {Text: "look at @a.go, please (@b).", Blocks: []provider.Block{text("a.go", "package a\n"), text("b", "b")}, Names: []string{"a.go", "b"}},
		"@a.go @a.go":                      {Text: "@a.go @a.go", Blocks: []provider.Block{text("a.go", "package a\n")}, Names: []string{"a.go"}},
		`@"docs/with blank.md"`:            {Text: `@"docs/with blank.md"`, Blocks: []provider.Block{text("docs/with blank.md", "blank")}, Names: []string{"docs/with blank.md"}},
		"@p.png @d.pdf":                    {Text: "@p.png @d.pdf", Blocks: []provider.Block{provider.Image{MediaType: "image/png", Data: []byte(tiny(t))}, provider.File{Name: "d.pdf", MediaType: "application/pdf", Data: []byte("%PDF-1.7")}}, Names: []string{"p.png", "d.pdf"}},
		"@cut.png @gif":                    {Text: "@cut.png @gif", Blocks: []provider.Block{text("gif", "GIF89a begins a GIF")}, Names: []string{"gif"}, Notes: []string{"cut.png: a picture that cannot be shown: it is cut short or damaged, not attached"}},
		`mail x@a.go, \@a.go, @you, @`:     {Text: "mail x@a.go, @a.go, @you, @"},
		"@../secret":                       {Text: "@../secret", Notes: []string{"../secret: outside the workspace, not attached"}},
		"@out":                             {Text: "@out", Notes: []string{"out: outside the workspace, not attached"}},
		"@" + filepath.Join(dir, "secret"): {Text: "@" + filepath.Join(dir, "secret"), Notes: []string{filepath.Join(dir, "secret") + ": outside the workspace, not attached"}},
		"@docs":                            {Text: "@docs", Notes: []string{"docs: a folder, not attached"}},
		"@bin @b.c":                        {Text: "@bin @b.c", Notes: []string{"bin: neither text nor a picture nor a PDF, not attached", "b.c: not UTF-8 text, not attached"}},
		"@no/such":                         {Text: "@no/such", Notes: []string{"no/such: no such file, left as it is"}},
		"@long": {Text: "@long", Names: []string{"long"}, Notes: []string{"long: cut after 102400 bytes"}, Blocks: []provider.Block{
			text("long (cut after 102400 bytes)", strings.Repeat("ä", textMax/2)),
		}},
	} {
		if d := cmp.Diff(want, Attach(ws, prompt)); d != "" {
			t.Errorf("%q: %s", prompt, d)
		}
	}
}

func FuzzAttach(f *testing.F) {
	f.Add("@@\"\" @\" \\@ @a.. @é")
	dir := f.TempDir()
	ws, err := tools.OpenWorkspace(dir)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, prompt string) {
		if a := Attach(ws, prompt); a.Text != strings.ReplaceAll(prompt, `\@`, "@") {
			t.Errorf("the prompt changed: %q", a.Text)
		}
	})
}
