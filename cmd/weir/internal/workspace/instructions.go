package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
)

// Bounds of instructions, so that they never fill a model's window.
const (
	docMax     = 64 << 10  // bytes of one file
	docsMax    = 192 << 10 // bytes of all
	importsMax = 32        // files taken in by imports, in all
	depthMax   = 5         // imports within imports
)

// docNames are the files of instructions.
var docNames = []string{"AGENTS.md", "CLAUDE.md"}

// Doc is one file of instructions.
type Doc struct {
	Path string // absolute
	Text string
	// Note says that something was left out; empty if not.
	Note string
}

// Instructions reads the files of instructions: those of the user's folder
// first, then from the outermost folder, which is home or that of the file
// system, down to root, then what they import. A file above the project counts
// only if it belongs to the user or to the system. userDir and home may be "".
// Notes say in a sentence what was not read, or not to its end, and why.
func Instructions(root, home, userDir string) (docs []Doc, notes []string) {
	c := &collector{}
	if userDir != "" {
		c.folder(userDir, userDir, true)
	}
	project := root
	if top := ReadGit(root).Top; top != "" && top != home && vouched(owner(filepath.Join(top, ".git")), owner(root), os.Getuid()) {
		project = top
	}
	for _, dir := range above(root, home) {
		boundary := project
		if !inside(dir, project) {
			boundary = dir
		}
		c.folder(dir, boundary, inside(dir, project))
	}
	return c.docs, c.notes
}

// above returns root and the folders above it, the outermost first.
func above(root, home string) []string {
	dirs := []string{root}
	for dir := root; dir != home && filepath.Dir(dir) != dir && len(dirs) < levelsMax; {
		dir = filepath.Dir(dir)
		dirs = append(dirs, dir)
	}
	slices.Reverse(dirs)
	return dirs
}

func inside(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// collector gathers files; it reads none twice.
type collector struct {
	docs    []Doc
	notes   []string
	seen    []fs.FileInfo
	bytes   int
	imports int
}

// folder takes the instructions of dir, and what they import within boundary.
func (c *collector) folder(dir, boundary string, own bool) {
	root, err := os.OpenRoot(boundary)
	if err != nil {
		return // gone, or not for us to read
	}
	defer root.Close()
	rel, err := filepath.Rel(boundary, dir)
	if err != nil {
		return
	}
	for _, name := range docNames {
		c.file(root, filepath.Join(rel, name), boundary, own, 0)
	}
}

// file takes one file and its imports.
func (c *collector) file(root *os.Root, name, boundary string, own bool, depth int) {
	path := filepath.Join(boundary, name)
	info, err := root.Stat(name)
	if errors.Is(err, fs.ErrNotExist) || depth > 0 && err == nil && info.IsDir() {
		return
	}
	if err == nil && slices.ContainsFunc(c.seen, func(old fs.FileInfo) bool { return os.SameFile(old, info) }) {
		return
	}
	if err == nil && !own && !trustworthy(info) {
		err = errors.New("it belongs to somebody else")
	}
	if err == nil && c.bytes >= docsMax {
		err = fmt.Errorf("there are more than %d bytes of instructions", docsMax)
	}
	if err == nil {
		c.seen = append(c.seen, info)
		err = c.take(root, name, path)
	}
	if err != nil {
		c.notes = append(c.notes, fmt.Sprintf("%s was not read: %s", shown(path), why(err)))
		return
	}
	for _, target := range importsOf(c.docs[len(c.docs)-1].Text) {
		if depth == depthMax || c.imports == importsMax {
			c.notes = append(c.notes, fmt.Sprintf("%s imports more than is taken in", shown(path)))
			return
		}
		if filepath.IsAbs(target) || strings.HasPrefix(target, "~") {
			c.notes = append(c.notes, fmt.Sprintf("%s was not read: only files of the project are imported", shown(target)))
			continue
		}
		c.imports++
		c.file(root, filepath.Join(filepath.Dir(name), target), boundary, own, depth+1)
	}
}

func (c *collector) take(root *os.Root, name, path string) error {
	data, more, err := readIn(root, name, min(docMax, docsMax-c.bytes))
	if err != nil {
		return err
	}
	text, note, ok := words(data, more)
	if !ok {
		return errors.New("it is no text")
	}
	c.bytes += len(text)
	c.docs = append(c.docs, Doc{Path: path, Text: text, Note: note})
	if note != "" {
		c.notes = append(c.notes, fmt.Sprintf("%s: %s, the model is told so", shown(path), note))
	}
	return nil
}

// vouched reports whether a repository above the root makes the folders between
// part of the project: not if it is of somebody who owns neither, such as a .git
// that another user has put into /tmp.
func vouched(repository, root, self int) bool {
	return repository == 0 || repository == self || repository >= 0 && repository == root
}

// owner is the user who owns a path, -1 if that is not known.
func owner(path string) int {
	info, err := os.Lstat(path)
	if err != nil {
		return -1
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid)
	}
	return -1
}

// trustworthy reports whether a file is the user's or the system's.
func trustworthy(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && (stat.Uid == 0 || int(stat.Uid) == os.Getuid())
}

var imported = regexp.MustCompile(`(?:^|[\s(])@([\w~./][\w./-]*\w)`)

// importsOf returns what text names as @path outside of code.
func importsOf(text string) []string {
	var all []string
	fence := ""
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(l)
		if len(l) >= 3 && (l[:3] == "```" || l[:3] == "~~~") && (fence == "" || fence == l[:3]) {
			if fence == "" {
				fence = l[:3]
			} else {
				fence = ""
			}
			continue
		}
		if fence != "" {
			continue
		}
		for i, part := range strings.Split(l, "`") {
			if i%2 == 1 {
				continue // code
			}
			for _, m := range imported.FindAllStringSubmatch(part, -1) {
				all = append(all, m[1])
			}
		}
	}
	return all
}
