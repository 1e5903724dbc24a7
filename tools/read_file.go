package tools

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"unicode/utf16"
)

// Bounds of read_file; what they cut is named in the result.
const (
	readLines    = 2000     // lines shown without an explicit limit
	readLineMax  = 2000     // bytes shown of one line
	readMax      = 50_000   // bytes shown in all
	sniffMax     = 8 << 10  // bytes looked at to tell text from binary
	imageMax     = 5 << 20  // bytes of a picture; providers refuse larger ones
	utf16Max     = 16 << 20 // bytes of a UTF-16 file, which is decoded whole
	readCountMax = 1 << 30  // bytes read on to count lines
)

//go:embed read_file.md
var readFileText string

type readFileArgs struct {
	Path       string `json:"path" jsonschema:"the file, relative to the workspace root or absolute inside it"`
	Offset     count  `json:"offset,omitempty" jsonschema:"first line to show, from 1"`
	Limit      count  `json:"limit,omitempty" jsonschema:"how many lines to show"`
	ByteOffset *int64 `json:"byte_offset,omitempty" jsonschema:"show a piece from this byte on, from 0, instead of lines; for very long lines"`
}

func (a readFileArgs) Summary() string {
	if a.Offset > 0 {
		return fmt.Sprintf("%s:%d", shown(a.Path), a.Offset)
	}
	return shown(a.Path)
}

func (b *builtin) readFile() Tool {
	return mustNew(Spec{Name: "read_file", Description: readFileText, Class: ReadOnly}, b.runReadFile)
}

func (b *builtin) runReadFile(ctx context.Context, call Call, args readFileArgs) Result {
	if args.ByteOffset != nil && (args.Offset > 0 || args.Limit > 0) {
		return badArgument("give lines (offset, limit) or byte_offset, not both")
	}
	file, place, err := b.ws.open(args.Path, b.withholds("list_dir"))
	if err != nil {
		if place.Info != nil && place.Info.IsDir() {
			return failed("%s: a folder; use list_dir", shown(args.Path))
		}
		return failed("%s: %v", shown(args.Path), err)
	}
	defer file.Close()
	if b.withheld("read_file", place.Path) { // By a name that only looks like it, or a link made since.
		return failed("%s: %v", shown(args.Path), errWithheld)
	}
	r := &reading{args: args, name: shown(args.Path), file: file, place: place}
	result := r.run(ctx)
	if result.OK() && r.stamp != nil {
		call.Lasting(func() { seenOf(call.Scope).note(place.Path, *r.stamp) })
	}
	if place.Note != "" {
		result.Text = place.Note + "\n" + result.Text
	}
	return result
}

// reading is one call of read_file.
type reading struct {
	args  readFileArgs
	name  string
	file  *os.File
	place Place
	size  int64
	notes []string // for the first line, such as "CRLF"
	stamp *stamp
}

func (r *reading) run(ctx context.Context) Result {
	info, err := r.file.Stat()
	if err != nil {
		return failed("%s: %v", r.name, plain(err))
	}
	r.size = info.Size()
	head := make([]byte, sniffMax)
	n, err := r.file.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return failed("%s: %v", r.name, plain(err))
	}
	head = head[:n]
	switch media := http.DetectContentType(head); {
	case n == 0:
		r.stamp = stampOf(info, nil)
		return Result{Text: r.name + ": file is empty"}
	case isImage(media):
		result, picture := r.image(media)
		if picture || bytes.IndexByte(head, 0) >= 0 {
			return result
		}
		// Text that begins as a picture does.
	case isUTF16(head):
		return r.utf16(ctx)
	case bytes.IndexByte(head, 0) >= 0:
		return failed("%s: binary file (%s), %s: not shown; a command can look into it", r.name, media, plural(int(r.size), "byte"))
	}
	if bytes.HasPrefix(head, bom) {
		r.notes = append(r.notes, "BOM")
	}
	var result Result
	if r.args.ByteOffset != nil {
		result = r.piece(*r.args.ByteOffset)
	} else {
		result = r.lines(ctx, r.file)
	}
	if result.OK() {
		r.stamp = stampFile(r.file, info)
	}
	return result
}

func isImage(media string) bool {
	switch media {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}

// image returns the picture, or false and why it is none.
func (r *reading) image(media string) (result Result, picture bool) {
	text := fmt.Sprintf("%s: picture (%s), %s", r.name, media, plural(int(r.size), "byte"))
	if r.size > imageMax {
		return failed("%s: too large to show, the limit is %d", text, imageMax), true
	}
	data, err := io.ReadAll(io.NewSectionReader(r.file, 0, imageMax))
	if err != nil {
		return failed("%s: %v", r.name, plain(err)), true
	}
	if err := CheckPicture(media, data); err != nil {
		return failed("%s: not shown: %v", text, err), false
	}
	return Result{Text: text, Images: []Image{{MediaType: media, Data: data}}}, true
}

var bom = []byte("\xef\xbb\xbf")

func isUTF16(head []byte) bool {
	return len(head) >= 2 && (head[0] == 0xff && head[1] == 0xfe || head[0] == 0xfe && head[1] == 0xff)
}

func (r *reading) utf16(ctx context.Context) Result {
	if r.size > utf16Max {
		return failed("%s: UTF-16 text of %d bytes, too large to decode; the limit is %d", r.name, r.size, utf16Max)
	}
	if r.args.ByteOffset != nil {
		return failed("%s: UTF-16 text: byte_offset does not work here, use offset", r.name)
	}
	data, err := io.ReadAll(io.LimitReader(r.file, utf16Max))
	if err != nil {
		return failed("%s: %v", r.name, plain(err))
	}
	r.notes = append(r.notes, "UTF-16")
	return r.lines(ctx, strings.NewReader(fromUTF16(data)))
}

// fromUTF16 decodes text that starts with its byte order mark.
func fromUTF16(data []byte) string {
	var order binary.ByteOrder = binary.LittleEndian
	if data[0] == 0xfe {
		order = binary.BigEndian
	}
	units := make([]uint16, 0, len(data)/2)
	for i := 2; i+1 < len(data); i += 2 {
		units = append(units, order.Uint16(data[i:]))
	}
	return string(utf16.Decode(units))
}

// piece shows the bytes from offset on, cut between characters.
func (r *reading) piece(offset int64) Result {
	if offset < 0 || offset >= r.size {
		return failed("%s: byte_offset %d is past the end: the file has %d bytes", r.name, offset, r.size)
	}
	data := make([]byte, min(readMax, r.size-offset))
	n, err := r.file.ReadAt(data, offset)
	if err != nil && err != io.EOF {
		return failed("%s: %v", r.name, plain(err))
	}
	data = data[:n]
	end := offset + int64(n)
	if end < r.size {
		data = wholeRunes(data)
		end = offset + int64(len(data))
	}
	text := fmt.Sprintf("%s: bytes %d-%d of %d\n%s", r.name, offset, end, r.size, visible(data))
	if end == r.size {
		return Result{Text: text}
	}
	text += fmt.Sprintf("\n… %d bytes more; go on with byte_offset %d", r.size-end, end)
	return Result{Text: text, Truncated: true}
}
