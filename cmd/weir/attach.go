package main

import (
	"fmt"
	"io"
	"mime"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/weir-agents/weir/cmd/weir/internal/render"
	"github.com/weir-agents/weir/provider"
)

const (
	// attachBytes caps a text file that goes with a prompt, imageBytes a picture.
	attachBytes = 256 << 10
	imageBytes  = 8 << 20
	// attachMax caps the files of one prompt.
	attachMax = 20
)

// pictures are the images that models take.
var pictures = map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true}

// attached is a prompt with the files it names.
type attached struct {
	text   string
	images []provider.Block
	notes  []string // what the person should know
}

// attach puts the files that words such as @docs/plan.md name behind a prompt;
// paths are relative to dir. A word that names no file is only a word.
func attach(prompt, dir string) attached {
	a := attached{text: prompt}
	seen := map[string]bool{}
	for word := range strings.FieldsSeq(prompt) {
		name, ok := strings.CutPrefix(word, "@")
		if !ok || name == "" {
			continue
		}
		data, kind, ok := readAttached(dir, &name)
		if !ok || seen[name] {
			continue
		}
		seen[name] = true
		shown := render.Line(name, 0)
		switch {
		case len(seen) > attachMax:
			a.notes = append(a.notes, fmt.Sprintf("%s does not go with the prompt: a prompt takes %d files", shown, attachMax))
		case pictures[kind] && len(data) > imageBytes:
			a.notes = append(a.notes, fmt.Sprintf("%s does not go with the prompt: a picture may have %d MiB", shown, imageBytes>>20))
		case pictures[kind]:
			a.images = append(a.images, provider.Image{MediaType: kind, Data: data})
			a.notes = append(a.notes, fmt.Sprintf("with the picture %s, %s", shown, bytesText(len(data))))
		case strings.ContainsRune(string(data), 0):
			a.notes = append(a.notes, shown+" does not go with the prompt: it is no text")
		default:
			a.addText(shown, data)
		}
	}
	return a
}

func (a *attached) addText(name string, data []byte) {
	text, cut := strings.ToValidUTF8(whole(string(data), attachBytes), "\ufffd"), ""
	if len(data) > attachBytes {
		cut = fmt.Sprintf(" (the first %d KiB of it)", attachBytes>>10)
	}
	a.text += fmt.Sprintf("\n\n<file path=%q%s>\n%s\n</file>", name, cut, strings.TrimSuffix(text, "\n"))
	a.notes = append(a.notes, fmt.Sprintf("with the file %s, %s%s", name, bytesText(min(len(data), attachBytes)), cut))
}

// readAttached reads a regular file, a little more than what may be attached. A
// full stop or a comma behind the name is left out if only so it is one.
func readAttached(dir string, name *string) (data []byte, kind string, ok bool) {
	path := *name
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		if bare := strings.TrimRight(*name, ".,;:!?)"); bare != *name && bare != "" {
			*name = bare
			return readAttached(dir, name)
		}
		return nil, "", false
	}
	defer func() { _ = f.Close() }() // read only
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, "", false
	}
	kind, _, _ = strings.Cut(mime.TypeByExtension(strings.ToLower(filepath.Ext(path))), ";")
	limit := attachBytes
	if pictures[kind] {
		limit = imageBytes
	}
	data, err = io.ReadAll(io.LimitReader(f, int64(limit)+utf8.UTFMax))
	return data, kind, err == nil
}
