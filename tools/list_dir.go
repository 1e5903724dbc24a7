package tools

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// listMax bounds the names that list_dir shows.
const listMax = 1000

//go:embed list_dir.md
var listDirText string

type listDirArgs struct {
	Path  string `json:"path,omitempty" jsonschema:"the folder; the workspace root if left out"`
	Depth count  `json:"depth,omitempty" jsonschema:"how many levels to list, 1 if left out"`
}

func (a listDirArgs) Summary() string { return shown(cmp.Or(a.Path, ".")) }

func (b *builtin) listDir() Tool {
	return mustNew(Spec{Name: "list_dir", Description: listDirText, Class: ReadOnly}, b.runListDir)
}

func (b *builtin) runListDir(ctx context.Context, _ Call, args listDirArgs) Result {
	place, err := b.ws.locateFolder(args.Path, b.withholds("list_dir"))
	if err == nil && b.withheld("list_dir", place.Path) {
		err = errWithheld
	}
	if err != nil {
		return failed("%s: %v", shown(args.Path), err)
	}
	l := &listing{start: place.Rel}
	walk := tree{root: place.root, depth: max(int(args.Depth), 1), visit: l.visit, withholds: b.withholds("list_dir")}
	if err := walk.walk(ctx, place.Rel); err != nil && !errors.Is(err, errTreeMax) {
		return failed("%s: %v", shown(args.Path), err)
	}
	text := fmt.Sprintf("%s: %s", shown(b.ws.name(place)), plural(l.total, "entry"))
	if place.Note != "" {
		text = place.Note + "\n" + text
	}
	text += "\n" + l.out.String()
	if more := l.total - l.listed; more > 0 {
		text += fmt.Sprintf("… %d more; list a folder below, or use glob\n", more)
	}
	return Result{Text: text + walk.counts(), Truncated: l.total > l.listed}
}

type listing struct {
	start         string
	out           strings.Builder
	listed, total int
}

func (l *listing) visit(dir *os.Root, e entry) (bool, error) {
	l.total++
	if l.listed >= listMax || l.out.Len() > readMax {
		return false, nil
	}
	l.listed++
	name := shown(below(e.rel, l.start))
	switch {
	case e.IsDir():
		name += "/"
	case e.Type()&fs.ModeSymlink != 0:
		if target, err := dir.Readlink(e.Name()); err == nil {
			name += " -> " + shown(target)
		}
	case e.Type().IsRegular():
		if info, err := dir.Lstat(e.Name()); err == nil {
			name += fmt.Sprintf("  %d", info.Size())
		}
	default:
		name += "  (" + kind(e.Type()) + ")"
	}
	l.out.WriteString(name + "\n")
	return true, nil
}

// counts is the last line of a result: what the walk left out.
func (t *tree) counts() string {
	text := fmt.Sprintf("%d ignored, %d not readable", t.ignored, t.unreadable)
	if t.withheld > 0 {
		text += fmt.Sprintf(", %d withheld by a deny rule", t.withheld)
	}
	return text
}

// below returns rel without the folder start in front.
func below(rel, start string) string {
	if start == "." {
		return rel
	}
	return strings.TrimPrefix(rel, start+"/")
}

// locateFolder is locateExisting for a folder.
func (w *Workspace) locateFolder(path string, withholds func(path string) bool) (Place, error) {
	place, err := w.locateExisting(path, withholds)
	if err == nil && !place.Info.IsDir() {
		err = fmt.Errorf("%s, not a folder", kindOf(place.Info))
	}
	return place, err
}

func kindOf(info fs.FileInfo) string {
	if info.Mode().IsRegular() {
		return "a file"
	}
	return kind(info.Mode())
}

// name is how results call a place: relative in the first root, else absolute.
func (w *Workspace) name(p Place) string { return w.nameIn(p.root, p.Rel) }

func (w *Workspace) nameIn(r *root, rel string) string {
	if r == w.roots[0] {
		return rel
	}
	return filepath.Join(r.real, rel)
}
