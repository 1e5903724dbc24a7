package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// FileName is the name of the user's file in weir's folder, and of a project's
// in its .weir folder.
const FileName = "config.toml"

// fileMax bounds a file, in bytes.
const fileMax = 1 << 20

// Hook is a program to run before or after tool calls.
type Hook struct {
	Argv    []string
	Tools   []string
	Timeout time.Duration // 0: the default of hooks
	Where   string        // file:line
}

// Vendor is a named server.
type Vendor struct {
	Dialect string // openai or anthropic; empty is openai
	BaseURL string
	Model   string
	KeyEnv  string // the variable that holds the key
	Key     string // the key itself
	Tuning
	Where string // file:line
}

// Tuning is what a server is sent beside the usual.
type Tuning struct {
	Organization, Project string   // dialect openai only
	GiveThinking          bool     // likewise: thinking goes back with the history
	Betas                 []string // dialect anthropic only
	Headers               map[string]string
	Extra                 map[string]json.RawMessage // members of every request
}

// file is what a file says.
type file struct {
	path    string
	values  map[string][]string
	lines   map[string]int // by dotted name
	pre     []Hook
	post    []Hook
	vendors map[string]Vendor
}

func (f *file) where(name string) string { return fmt.Sprintf("%s:%d", f.path, f.lines[name]) }

// body is the part of a file that is not made of flags.
type body struct {
	Hooks struct {
		Pre  []hookBody `toml:"pre_tool"`
		Post []hookBody `toml:"post_tool"`
	} `toml:"hooks"`
	Vendors map[string]struct {
		Dialect string `toml:"dialect"`
		BaseURL string `toml:"base-url"`
		Model   string `toml:"model"`
		KeyEnv  string `toml:"key-env"`
		Key     string `toml:"key"`

		Organization string            `toml:"organization"`
		Project      string            `toml:"project"`
		GiveThinking bool              `toml:"give-thinking"`
		Betas        []string          `toml:"betas"`
		Headers      map[string]string `toml:"headers"`
		Extra        map[string]any    `toml:"extra"`
	} `toml:"vendors"`
}

type hookBody struct {
	Command []string `toml:"command"`
	Tools   []string `toml:"tools"`
	Timeout string   `toml:"timeout"`
}

// tableKeys are the names in tables; * is any name, and ** any name and what is
// below it.
var tableKeys = []string{
	"hooks.pre_tool.command", "hooks.pre_tool.tools", "hooks.pre_tool.timeout",
	"hooks.post_tool.command", "hooks.post_tool.tools", "hooks.post_tool.timeout",
	"vendors.*.dialect", "vendors.*.base-url", "vendors.*.model", "vendors.*.key-env", "vendors.*.key",
	"vendors.*.organization", "vendors.*.project", "vendors.*.give-thinking", "vendors.*.betas",
	"vendors.*.headers.*", "vendors.*.extra.**",
}

// userFile reads the user's file; none, or a home that cannot be looked into, is
// an empty one. A file that is there and cannot be read is an error: it may hold
// denials.
func userFile(dir string) (*file, error) {
	if dir == "" {
		return &file{}, nil
	}
	path := filepath.Join(dir, FileName)
	in, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		if _, there := os.Lstat(path); there != nil {
			return &file{}, nil
		}
		if wrong, ok := errors.AsType[*fs.PathError](err); ok {
			err = wrong.Err
		}
		return nil, fmt.Errorf("%s cannot be read: %w", path, err)
	}
	return readFile(in, path)
}

// projectFile reads a project's file through a handle of its folder, so that no
// link leads out of it.
func projectFile(dir string) (*file, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("read project config: %w", err)
	}
	defer root.Close()
	name := filepath.Join(ProjectDir, FileName)
	in, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return &file{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read project config: %w", err)
	}
	return readFile(in, filepath.Join(dir, name))
}

