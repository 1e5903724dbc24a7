package tools

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path"
	"runtime"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/sourcegraph/conc/stream"
)

// Bounds of grep.
const (
	grepDefault    = 200
	grepLimitMax   = 5_000
	grepContextMax = 50
	grepMax        = 30_000 // bytes of a result
	grepWorkersMax = 4      // batches searched at once
	grepBatch      = 64     // files of one folder that one goroutine searches
)

//go:embed grep.md
var grepText string

type grepArgs struct {
	Pattern    string `json:"pattern" jsonschema:"regular expression in RE2 syntax"`
	Path       string `json:"path,omitempty" jsonschema:"the folder or file to search; the workspace root if left out"`
	Glob       string `json:"glob,omitempty" jsonschema:"only files of such names; without a slash it is matched against the last name"`
	IgnoreCase bool   `json:"ignore_case,omitempty" jsonschema:"upper and lower case are the same"`
	Context    int    `json:"context,omitempty" jsonschema:"lines to show before and after each match"`
	Limit      count  `json:"limit,omitempty" jsonschema:"how many matching lines to show, 200 if left out"`
}

func (a grepArgs) Summary() string {
	if a.Path == "" {
		return shown(a.Pattern)
	}
	return shown(a.Pattern) + " in " + shown(a.Path)
}

// grep is this package's own search on every machine, also where ripgrep is
// installed: that opens files by their names, which a racing link could lead
// out of the workspace, and it reads some patterns differently from RE2, so
// answers would depend on the machine.
func (b *builtin) grep() Tool {
	return mustNew(Spec{Name: "grep", Description: grepText, Class: ReadOnly}, b.runGrep)
}

func (b *builtin) runGrep(ctx context.Context, _ Call, args grepArgs) Result {
	if args.Context < 0 {
		return badArgument("context cannot be negative")
	}
	if args.Glob != "" && !doublestar.ValidatePattern(args.Glob) {
		return badArgument("glob %s is not well formed", quoteCapped(args.Glob))
	}
	matcher, err := newMatcher(args.Pattern, args.IgnoreCase)
	if err != nil {
		return badArgument("pattern: %v", err)
	}
	g := &grepping{ws: b.ws, args: args, matcher: matcher, limit: grepDefault}
	if args.Limit > 0 {
		g.limit = min(int(args.Limit), grepLimitMax)
	}
	place, err := g.place(b.withholds("list_dir"))
	if err == nil && b.withheld("grep", place.Path) {
		err = errWithheld
	}
	if err != nil {
		return failed("%s: %v", shown(args.Path), err)
	}
	timed, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	walk := tree{root: place.root, visit: g.visit, withholds: b.withholds("grep")}
	err = g.search(timed, &walk, place)
	if ctx.Err() != nil {
		return stopped(ctx, "canceled")
	}
	return g.result(place, &walk, err)
}

// grepping is one call of grep.
type grepping struct {
	ws      *Workspace
	args    grepArgs
	glob    string // what is left of the glob behind the folder it names
	matcher *matcher
	limit   int

	start   string
	root    *root
	ctx     context.Context
	cancel  context.CancelFunc
	pool    *stream.Stream
	buffers sync.Pool
	batch   batch
	kernel  kernelDevices

	// Of the results, which come in the order of the files.
	out                            strings.Builder
	matches, files, binary, unread int
	unopened                       int // of the walk
	full, limited                  bool
}

// place is where the search starts: what path names, or a folder below it that
// glob names. withholds is that of locateExisting.
func (g *grepping) place(withholds func(path string) bool) (Place, error) {
	place, err := g.ws.locateExisting(g.args.Path, withholds)
	if err != nil {
		return place, err
	}
	g.glob = g.args.Glob
	if !place.Info.IsDir() {
		return place, regular(place.Info)
	}
	if below, rest := doublestar.SplitPattern(g.glob); below != "." && !strings.HasPrefix(g.glob, "/") && g.glob != "" {
		if inner, err := g.ws.locateFolder(place.Path+"/"+below, withholds); err == nil {
			g.glob = rest
			if !strings.Contains(rest, "/") {
				g.glob = "./" + rest // It was about this folder, not about any below.
			}
			return inner, nil
		}
	}
	return place, nil
}

