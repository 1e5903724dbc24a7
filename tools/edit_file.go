package tools

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
)

//go:embed edit_file.md
var editFileText string

type editFileArgs struct {
	Path  string `json:"path" jsonschema:"the file, relative to the workspace root or absolute inside it"`
	Edits []edit `json:"edits" jsonschema:"what to replace, in order"`
}

type edit struct {
	Old string `json:"old" jsonschema:"the exact text to replace"`
	New string `json:"new" jsonschema:"the text to put there"`
	All bool   `json:"all,omitempty" jsonschema:"replace every occurrence"`
}

func (a editFileArgs) Summary() string {
	if len(a.Edits) == 1 {
		return shown(a.Path)
	}
	return fmt.Sprintf("%s, %d edits", shown(a.Path), len(a.Edits))
}

func (b *builtin) editFile() Tool {
	return mustNew(Spec{Name: "edit_file", Description: editFileText, Class: Mutating}, b.runEditFile)
}

func (b *builtin) runEditFile(ctx context.Context, call Call, args editFileArgs) Result {
	switch {
	case args.Path == "":
		return badArgument("the path is empty")
	case len(args.Edits) == 0:
		return badArgument("no edits given")
	}
	for i, e := range args.Edits {
		switch e.Old {
		case "":
			return badArgument("edit %d: old is empty; to fill or replace a whole file use write_file", i+1)
		case e.New:
			return badArgument("edit %d: old and new are the same", i+1)
		}
	}
	var done edited
	c := &change{ws: b.ws, call: call, path: args.Path, withholds: b.withholds("read_file")}
	c.edit = func(ctx context.Context, before []byte) ([]byte, error) {
		if before == nil {
			return nil, errors.New("no such file; to create it use write_file")
		}
		var err error
		done, err = applyEdits(ctx, before, args.Edits)
		if err != nil && c.secret() && ctx.Err() == nil {
			return nil, errors.New("the edits do not fit; a deny rule keeps read_file from this file, so nothing of it is shown")
		}
		return done.text, err
	}
	err := c.run(ctx)
	name := shown(args.Path)
	switch {
	case errors.Is(err, errUnchanged):
		return failed("%s: the edits undo each other; nothing was changed", name)
	case err != nil:
		return changeFailed(ctx, name, err)
	}
	head := fmt.Sprintf("%s: edited, %s replaced", name, plural(done.places, "place"))
	if done.mixed != "" {
		head += "; LF and CRLF stood there, the new lines got " + done.mixed + " as most of the file has"
	}
	return c.result(head)
}
