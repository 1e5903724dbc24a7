package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Bounds of the memory.
const (
	memoryMax     = 32 << 10 // bytes that a model is shown
	memoryLineMax = 500      // characters
)

// Memory is a file of lines that the person wants remembered, in weir's folder
// of the user.
type Memory struct{ dir string }

// NewMemory returns the memory in the folder dir; "" is one that holds nothing.
func NewMemory(dir string) *Memory { return &Memory{dir: dir} }

// Path is the file; "" if there is no folder for it.
func (m *Memory) Path() string {
	if m.dir == "" {
		return ""
	}
	return filepath.Join(m.dir, "memory.md")
}

// Text returns what is remembered; empty if nothing is or it cannot be read.
func (m *Memory) Text() string {
	if m.dir == "" {
		return ""
	}
	data, more, err := readPath(m.Path(), memoryMax)
	if err != nil {
		return ""
	}
	text, note, ok := words(data, more)
	if !ok {
		return ""
	}
	if note != "" {
		text += "\n(" + note + ")"
	}
	return strings.TrimSpace(text)
}

// MemoryLine returns the line that [Memory.Append] would write for a text, for the
// person to see before they agree; empty if there is nothing in it.
func MemoryLine(text string) string {
	if text = line(text, memoryLineMax); text == "" {
		return ""
	}
	return "- " + strings.TrimPrefix(text, "- ")
}

// Append adds a line, after the person has agreed. A line that is there already
// is not added again.
func (m *Memory) Append(text string) error {
	l := MemoryLine(text)
	switch {
	case l == "":
		return errors.New("remember: the line is empty")
	case m.dir == "":
		return errors.New("remember: there is no home to write to")
	case slices.Contains(strings.Split(m.Text(), "\n"), l):
		return nil
	}
	if err := os.MkdirAll(m.dir, 0o700); err != nil {
		return fmt.Errorf("remember: %w", err)
	}
	flags := os.O_RDWR | os.O_APPEND | os.O_CREATE | syscall.O_NONBLOCK
	f, err := os.OpenFile(m.Path(), flags, 0o600)
	if err != nil {
		return fmt.Errorf("remember: %w", err)
	}
	if info, err := f.Stat(); err == nil && info.Size() > 0 {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, info.Size()-1); err == nil && last[0] != '\n' {
			l = "\n" + l
		}
	}
	_, err = f.WriteString(l + "\n")
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("remember: %w", err)
	}
	return nil
}
