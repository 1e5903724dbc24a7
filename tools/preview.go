package tools

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path"
)

// Preview tells what a call of edit_file or write_file would do to the file as it
// is now, as a unified diff, for a person who is asked about it. It changes
// nothing, and the call may come to something else if the file changes. ok is
// false for every other tool, and where the call would fail: then err says why.
// It reads a file and can take long, for many edits of a large one, but ends soon
// after ctx; do not call it in a Receive.
func (w *Workspace) Preview(ctx context.Context, tool string, arguments json.RawMessage) (diff string, ok bool, err error) {
	c := &change{ws: w}
	switch tool {
	case "edit_file":
		args, err := decode[editFileArgs](arguments)
		if err != nil {
			return "", false, err
		}
		c.path = args.Path
		c.edit = func(ctx context.Context, before []byte) ([]byte, error) {
			if before == nil {
				return nil, errors.New("no such file")
			}
			done, err := applyEdits(ctx, before, args.Edits)
			return done.text, err
		}
	case "write_file":
		args, err := decode[writeFileArgs](arguments)
		if err != nil {
			return "", false, err
		}
		c.path = args.Path
		c.edit = func(_ context.Context, before []byte) ([]byte, error) {
			after, _ := asBefore(before, []byte(args.Content))
			return after, nil
		}
	default:
		return "", false, nil
	}
	if err := c.preview(ctx); err != nil {
		return "", false, err
	}
	return unified(w.name(c.place), c.before, c.after), true, nil
}

// preview finds what the change would come to.
func (c *change) preview(ctx context.Context) (err error) {
	if c.path == "" {
		return errors.New("the path is empty")
	}
	if c.place, err = c.locate(); err != nil {
		return err
	}
	if c.place.Info != nil {
		if c.place.Info.Size() > diffFileMax {
			return errors.New("the file is too large to show what would change")
		}
		var dir *os.Root
		if dir, err = c.folder(); err != nil {
			return err
		}
		defer func() { _ = dir.Close() }() // it was only read
		if err = c.read(dir, path.Base(c.place.Rel)); err != nil {
			return err
		}
	}
	if c.after, err = c.edit(ctx, c.before); err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return err
}