func readFile(in *os.File, path string) (*file, error) {
	defer in.Close()
	info, err := in.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	var data []byte
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(in, fileMax+1))
	}
	if err == nil && len(data) > fileMax {
		err = fmt.Errorf("more than %d bytes", fileMax)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return parse(data, path)
}

// parse reads data; errors begin with path:line.
func parse(data []byte, path string) (*file, error) {
	f := &file{path: path, values: map[string][]string{}, vendors: map[string]Vendor{}}
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // as editors of other systems begin a file
	var all map[string]any
	var b body
	if err := toml.Unmarshal(data, &all); err != nil {
		return nil, placed(path, err)
	}
	f.lines = names(data)
	if err := f.checkNames(); err != nil {
		return nil, err
	}
	if err := toml.Unmarshal(data, &b); err != nil {
		return nil, placed(path, err)
	}
	for name, value := range all {
		k, ok := keyOf(name)
		if !ok {
			continue // a table
		}
		read, err := k.read(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.where(name), err)
		}
		f.values[name] = read
	}
	return f, f.tables(b)
}

func placed(path string, err error) error {
	if at, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, _ := at.Position()
		return fmt.Errorf("%s:%d: %s", path, line, strings.TrimPrefix(at.Error(), "toml: "))
	}
	return fmt.Errorf("%s: %w", path, err)
}

// names returns the line of every dotted name in data, which is valid.
func names(data []byte) map[string]int {
	var p unstable.Parser
	p.Reset(data)
	lines := map[string]int{}
	var table string
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = dotted(&p, "", e, lines)
		case unstable.KeyValue:
			addNames(&p, table, e, lines)
		}
	}
	return lines
}

func addNames(p *unstable.Parser, prefix string, e *unstable.Node, lines map[string]int) {
	name := dotted(p, prefix, e, lines)
	inner(p, name, e.Value(), lines)
}

// inner adds the names in inline tables, also those in lists.
func inner(p *unstable.Parser, name string, v *unstable.Node, lines map[string]int) {
	if v.Kind != unstable.InlineTable && v.Kind != unstable.Array {
		return
	}
	for it := v.Children(); it.Next(); {
		if n := it.Node(); n.Kind == unstable.KeyValue {
			addNames(p, name, n, lines)
		} else {
			inner(p, name, n, lines)
		}
	}
}

func dotted(p *unstable.Parser, name string, e *unstable.Node, lines map[string]int) string {
	line := 0
	for it := e.Key(); it.Next(); {
		if name != "" {
			name += "."
		}
		name += strings.ReplaceAll(string(it.Node().Data), ".", "\\.")
		line = p.Shape(it.Node().Raw).Start.Line
	}
	if lines[name] == 0 {
		lines[name] = line
	}
	return name
}

// checkNames refuses a name that nothing here knows, the first in the file.
func (f *file) checkNames() error {
	unknown, at := "", 0
	for name, line := range f.lines {
		if !known(name) && (at == 0 || line < at || line == at && name < unknown) {
			unknown, at = name, line
		}
	}
	if at == 0 {
		return nil
	}
	err := fmt.Sprintf("%s: unknown key %q", f.where(unknown), unknown)
	if slices.Contains(FlagsOnly, unknown) {
		err += fmt.Sprintf("; it is a flag only, --%s", unknown)
	} else if guess := nearest(unknown); guess != "" {
		err += fmt.Sprintf("; did you mean %s?", guess)
	}
	return errors.New(err)
}

func known(name string) bool {
	if _, ok := keyOf(name); ok {
		return true
	}
	parts := strings.Split(name, ".")
	return slices.ContainsFunc(tableKeys, func(k string) bool {
		want := strings.Split(k, ".")
		for i, p := range parts {
			switch {
			case i == len(want):
				return false
			case want[i] == "**":
				return true
			case want[i] != p && want[i] != "*":
				return false
			}
		}
		return true
	})
}
