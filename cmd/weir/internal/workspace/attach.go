package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/tools"
)

// Bounds of attachments.
const (
	attachedMax = 20        // files of a prompt
	textMax     = 100 << 10 // bytes of a text
	imageMax    = 5 << 20   // bytes of a picture
	pdfMax      = readMax   // bytes of a document
)

// Attached is a prompt with the files it names.
type Attached struct {
	// Text is the prompt with `\@` made `@`.
	Text string
	// Blocks are the files in order; one of text is a text block.
	Blocks []provider.Block
	// Names are the files, as the prompt has them.
	Names []string
	// Notes are sentences for the person, on what was cut or left out.
	Notes []string
}

// Attach reads the files that a prompt names as @path or @"path with blanks".
// `\@` is an at sign, one within a word (as in an address) is left alone, and
// so is a name of no file. Nothing outside the roots of ws is read.
func Attach(ws *tools.Workspace, prompt string) Attached {
	var a Attached
	var text strings.Builder
	before := ' '
	for i := 0; i < len(prompt); {
		rest := prompt[i:]
		if strings.HasPrefix(rest, `\@`) {
			text.WriteByte('@')
			i, before = i+2, '@'
			continue
		}
		r, size := utf8.DecodeRuneInString(rest)
		if r == '@' && opens(before) {
			size = a.mention(ws, rest)
		}
		text.WriteString(rest[:size])
		before, _ = utf8.DecodeLastRuneInString(rest[:size])
		i += size
	}
	a.Text = text.String()
	return a
}

func opens(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`([{"'`, r) }

// mention reads the file named at the start of rest and returns how long the
// name is, with its at sign.
func (a *Attached) mention(ws *tools.Workspace, rest string) int {
	name, size := named(rest[1:])
	size++
	place, err := tools.Place{}, error(nil)
	for {
		if name == "" {
			return size
		}
		place, err = ws.Locate(name)
		if err == nil && place.Info != nil || !strings.ContainsRune(`,.;:!?)]}'"`, rune(name[len(name)-1])) || rest[1] == '"' {
			break
		}
		name, size = name[:len(name)-1], size-1
	}
	if slices.Contains(a.Names, name) {
		return size
	}
	if err == nil && place.Info == nil {
		if strings.ContainsAny(name, "/.") {
			a.note("%s: no such file, left as it is", name)
		}
		return size
	}
	if err == nil && len(a.Names) == attachedMax {
		err = fmt.Errorf("a prompt takes %d files", attachedMax)
	}
	var block provider.Block
	if err == nil {
		block, err = a.load(name, place)
	}
	if err != nil {
		a.note("%s: %s, not attached", name, why(err))
		return size
	}
	a.Names = append(a.Names, name)
	a.Blocks = append(a.Blocks, block)
	return size
}

// named returns the path at the start of text, and how long it is as written.
func named(text string) (path string, size int) {
	if quoted, ok := strings.CutPrefix(text, `"`); ok {
		if end := strings.IndexByte(quoted, '"'); end > 0 {
			return quoted[:end], end + 2
		}
	}
	end := strings.IndexFunc(text, unicode.IsSpace)
	if end < 0 {
		end = len(text)
	}
	return text[:end], end
}

func (a *Attached) note(format, name string, args ...any) {
	a.Notes = append(a.Notes, fmt.Sprintf(format, append([]any{shown(name)}, args...)...))
}

// load makes a block of the file at place.
func (a *Attached) load(name string, place tools.Place) (provider.Block, error) {
	if place.Info.IsDir() {
		return nil, errors.New("a folder")
	}
	root, err := os.OpenRoot(place.Root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	data, more, err := readIn(root, place.Rel, readMax)
	if err != nil {
		return nil, err
	}
	switch media := http.DetectContentType(data); media {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		if more || len(data) > imageMax {
			return nil, fmt.Errorf("a picture of more than %d bytes", imageMax)
		}
		err := tools.CheckPicture(media, data)
		if err == nil {
			return provider.Image{MediaType: media, Data: data}, nil
		}
		if bytes.IndexByte(data, 0) >= 0 { // Else text that begins as a picture does.
			return nil, fmt.Errorf("a picture that cannot be shown: %w", err)
		}
	case "application/pdf":
		if more {
			return nil, fmt.Errorf("a document of more than %d bytes", pdfMax)
		}
		return provider.File{Name: filepath.Base(place.Path), MediaType: media, Data: data}, nil
	}
	if bytes.IndexByte(data[:min(len(data), textMax)], 0) >= 0 {
		return nil, errors.New("neither text nor a picture nor a PDF")
	}
	text, note, ok := words(data[:min(len(data), textMax)], more || len(data) > textMax)
	if !ok {
		return nil, errors.New("not UTF-8 text")
	}
	head := "File " + shown(name)
	if note != "" {
		head += " (" + note + ")"
		a.note("%s: %s", name, note)
	}
	return provider.Text{Text: head + ":\n\n" + text}, nil
}
