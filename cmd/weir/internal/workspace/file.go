package workspace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"
)

// readMax is how many bytes are read of any one file.
const readMax = 20 << 20

// readIn reads a regular file through the handle of a folder: at most limit
// bytes, and whether there are more. It never waits for a pipe or a device.
func readIn(root *os.Root, name string, limit int) (data []byte, more bool, err error) {
	if info, err := root.Stat(name); err != nil || !info.Mode().IsRegular() {
		return nil, false, errors.Join(err, irregular(info))
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, false, err
	}
	return readOpen(f, limit)
}

// readPath is readIn for a path of the user's own.
func readPath(path string, limit int) (data []byte, more bool, err error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, false, err
	}
	return readOpen(f, limit)
}

// readOpen reads f and closes it.
func readOpen(f *os.File, limit int) (data []byte, more bool, err error) {
	defer f.Close()
	info, err := f.Stat()
	if err == nil {
		err = irregular(info)
	}
	if err != nil {
		return nil, false, err
	}
	data, err = io.ReadAll(io.LimitReader(f, int64(limit)+1))
	if len(data) > limit {
		return data[:limit], true, err
	}
	return data, false, err
}

func irregular(info fs.FileInfo) error {
	if info != nil && !info.Mode().IsRegular() {
		return errors.New("not a regular file")
	}
	return nil
}

// words is data as text, cut between characters, with a note if more was left
// out; not ok if it is no text.
func words(data []byte, more bool) (text, note string, ok bool) {
	if more {
		for n := 0; n < utf8.UTFMax && len(data) > 0 && !utf8.Valid(data); n++ {
			data = data[:len(data)-1]
		}
		note = fmt.Sprintf("cut after %d bytes", len(data))
	}
	if !utf8.Valid(data) || strings.ContainsRune(string(data), 0) {
		return "", "", false
	}
	return strings.ReplaceAll(string(data), "\r\n", "\n"), note, true
}

// shown is a name on one line that can do nothing but be read.
func shown(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !strconv.IsPrint(r) || r == utf8.RuneError }) {
		return strconv.Quote(name)
	}
	return name
}

// line is text on one line of at most limit characters.
func line(text string, limit int) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !strconv.IsPrint(r) }), " ")
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return text
}

// why takes the operation and the path out of an error.
func why(err error) string {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	return err.Error()
}