// search goes through the files with some goroutines. They end before it
// returns; results are taken in the order of the walk.
func (g *grepping) search(ctx context.Context, walk *tree, place Place) error {
	g.ctx, g.cancel = context.WithCancel(ctx)
	defer g.cancel()
	g.buffers.New = func() any { return new([]byte) }
	g.pool = stream.New().WithMaxGoroutines(min(runtime.GOMAXPROCS(0), grepWorkersMax))
	defer g.pool.Wait()
	if !place.Info.IsDir() {
		file, err := openPlace(place)
		if err != nil {
			return err
		}
		g.pool.Go(func() stream.Callback {
			defer file.Close()
			found := g.scan(file, g.ws.name(place))
			return func() { g.take(found) }
		})
		return nil
	}
	g.start, g.root = place.Rel, place.root
	err := walk.walk(g.ctx, place.Rel)
	g.flush()
	if errors.Is(err, context.Canceled) {
		return nil // By the limit; a cancel of the call is looked at by the caller.
	}
	return err
}

func (g *grepping) visit(dir *os.Root, e entry) (bool, error) {
	if e.IsDir() {
		return true, nil
	}
	if !e.Type().IsRegular() || !g.named(below(e.rel, g.start)) {
		return false, nil
	}
	if g.batch.of != dir || len(g.batch.files) == grepBatch {
		g.flush()
	}
	if g.batch.of == nil {
		folder, err := openHandle(dir)
		if err != nil {
			g.unopened++
			return false, nil
		}
		g.batch = batch{of: dir, folder: folder}
	}
	g.batch.files = append(g.batch.files, e)
	return false, nil
}

func (g *grepping) named(rel string) bool {
	if g.glob == "" {
		return true
	}
	pattern, full := strings.CutPrefix(g.glob, "./")
	if !full && !strings.Contains(pattern, "/") {
		rel = path.Base(rel)
	}
	ok, _ := doublestar.Match(pattern, rel) // Validated before.
	return ok
}

// take adds the result of a file. It runs in one goroutine at a time.
func (g *grepping) take(found searched) {
	s, err := found.scan, found.err
	if g.full || g.limited {
		return
	}
	switch {
	case errors.Is(err, errBinary):
		g.binary++
		return
	case s == nil || err != nil && g.ctx.Err() == nil:
		g.unread++
		return
	case s.matches == 0:
		return
	case g.matches == g.limit:
		g.limited = true
		g.cancel()
		return
	}
	g.files++
	name := shown(found.rel)
	for _, r := range s.rows {
		if r.match && g.matches == g.limit {
			g.limited = true
			break
		}
		line := r.String(name)
		if g.out.Len()+len(line) > grepMax {
			g.full = true
			break
		}
		if r.match {
			g.matches++
		}
		g.out.WriteString(line)
	}
	if s.more {
		g.limited = true
	}
	if g.full || g.limited {
		g.cancel()
	}
}

func (g *grepping) result(place Place, walk *tree, err error) Result {
	if !place.Info.IsDir() && err == nil && g.binary > 0 {
		err = errBinary
	}
	if !place.Info.IsDir() && err != nil {
		return failed("%s: %v", shown(g.args.Path), err)
	}
	head := fmt.Sprintf("%s in %s", plural(g.matches, "match"), plural(g.files, "file"))
	truncated := false
	switch {
	case g.full:
		head += fmt.Sprintf("; more would be over %d bytes: narrow the pattern, path or glob", grepMax)
		truncated = true
	case g.limited:
		head += fmt.Sprintf("; there are more than the limit of %d", g.limit)
		truncated = g.args.Limit == 0 || g.args.Limit > grepLimitMax
	}
	if place.Note != "" {
		head = place.Note + "\n" + head
	}
	walk.unreadable += g.unread + g.unopened
	text := head + "\n" + g.out.String() + walk.counts()
	if g.binary > 0 {
		text += fmt.Sprintf(", %d binary", g.binary)
	}
	if err != nil {
		text += "; " + unfinished(err)
		truncated = true
	}
	return Result{Text: text, Truncated: truncated}
}
