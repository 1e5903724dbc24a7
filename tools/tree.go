package tools

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// Bounds of a walk; whatever they cut is counted.
const (
	treeDepthMax = 128       // folders below the start
	treeMax      = 1_000_000 // names looked at
	folderMax    = 200_000   // names of one folder, held at once; the rest counts as not readable
	treeBatch    = 1024      // names read at once
)

// errTreeMax ends a walk that looked at treeMax names.
var errTreeMax = errors.New("too many files")

// tree walks a folder in the order of names, folders before what is in them,
// following no links. It holds the names of the folders on its way, not those
// of the whole tree.
type tree struct {
	root  *root
	depth int // levels to go down; 0 is treeDepthMax
	// visit is called for every name that no rule leaves out, with the handle
	// of its folder. A folder is entered if it returns true.
	visit func(dir *os.Root, e entry) (bool, error)
	// withholds, if not nil, reports that a deny rule covers an absolute path;
	// such a name is not visited and not entered.
	withholds func(path string) bool

	names      int
	ignored    int
	withheld   int
	unreadable int
}

// entry is one name of a tree.
type entry struct {
	rel         string // in the root, with /
	fs.DirEntry        // of which only name and type can be asked
}

// walk goes through the folder start of the root.
func (t *tree) walk(ctx context.Context, start string) error {
	if t.depth == 0 {
		t.depth = treeDepthMax
	}
	return t.folder(ctx, start, 1, ignoresAbove(t.root.handle, start))
}

func (t *tree) folder(ctx context.Context, rel string, level int, rules ignores) error {
	dir, err := t.root.handle.OpenRoot(rel)
	if err != nil {
		t.unreadable++
		return nil
	}
	folders, err := t.entries(ctx, dir, rel, rules)
	_ = dir.Close() // Only read from.
	if err != nil {
		return err
	}
	if level >= t.depth {
		if t.depth == treeDepthMax {
			t.unreadable += len(folders.names)
		}
		return nil
	}
	for _, name := range folders.names {
		if err := t.folder(ctx, path.Join(rel, name), level+1, folders.rules); err != nil {
			return err
		}
	}
	return nil
}

// folders are the folders to enter, and the rules that hold in them.
type folders struct {
	names []string
	rules ignores
}

func (t *tree) entries(ctx context.Context, dir *os.Root, rel string, rules ignores) (folders, error) {
	list, err := t.list(ctx, dir)
	if err != nil {
		return folders{}, err
	}
	found := folders{rules: rules.with(dir, rel)}
	for _, e := range list {
		if err := ctx.Err(); err != nil {
			return found, err
		}
		if t.names++; t.names > treeMax {
			return found, errTreeMax
		}
		at := entry{rel: path.Join(rel, e.Name()), DirEntry: e}
		if found.rules.ignored(at.rel, e.IsDir()) {
			t.ignored++
			continue
		}
		if t.withholds != nil && t.withholds(path.Join(t.root.real, at.rel)) {
			t.withheld++
			continue
		}
		enter, err := t.visit(dir, at)
		if err != nil {
			return found, err
		}
		if enter && e.IsDir() {
			found.names = append(found.names, e.Name())
		}
	}
	return found, nil
}

// list reads the names of a folder, in order.
func (t *tree) list(ctx context.Context, dir *os.Root) ([]fs.DirEntry, error) {
	folder, err := openHandle(dir)
	if err != nil {
		t.unreadable++
		return nil, nil
	}
	defer folder.close()
	var list []fs.DirEntry
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		batch, err := folder.list(treeBatch)
		list = append(list, batch...)
		if len(list) > folderMax {
			list = list[:folderMax]
			t.unreadable++
			break
		}
		if err != nil {
			break // The end, or what cannot be read of it.
		}
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list, nil
}
