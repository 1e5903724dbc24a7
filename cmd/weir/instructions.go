package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"
)

const (
	// instructionBytes caps one file of instructions, allInstructionBytes all.
	instructionBytes    = 32 << 10
	allInstructionBytes = 128 << 10
	// importsDeep is how deep a file may import others.
	importsDeep = 4
)

// instruction is a file that tells the model how to work here.
type instruction struct{ name, text string }

// instructions reads AGENTS.md, or CLAUDE.md where there is none, of the user's
// config folder, then of the repository from its top down to dir. Nothing is
// read through a link that leads out of the folder it is in (B095).
func instructions(dir, config string, warn func(string)) []instruction {
	var dirs []string
	top := repository(dir)
	for at := dir; ; at = filepath.Dir(at) {
		dirs = append(dirs, at)
		if top == "" || at == top {
			break
		}
	}
	if config != "" {
		dirs = append(dirs, config)
	}
	slices.Reverse(dirs)
	var all []instruction
	room := allInstructionBytes
	for _, dir := range dirs {
		for _, name := range []string{"AGENTS.md", "CLAUDE.md"} {
			text := readInside(dir, name, instructionBytes)
			if strings.TrimSpace(text) == "" {
				continue
			}
			in := instruction{filepath.Join(dir, name), withImports(dir, ".", text, importsDeep)}
			if len(in.text) > room {
				warn(fmt.Sprintf("%s is cut: the instructions have more than %d KiB in all", in.name, allInstructionBytes>>10))
				in.text = whole(in.text, room)
			}
			room -= len(in.text)
			all = append(all, in)
			break
		}
	}
	return all
}

// withImports puts the files that lines such as `@docs/style.md` name in the
// place of those lines. They are read inside the folder of the first file.
func withImports(dir, at, text string, deep int) string {
	if deep == 0 {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		name, ok := strings.CutPrefix(strings.TrimSpace(line), "@")
		if !ok || name == "" || strings.ContainsAny(name, " \t") || b.Len() > allInstructionBytes {
			b.WriteString(line)
			continue
		}
		name = filepath.Join(at, name)
		imported := readInside(dir, name, instructionBytes)
		if imported == "" {
			b.WriteString(line)
			continue
		}
		b.WriteString(strings.TrimRight(withImports(dir, filepath.Dir(name), imported, deep-1), "\n") + "\n")
	}
	return b.String()
}

// readInside returns at most limit bytes of a regular file below dir, "" if
// there is none. No link leads out of dir, and nothing but a file is opened.
func readInside(dir, name string, limit int) string {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return ""
	}
	defer func() { _ = root.Close() }() // a handle for reading
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }() // read only
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	data, err := io.ReadAll(io.LimitReader(f, int64(limit)+utf8.UTFMax))
	if err != nil {
		return ""
	}
	return strings.ToValidUTF8(whole(string(data), limit), "\ufffd")
}

// whole returns the longest start of text of at most limit bytes that ends with
// a character.
func whole(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
