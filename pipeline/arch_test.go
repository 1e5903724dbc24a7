package pipeline_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const (
	module     = "github.com/weir-agents/weir"
	protoactor = "github.com/asynkron/protoactor-go"
)

// source is one Go file of the repository.
type source struct {
	path  string // from the root, with slashes
	file  *ast.File
	fset  *token.FileSet
	lines int
}

// sources parses the whole repository, once for all tests.
var sources = sync.OnceValues(func() ([]source, error) {
	const root = ".."
	var all []source
	fset := token.NewFileSet()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && name != root):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		all = append(all, source{filepath.ToSlash(rel), f, fset, strings.Count(string(text), "\n")})
		return nil
	})
	return all, err
})

// house returns the sources that keep says true to.
func house(t *testing.T, keep func(source) bool) []source {
	t.Helper()
	all, err := sources()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 50 {
		t.Fatalf("only %d Go files found: the walk is broken", len(all))
	}
	return slices.DeleteFunc(slices.Clone(all), func(s source) bool { return !keep(s) })
}

func every(source) bool     { return true }
func program(s source) bool { return !s.test() }

func (s source) test() bool { return strings.HasSuffix(s.path, "_test.go") }

// room is the folder under the root that holds s.
func (s source) room() string { return strings.Split(s.path, "/")[0] }

func (s source) at(n ast.Node) string {
	return s.path + ":" + strconv.Itoa(s.fset.Position(n.Pos()).Line)
}

// imports returns the paths s imports, with the node of each.
func (s source) imports() map[string]ast.Node {
	out := map[string]ast.Node{}
	for _, i := range s.file.Imports {
		p, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			panic("arch: " + s.at(i) + ": " + err.Error())
		}
		out[p] = i
	}
	return out
}

// selects calls found for every selector X.Name whose X is the package imported
// from path.
func (s source) selects(from string, found func(name string, at ast.Node)) {
	local := ""
	for _, i := range s.file.Imports {
		if p, _ := strconv.Unquote(i.Path.Value); p == from {
			local = path.Base(from)
			if i.Name != nil {
				local = i.Name.Name
			}
		}
	}
	if local == "" {
		return
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == local {
				found(sel.Sel.Name, sel)
			}
		}
		return true
	})
}

// below says which rooms each room may import beside itself: down only.
var below = map[string][]string{
	"provider": nil,
	"tools":    nil,
	"journal":  nil,
	"actors":   {"provider", "tools", "journal"},
	"pipeline": {"actors", "provider", "tools", "journal"},
	"bench":    {"pipeline", "actors", "provider", "tools", "journal"},
	// The program goes through the front door.
	"cmd": {"bench", "pipeline", "provider", "tools", "journal"},
}

func TestArchImportsPointDown(t *testing.T) {
	for _, s := range house(t, every) {
		may, known := below[s.room()]
		if !known {
			t.Errorf("%s: there is no room %q; a new folder needs a decision in docs/decisions", s.path, s.room())
			continue
		}
		for p, n := range s.imports() {
			rest, ours := strings.CutPrefix(p, module+"/")
			if !ours {
				continue
			}
			to := strings.Split(rest, "/")[0]
			if to != s.room() && !slices.Contains(may, to) {
				t.Errorf("%s: %s must not import %s: imports point down, cmd → bench → pipeline → actors → provider, tools, journal", s.at(n), s.room(), rest)
			}
		}
	}
}

// Inside a leaf the parent imports none of its parts, but for what is internal.
func TestArchLeavesDoNotImportTheirParts(t *testing.T) {
	for _, s := range house(t, program) {
		if path.Dir(s.path) != s.room() || below[s.room()] != nil {
			continue
		}
		for p, n := range s.imports() {
			if strings.HasPrefix(p, module+"/"+s.room()+"/") && !strings.Contains(p, "/internal/") {
				t.Errorf("%s: %s must not import its part %s", s.at(n), s.room(), p)
			}
		}
	}
}

// knowsProtoactor are the files of the program that may import it; the front
// door takes a system and gives a PID, and bench has its mailboxes as a rival.
var knowsProtoactor = []string{"actors/mailbox.go", "actors/shell.go", "actors/supervisor.go", "pipeline/", "bench/"}

func TestArchFewFilesKnowProtoactor(t *testing.T) {
	for _, s := range house(t, program) {
		for p, n := range s.imports() {
			if !strings.HasPrefix(p, protoactor) {
				continue
			}
			if !slices.ContainsFunc(knowsProtoactor, func(may string) bool { return strings.HasPrefix(s.path, may) }) {
				t.Errorf("%s: only these know protoactor: %s", s.at(n), strings.Join(knowsProtoactor, ", "))
			}
		}
	}
}

// A sender of a Bounded mailbox spins while it is full (I2). The bench may, to
// show what that costs.
func TestArchNoBoundedMailbox(t *testing.T) {
	for _, s := range house(t, every) {
		if s.room() == "bench" {
			continue
		}
		s.selects(protoactor+"/actor", func(name string, at ast.Node) {
			if strings.HasPrefix(name, "Bounded") {
				t.Errorf("%s: actor.%s: its sender spins when it is full; use the mailbox of package actors", s.at(at), name)
			}
		})
	}
}

// helperOfSandbox becomes the command that it confines, and so passes on the
// environment it was given.
const helperOfSandbox = "tools/sandbox/helper_linux.go"

func TestArchEnvironmentIsReadInCmdOnly(t *testing.T) {
	reads := map[string][]string{
		"os":       {"Getenv", "LookupEnv", "Environ", "ExpandEnv", "UserHomeDir", "UserConfigDir", "UserCacheDir"},
		"net/http": {"ProxyFromEnvironment"},
		"syscall":  {"Getenv", "Environ"},
	}
	for _, s := range house(t, func(s source) bool { return program(s) && s.room() != "cmd" }) {
		for from, names := range reads {
			s.selects(from, func(name string, at ast.Node) {
				if slices.Contains(names, name) && s.path != helperOfSandbox {
					t.Errorf("%s: %s.%s: the environment is read in cmd only; take the value in a Config", s.at(at), path.Base(from), name)
				}
			})
		}
	}
}
