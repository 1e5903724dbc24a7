package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/weir-agents/weir/tools"
)

// Bounds of commands and skills.
const (
	customMax  = 200      // entries looked at in one folder
	commandMax = 64 << 10 // bytes of a command
	skillMax   = 256 << 10
	aboutMax   = 300 // characters of a description
)

var customName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// Places are where commands and skills are looked for.
type Places struct {
	// User is weir's folder of the user; "" for none.
	User string
	// Project is a workspace root that is trusted; "" for none. Its .weir
	// folder counts, links out of the root do not.
	Project string
}

// Command is a prompt that the person gives by name.
type Command struct {
	Name, About string
	Path        string // absolute
	text        string
}

// Expand returns the prompt: $ARGUMENTS stands for what the person wrote behind
// the name; where the text has none it is added at the end.
func (c Command) Expand(arguments string) string {
	if strings.Contains(c.text, "$ARGUMENTS") {
		return strings.ReplaceAll(c.text, "$ARGUMENTS", arguments)
	}
	if arguments == "" {
		return c.text
	}
	return c.text + "\n\n" + arguments
}

// Commands reads commands/*.md of p, by name; the user's win. Notes say what
// was left out and why.
func Commands(p Places) (commands []Command, notes []string) {
	taken := map[string]bool{}
	p.each("commands", func(root *os.Root, dir, base string, entry fs.DirEntry) {
		name, ok := strings.CutSuffix(entry.Name(), ".md")
		if !ok {
			return
		}
		path := filepath.Join(base, dir, entry.Name())
		c, err := readCommand(root, filepath.Join(dir, entry.Name()))
		if err == nil && !customName.MatchString(name) {
			err = errors.New("the name must be of small letters, digits, - and _")
		}
		if err == nil && taken[name] {
			err = errors.New("there is another one of this name")
		}
		if err != nil {
			notes = append(notes, fmt.Sprintf("command %s was left out: %s", shown(path), why(err)))
			return
		}
		taken[name] = true
		c.Name, c.Path = name, path
		commands = append(commands, c)
	})
	slices.SortFunc(commands, func(a, b Command) int { return strings.Compare(a.Name, b.Name) })
	return commands, notes
}

func readCommand(root *os.Root, name string) (Command, error) {
	meta, text, err := readMarked(root, name, commandMax)
	if err == nil && text == "" {
		err = errors.New("it is empty")
	}
	about := meta["description"]
	if about == "" {
		about, _, _ = strings.Cut(strings.TrimLeft(text, "# "), "\n")
	}
	return Command{About: line(about, aboutMax), text: text}, err
}

// Skills are the skills of p, as the skill tool wants them. It is frozen once
// made and safe for several goroutines; the texts are read when they are asked
// for.
type Skills struct {
	list  []tools.Skill
	where map[string]place
}

// place is a file below a folder that no link leads out of.
type place struct{ base, rel string }

// LoadSkills reads the heads of skills/*/SKILL.md of p; the user's win. Notes
// say what was left out and why.
func LoadSkills(p Places) (s *Skills, notes []string) {
	s = &Skills{where: map[string]place{}}
	p.each("skills", func(root *os.Root, dir, base string, entry fs.DirEntry) {
		rel := filepath.Join(dir, entry.Name(), "SKILL.md")
		meta, _, err := readMarked(root, rel, skillMax)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errFolder) {
			return
		}
		name := meta["name"]
		if name == "" {
			name = entry.Name()
		}
		_, taken := s.where[name]
		switch {
		case err != nil:
		case !customName.MatchString(name):
			err = errors.New("the name must be of small letters, digits, - and _")
		case meta["description"] == "":
			err = errors.New("it has no description")
		case taken:
			err = errors.New("there is another one of this name")
		}
		if err != nil {
			notes = append(notes, fmt.Sprintf("skill %s was left out: %s", shown(filepath.Join(base, rel)), why(err)))
			return
		}
		s.where[name] = place{base, rel}
		s.list = append(s.list, tools.Skill{Name: name, About: line(meta["description"], aboutMax)})
	})
	slices.SortFunc(s.list, func(a, b tools.Skill) int { return strings.Compare(a.Name, b.Name) })
	return s, notes
}

// List returns the skills by name.
func (s *Skills) List() []tools.Skill { return s.list }

// Load reads the text of a skill.
func (s *Skills) Load(_ context.Context, name string) (string, error) {
	at, ok := s.where[name]
	if !ok {
		return "", errors.New("there is none of this name")
	}
	root, err := os.OpenRoot(at.base)
	if err != nil {
		return "", errors.New(why(err))
	}
	defer root.Close()
	_, text, err := readMarked(root, at.rel, skillMax)
	if err != nil {
		return "", errors.New(why(err))
	}
	return "Its files are in " + shown(filepath.Join(at.base, filepath.Dir(at.rel))) + ".\n\n" + text, nil
}

var errFolder = errors.New("not a folder")

// each calls do for the entries of a folder, the user's first, by name.
func (p Places) each(name string, do func(root *os.Root, dir, base string, entry fs.DirEntry)) {
	for _, at := range []struct{ base, dir string }{{p.User, name}, {p.Project, filepath.Join(".weir", name)}} {
		if at.base == "" {
			continue
		}
		root, err := os.OpenRoot(at.base)
		if err != nil {
			continue
		}
		for _, entry := range entries(root, at.dir) {
			do(root, at.dir, at.base, entry)
		}
		_ = root.Close() // Nothing was written.
	}
}

// entries returns the first entries of a folder, sorted; none if there is no
// such folder.
func entries(root *os.Root, dir string) []fs.DirEntry {
	if info, err := root.Stat(dir); err != nil || !info.IsDir() {
		return nil
	}
	f, err := root.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	all, _ := f.ReadDir(customMax) // What was read counts, also after an error.
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return all
}

// readMarked reads a text and the `name: value` lines between two lines of ---
// at its start.
func readMarked(root *os.Root, name string, limit int) (meta map[string]string, text string, err error) {
	if info, err := root.Stat(filepath.Dir(name)); err == nil && !info.IsDir() {
		return nil, "", errFolder
	}
	data, more, err := readIn(root, name, limit)
	if err != nil {
		return nil, "", err
	}
	text, note, ok := words(data, more)
	if !ok {
		return nil, "", errors.New("it is no text")
	}
	if note != "" {
		text += "\n\n(" + note + ")"
	}
	meta = map[string]string{}
	head, rest, ok := strings.Cut(strings.TrimPrefix(text, "\ufeff"), "\n---")
	if !ok || !strings.HasPrefix(head, "---\n") {
		return meta, strings.TrimSpace(text), nil
	}
	key := ""
	for l := range strings.SplitSeq(head[len("---\n"):], "\n") {
		name, value, ok := strings.Cut(l, ":")
		switch {
		case ok && l[0] != ' ' && l[0] != '\t':
			key = strings.TrimSpace(name)
			meta[key] = unquoted(value)
		case key != "": // more of a value over several lines
			meta[key] = strings.TrimSpace(meta[key] + " " + strings.TrimSpace(l))
		}
	}
	_, rest, _ = strings.Cut(rest, "\n")
	return meta, strings.TrimSpace(rest), nil
}

func unquoted(value string) string {
	value = strings.TrimSpace(value)
	if strings.Trim(value, ">|-+") == "" {
		return "" // the value is on the lines below
	}
	if n := len(value); n > 1 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
		return value[1 : n-1]
	}
	return value
}
