package pipeline_test

import (
	"go/ast"
	"go/token"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

const (
	fileLinesMax     = 400
	functionLinesMax = 70
)

// machines are what the names of the files of actors begin with that hold no
// clock, goroutine, lock and I/O. The mark at their head says so to whoever
// changes them; the test below holds them to it.
var machines = []string{"assembler", "batcher", "calls", "credit", "history", "outlet", "reporter", "resequencer", "session", "turn"}

func pure(s source) bool {
	for _, group := range s.file.Comments {
		if strings.HasPrefix(group.Text(), "PURE: ") {
			return true
		}
	}
	return false
}

func TestArchMachinesArePure(t *testing.T) {
	forbidden := []string{"os", "net", "sync", "context", "io", "bufio", "log", "runtime", "math/rand", "crypto/rand", "testing", protoactor}
	clock := []string{"Now", "Since", "Until", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick", "Sleep"}
	marked := map[string]bool{}
	for _, s := range house(t, pure) {
		marked[s.path] = true
		for p, n := range s.imports() {
			if slices.ContainsFunc(forbidden, func(f string) bool { return p == f || strings.HasPrefix(p, f+"/") }) {
				t.Errorf("%s: a PURE file must not import %s", s.at(n), p)
			}
		}
		s.selects("time", func(name string, at ast.Node) {
			if slices.Contains(clock, name) {
				t.Errorf("%s: a PURE file must not use time.%s: time is an argument", s.at(at), name)
			}
		})
		ast.Inspect(s.file, func(n ast.Node) bool {
			if what := impure(n); what != "" {
				t.Errorf("%s: a PURE file must not %s", s.at(n), what)
			}
			return true
		})
	}
	for _, name := range machines {
		if !marked["actors/"+name+".go"] {
			t.Errorf("actors/%s.go must be there, and say that it is a machine with a line `// PURE: …`", name)
		}
	}
	for _, s := range house(t, program) {
		name := path.Base(s.path)
		if s.room() == "actors" && !marked[s.path] && slices.ContainsFunc(machines, func(m string) bool { return strings.HasPrefix(name, m) }) {
			t.Errorf("%s is part of a machine: it must say so with a line `// PURE: …`", s.path)
		}
	}
}

// impure says what n does that a machine must not, "" for nothing.
func impure(n ast.Node) string {
	switch n := n.(type) {
	case *ast.GoStmt:
		return "start a goroutine"
	case *ast.SelectStmt, *ast.SendStmt, *ast.ChanType:
		return "use channels"
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			return "use channels"
		}
	case *ast.CallExpr:
		if sel, ok := n.Fun.(*ast.SelectorExpr); ok && slices.Contains([]string{"Lock", "RLock", "Wait"}, sel.Sel.Name) {
			return "take a lock"
		}
	}
	return ""
}

// starts are the files of actors that start goroutines. Each says where its
// goroutines end.
var starts = []string{"streamer.go", "executor.go", "supervisor.go", "hooks.go", "foreign.go", "recorder.go", "dispatcher.go"}

func TestArchGoroutinesStartInFewFiles(t *testing.T) {
	for _, s := range house(t, program) {
		if s.room() != "actors" || slices.Contains(starts, path.Base(s.path)) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			started := false
			switch n := n.(type) {
			case *ast.GoStmt:
				started = true
			case *ast.CallExpr:
				sel, ok := n.Fun.(*ast.SelectorExpr)
				started = ok && sel.Sel.Name == "Go"
			}
			if started {
				t.Errorf("%s: goroutines of actors start in %s only", s.at(n), strings.Join(starts, ", "))
			}
			return true
		})
	}
}

func TestArchFilesAndFunctionsFitAScreen(t *testing.T) {
	for _, s := range house(t, every) {
		if s.lines > fileLinesMax {
			t.Errorf("%s has %d lines, more than the limit of %d: cut it along a seam", s.path, s.lines, fileLinesMax)
		}
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := s.fset.Position(f.End()).Line - s.fset.Position(f.Pos()).Line + 1; n > functionLinesMax {
				t.Errorf("%s: %s has %d lines, more than the limit of %d", s.at(f), f.Name.Name, n, functionLinesMax)
			}
		}
	}
}

func TestArchFilesAreNamedForANoun(t *testing.T) {
	for _, s := range house(t, program) {
		switch strings.TrimSuffix(path.Base(s.path), ".go") {
		case "util", "utils", "common", "types", "helpers", "misc":
			t.Errorf("%s: name the file for what it defines", s.path)
		}
	}
}

func TestArchExportedNamesAreDocumented(t *testing.T) {
	packages := map[string]bool{} // whether the package has its comment
	for _, s := range house(t, program) {
		dir := path.Dir(s.path)
		packages[dir] = packages[dir] || s.file.Doc.Text() != ""
		for _, d := range s.file.Decls {
			undocumented(s, d, func(name string, at ast.Node) {
				t.Errorf("%s: %s is exported and has no doc comment", s.at(at), name)
			})
		}
	}
	for dir, ok := range packages {
		if !ok {
			t.Errorf("%s: no file has a package comment", dir)
		}
	}
}

// undocumented calls found for every exported name that d declares without a
// comment. A comment on a group, or behind a name, counts.
func undocumented(s source, d ast.Decl, found func(string, ast.Node)) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && d.Doc.Text() == "" && (d.Recv == nil || ast.IsExported(receiver(d))) {
			found(d.Name.Name, d)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.Name.IsExported() && d.Doc.Text()+spec.Doc.Text()+spec.Comment.Text() == "" {
					found(spec.Name.Name, spec)
				}
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					if name.IsExported() && d.Doc.Text()+spec.Doc.Text()+spec.Comment.Text() == "" {
						found(name.Name, spec)
					}
				}
			}
		}
	}
}

// receiver returns the name of the type that f is a method of.
func receiver(f *ast.FuncDecl) string {
	e := f.Recv.List[0].Type
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// In a bubble of testing/synctest a sleep moves the bubble's own clock and costs
// nothing; anywhere else it makes a test slow or wrong.
func TestArchTestsNeitherSkipNorSleep(t *testing.T) {
	for _, s := range house(t, source.test) {
		_, bubble := s.imports()["testing/synctest"]
		s.selects("time", func(name string, at ast.Node) {
			if name == "Sleep" && !bubble {
				t.Errorf("%s: a test must not sleep outside testing/synctest", s.at(at))
			}
		})
		ast.Inspect(s.file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok && slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, sel.Sel.Name) {
				t.Errorf("%s: a test must not skip: what it needs is part of the machine, or the test is wrong", s.at(n))
			}
			return true
		})
	}
}

func TestArchLintersAreTools(t *testing.T) {
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"honnef.co/go/tools/cmd/staticcheck", "mvdan.cc/gofumpt"} {
		if !strings.Contains(string(mod), want) {
			t.Errorf("go.mod does not pin %s as a tool", want)
		}
	}
	if strings.Contains(string(mod), "golangci-lint") {
		t.Error("golangci-lint must not be in go.mod: it brings hundreds of modules")
	}
}
