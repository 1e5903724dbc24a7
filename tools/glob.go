package tools

import (
	"cmp"
	"container/heap"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
)

// Bounds of a search.
const (
	searchTime   = 30 * time.Second
	globDefault  = 200
	globLimitMax = 2_000
)

//go:embed glob.md
var globText string

type globArgs struct {
	Pattern string `json:"pattern" jsonschema:"which paths, such as **/*_test.go"`
	Path    string `json:"path,omitempty" jsonschema:"the folder to search; the workspace root if left out"`
	Limit   count  `json:"limit,omitempty" jsonschema:"how many paths to show, 200 if left out, at most 2000"`
}

func (a globArgs) Summary() string { return shown(a.Pattern) }

func (b *builtin) glob() Tool {
	return mustNew(Spec{Name: "glob", Description: globText, Class: ReadOnly}, b.runGlob)
}

func (b *builtin) runGlob(ctx context.Context, _ Call, args globArgs) Result {
	place, pattern, err := b.ws.globbed(args.Path, args.Pattern, b.withholds("list_dir"))
	if bad, ok := errors.AsType[argumentError](err); ok {
		return badArgument("%v", bad)
	}
	if errors.Is(err, errNoStart) {
		return Result{Text: "0 files\n0 ignored, 0 not readable"}
	}
	if err == nil && b.withheld("glob", place.Path) {
		err = errWithheld
	}
	if err != nil {
		return failed("%s: %v", shown(path.Join(args.Path, args.Pattern)), err)
	}
	limit := globDefault
	if args.Limit > 0 {
		limit = min(int(args.Limit), globLimitMax)
	}
	g := &globbing{start: place.Rel, pattern: pattern, limit: limit}
	walk := tree{root: place.root, depth: depthOf(pattern), visit: g.visit, withholds: b.withholds("glob")}
	timed, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	err = walk.walk(timed, place.Rel)
	if ctx.Err() != nil {
		return stopped(ctx, "canceled")
	}
	result := g.result(b.ws, place)
	result.Text += walk.counts()
	if place.Note != "" {
		result.Text = place.Note + "\n" + result.Text
	}
	if args.Limit > 0 && args.Limit <= globLimitMax {
		result.Truncated = false // What was asked for is there.
	}
	if err != nil {
		result.Text += "; " + unfinished(err)
		result.Truncated = true
	}
	return result
}

// unfinished says why a search did not see everything.
func unfinished(err error) string {
	if errors.Is(err, errTreeMax) {
		return fmt.Sprintf("not finished: more than %d names; search a folder below", treeMax)
	}
	return fmt.Sprintf("not finished: stopped after %v; search a folder below", searchTime)
}

// errNoStart says that the folder in front of a pattern does not exist.
var errNoStart = errors.New("no such folder")

// globbed splits a pattern into the folder it names literally, which is
// searched even if an ignore file leaves it out, and the rest. withholds is that
// of locateExisting.
func (w *Workspace) globbed(dir, pattern string, withholds func(path string) bool) (Place, string, error) {
	if pattern == "" || !doublestar.ValidatePattern(pattern) {
		return Place{}, "", argumentError("pattern " + quoteCapped(pattern) + " is not well formed")
	}
	start, rest := doublestar.SplitPattern(path.Clean(pattern))
	if !strings.HasPrefix(start, "/") {
		place, err := w.locateFolder(dir, withholds)
		if err != nil || start == "." {
			return place, rest, err
		}
		start = place.Path + "/" + start
	}
	place, err := w.locateFolder(start, withholds)
	if err != nil && !errors.Is(err, ErrOutside) {
		err = errNoStart
	}
	return place, rest, err
}

// depthOf is how many levels a pattern can match.
func depthOf(pattern string) int {
	if strings.Contains(pattern, "**") || strings.Contains(pattern, "{") {
		return 0
	}
	return strings.Count(pattern, "/") + 1
}

// globbing keeps the newest matches, however many there are.
type globbing struct {
	start, pattern string
	limit, total   int
	newest         foundFiles
}

type foundFile struct {
	rel     string
	changed time.Time
}

// foundFiles is a heap with the oldest on top.
type foundFiles []foundFile

func (f foundFiles) Len() int           { return len(f) }
func (f foundFiles) Less(i, j int) bool { return byAge(f[j], f[i]) < 0 }
func (f foundFiles) Swap(i, j int)      { f[i], f[j] = f[j], f[i] }
func (f *foundFiles) Push(x any)        { *f = append(*f, x.(foundFile)) }

func (f *foundFiles) Pop() any {
	last := (*f)[len(*f)-1]
	*f = (*f)[:len(*f)-1]
	return last
}

// byAge puts newer files first, and equally old ones in the order of names.
func byAge(a, b foundFile) int {
	return cmp.Or(b.changed.Compare(a.changed), strings.Compare(a.rel, b.rel))
}

func (g *globbing) visit(dir *os.Root, e entry) (bool, error) {
	if e.IsDir() {
		return true, nil
	}
	if ok, _ := doublestar.Match(g.pattern, below(e.rel, g.start)); !ok { // Validated before.
		return false, nil
	}
	info, err := dir.Lstat(e.Name())
	if err != nil {
		return false, nil // It is gone since; then it is no match.
	}
	if mode := info.Mode(); !mode.IsRegular() && mode.Type() != fs.ModeSymlink {
		return false, nil
	}
	g.total++
	heap.Push(&g.newest, foundFile{rel: e.rel, changed: info.ModTime()})
	if len(g.newest) > g.limit {
		heap.Pop(&g.newest)
	}
	return false, nil
}

func (g *globbing) result(w *Workspace, place Place) Result {
	slices.SortFunc(g.newest, byAge)
	var text strings.Builder
	listed := 0
	for _, f := range g.newest {
		if text.Len() > readMax {
			break
		}
		text.WriteString(shown(w.nameIn(place.root, f.rel)) + "\n")
		listed++
	}
	head := plural(g.total, "file")
	if listed < g.total {
		head += fmt.Sprintf(", the newest %d of them; for more give a larger limit or a narrower pattern", listed)
	}
	return Result{Text: head + "\n" + text.String(), Truncated: listed < g.total}
}
