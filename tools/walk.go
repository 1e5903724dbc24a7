package tools

import (
	"context"
	"io/fs"
	"os"
)

// Walk goes through the folder start (slashes; "." for all) of dir as the search
// tools do: in the order of names, following no link, leaving out .git and what
// the ignore files from dir down leave out, but for start itself. visit is called
// for every other name, before it is entered, with the handle of its folder, its
// path in dir, and an entry that can be asked for name and type. A folder is
// entered if visit returns true; an error of visit ends the walk and is returned,
// as is that of ctx. A million names are looked at; folders that cannot be read,
// or lie more than 128 levels down, are passed over.
func Walk(ctx context.Context, dir *os.Root, start string, visit func(folder *os.Root, path string, e fs.DirEntry) (enter bool, err error)) error {
	t := tree{root: &root{handle: dir}, visit: func(folder *os.Root, e entry) (bool, error) {
		return visit(folder, e.rel, e.DirEntry)
	}}
	return t.walk(ctx, start)
}
