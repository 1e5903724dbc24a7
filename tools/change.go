package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Bounds of a change.
const (
	changeMax   = 64 << 20 // bytes of a file that can be changed
	diffFileMax = 1 << 20  // bytes of a file that a diff is made of
	diffMax     = 8_000    // bytes of a diff in a result
)

// change is one write to one file: from reading it to the rename, under its
// lock.
type change struct {
	ws   *Workspace
	call Call
	path string // as the model wrote it
	// folders may be made for a new file.
	folders bool
	// edit returns the new content; before is nil if there is no file. Its
	// error, or Result, is what the model gets, and nothing is written.
	edit func(ctx context.Context, before []byte) (after []byte, err error)
	// withholds, if not nil, reports that what lies at a path may not be read, so
	// that nothing of it may be shown.
	withholds func(path string) bool

	place  Place
	before []byte
	after  []byte
	info   fs.FileInfo // nil for a new file
	note   string
}

// errUnchanged says that the file holds already what it should.
var errUnchanged = errors.New("unchanged")

// run does the change, or says why not.
func (c *change) run(ctx context.Context) error {
	return c.locked(ctx, func(dir *os.Root, name string) error { return c.in(ctx, dir, name) })
}

// locked calls do with the folder and the name of the file, while no other
// call and no other process of ours writes there.
func (c *change) locked(ctx context.Context, do func(dir *os.Root, name string) error) error {
	place, err := c.locate()
	if err != nil {
		return err
	}
	unlock, err := c.ws.locks.lock(ctx, place.Path)
	if err != nil {
		return err
	}
	defer unlock()
	// Another call may have made the file, or a link of it, while this one waited.
	if c.place, err = c.locate(); err != nil {
		return err
	}
	if c.place.Path != place.Path {
		return errors.New("the path leads elsewhere now; try again")
	}
	dir, err := c.folder()
	if err != nil {
		return err
	}
	defer dir.Close()
	unlockDir, err := lockFolder(ctx, dir)
	if err != nil {
		return err
	}
	defer unlockDir()
	return do(dir, path.Base(c.place.Rel))
}

func (c *change) locate() (Place, error) {
	if strings.HasSuffix(c.path, "/") {
		return Place{}, errors.New("this names a folder, not a file")
	}
	place, err := c.ws.Locate(c.path)
	switch {
	case err != nil:
		return place, err
	case place.root.readOnly:
		return place, errors.New("may be read but not written")
	case place.Info != nil:
		return place, regular(place.Info)
	}
	return place, nil
}

// folder opens the folder of the file, so that a racing rename of any folder
// on the way cannot send the write elsewhere.
func (c *change) folder() (*os.Root, error) {
	parent := path.Dir(c.place.Rel)
	dir, err := c.place.root.handle.OpenRoot(parent)
	if errors.Is(err, fs.ErrNotExist) && c.folders {
		if err := c.place.root.handle.MkdirAll(parent, 0o777); err != nil {
			return nil, plain(err)
		}
		dir, err = c.place.root.handle.OpenRoot(parent)
	}
	if err != nil {
		return nil, plain(err)
	}
	return dir, nil
}

// in does the change to the file name in dir.
func (c *change) in(ctx context.Context, dir *os.Root, name string) error {
	if err := c.read(dir, name); err != nil {
		return err
	}
	seen := seenOf(c.call.Scope)
	if c.info != nil && seen.stale(c.place.Path, c.info, c.before) {
		return errors.New("changed since you read it; nothing was written: read it again, then decide")
	}
	after, err := c.edit(ctx, c.before)
	if err != nil {
		return err
	}
	if c.info != nil && bytes.Equal(after, c.before) {
		return errUnchanged
	}
	c.after = after
	w := writing{dir: dir, name: name, old: c.info, content: after}
	if err := w.run(); err != nil {
		return err
	}
	c.note = w.note
	seen.note(c.place.Path, *stampOf(w.done, after))
	historyOf(c.call.Scope).add(past{
		turn: c.call.Turn, path: c.place.Path, name: c.ws.name(c.place),
		before: c.before, after: after, created: c.info == nil,
	})
	return nil
}

func (c *change) read(dir *os.Root, name string) error {
	file, err := openRegular(dir, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	if c.info, err = file.Stat(); err != nil {
		return plain(err)
	}
	if c.info.Size() > changeMax {
		return fmt.Errorf("too large to change: %d bytes, the limit is %d", c.info.Size(), changeMax)
	}
	if c.before, err = io.ReadAll(io.LimitReader(file, changeMax)); err != nil {
		return plain(err)
	}
	if c.before == nil {
		c.before = []byte{}
	}
	return nil
}

// secret reports whether nothing that the file holds may be shown. Only once it
// has been located.
func (c *change) secret() bool { return c.withholds != nil && c.withholds(c.place.Path) }

// diff is what the change did, cut if it is long.
func (c *change) diff() (text string, cut bool) {
	if c.secret() {
		return "(no diff: a deny rule keeps read_file from this file)", false
	}
	text = unified(c.ws.name(c.place), c.before, c.after)
	if len(text) <= diffMax {
		return text, false
	}
	head := wholeRunes([]byte(text[:diffMax]))
	return fmt.Sprintf("%s\n… %d bytes of the diff cut; read_file shows the file", head, len(text)-len(head)), true
}

// unified is the diff of two texts. Where all lines end alike it shows the ends
// once, else a CR at the end of each line that has one.
func unified(name string, before, after []byte) string {
	if len(before) > diffFileMax || len(after) > diffFileMax {
		return "(too large for a diff)"
	}
	if bytes.IndexByte(before, 0) >= 0 || bytes.IndexByte(after, 0) >= 0 {
		return "(binary, no diff)"
	}
	ends := changedEnds{kindOfEnds(before), kindOfEnds(after)}
	if ends.uniform() {
		before, after = bytes.ReplaceAll(before, crlf, crlf[1:]), bytes.ReplaceAll(after, crlf, crlf[1:])
	}
	return ends.told(udiff.Unified("a/"+shown(name), "b/"+shown(name), visible(before), visible(after)))
}
