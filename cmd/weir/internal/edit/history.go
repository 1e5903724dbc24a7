package edit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

const (
	// entriesMax is how many entries are kept in memory, and on disk when the
	// file is loaded; the oldest go first.
	entriesMax = 2000
	// entryBytes is the longest entry kept.
	entryBytes = 64 << 10
	// fileBytes is how much of the file is read, from its end.
	fileBytes = 4 << 20
)

// History is what was typed before, oldest first. The zero value is empty and
// is kept nowhere.
type History struct {
	file    string
	entries []string
	at      int    // the entry shown, len(entries) for none
	draft   string // what was typed before the first step back
}

// LoadHistory reads the history kept in file, one JSON string a line. A file
// that is not there is empty; lines that are none are left out. What somebody
// has put there before, a link or a pipe, is an error and stays as it is.
func LoadHistory(file string) (*History, error) {
	h := &History{file: file}
	f, err := openOwn(file, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		return h, err
	}
	defer func() { _ = f.Close() }() // read only
	info, err := f.Stat()
	if err != nil {
		return h, err
	}
	data := make([]byte, min(info.Size(), fileBytes))
	if n, err := f.ReadAt(data, info.Size()-int64(len(data))); err != nil && n < len(data) {
		return h, err
	}
	for line := range bytes.Lines(data) {
		var entry string
		if json.Unmarshal(line, &entry) == nil && entry != "" {
			h.entries = append(h.entries, entry)
		}
	}
	many := len(h.entries) > entriesMax || info.Size() > fileBytes
	h.entries = h.entries[max(0, len(h.entries)-entriesMax):]
	h.at = len(h.entries)
	if many || info.Mode().Perm()&0o077 != 0 {
		_ = h.rewrite() // a file that cannot be made shorter or more private is still a history
	}
	return h, nil
}

// rewrite puts the entries in the place of the file, whole or not at all, so that
// only its owner may read it. What a program beside this one adds meanwhile is lost.
func (h *History) rewrite() error {
	f, err := os.CreateTemp(filepath.Dir(h.file), ".history-*") // 0600
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	out := json.NewEncoder(w)
	for _, entry := range h.entries {
		err = errors.Join(err, out.Encode(entry))
	}
	if err = errors.Join(err, w.Flush(), f.Close()); err == nil {
		err = os.Rename(f.Name(), h.file)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the first error says more
	}
	return err
}

// Add appends an entry and writes it to the file, which only its owner may
// read. An entry that is empty, too long, or the same as the last is not kept.
func (h *History) Add(entry string) error {
	h.draft = ""
	h.at = len(h.entries)
	if strings.TrimSpace(entry) == "" || len(entry) > entryBytes || (h.at > 0 && h.entries[h.at-1] == entry) {
		return nil
	}
	h.entries = append(h.entries, entry)
	if len(h.entries) > entriesMax {
		h.entries = h.entries[len(h.entries)-entriesMax:]
	}
	h.at = len(h.entries)
	if h.file == "" {
		return nil
	}
	line, err := json.Marshal(entry)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(h.file), 0o700); err != nil {
		return fmt.Errorf("keep the history: %w", err)
	}
	f, err := openOwn(h.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY)
	if err != nil {
		return fmt.Errorf("keep the history: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// openOwn opens a regular file, without waiting and not through a link.
func openOwn(file string, flags int) (*os.File, error) {
	f, err := os.OpenFile(file, flags|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if errors.Is(err, syscall.ELOOP) {
		return nil, fmt.Errorf("%s is a link, and none is followed there: remove it", file)
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file: remove it", file)
	}
	if err != nil {
		_ = f.Close() // nothing was written
		return nil, err
	}
	return f, nil
}

// back returns the entry before the one shown; text is what is typed now.
func (h *History) back(text string) (string, bool) {
	if h.at == 0 {
		return "", false
	}
	if h.at == len(h.entries) {
		h.draft = text
	}
	h.at--
	return h.entries[h.at], true
}

// forth returns the entry after the one shown, in the end what was typed.
func (h *History) forth() (string, bool) {
	if h.at == len(h.entries) {
		return "", false
	}
	h.at++
	if h.at == len(h.entries) {
		return h.draft, true
	}
	return h.entries[h.at], true
}

// find returns the newest entry before number below that holds query, or -1.
func (h *History) find(query string, below int) int {
	for i := min(below, len(h.entries)) - 1; i >= 0; i-- {
		if strings.Contains(h.entries[i], query) {
			return i
		}
	}
	return -1
}
