package tools

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
)

//go:embed write_file.md
var writeFileText string

type writeFileArgs struct {
	Path    string `json:"path" jsonschema:"the file, relative to the workspace root or absolute inside it"`
	Content string `json:"content" jsonschema:"the whole new content"`
}

func (a writeFileArgs) Summary() string { return shown(a.Path) }

func (b *builtin) writeFile() Tool {
	return mustNew(Spec{Name: "write_file", Description: writeFileText, Class: Mutating}, b.runWriteFile)
}

func (b *builtin) runWriteFile(ctx context.Context, call Call, args writeFileArgs) Result {
	if args.Path == "" {
		return badArgument("the path is empty")
	}
	c := &change{
		ws: b.ws, call: call, path: args.Path, folders: true, withholds: b.withholds("read_file"),
		edit: func([]byte) ([]byte, error) { return []byte(args.Content), nil },
	}
	err := c.run(ctx)
	name, size := shown(args.Path), plural(len(args.Content), "byte")
	switch {
	case errors.Is(err, errUnchanged):
		return Result{Text: fmt.Sprintf("%s: unchanged, it holds just that, %s", name, size)}
	case err != nil:
		return changeFailed(ctx, name, err)
	case c.info == nil:
		return c.result(fmt.Sprintf("%s: created, %s", name, size))
	default:
		return c.result(fmt.Sprintf("%s: replaced, %s, before %d", name, size, len(c.before)))
	}
}

// result is the Result of a change that was made.
func (c *change) result(head string) Result {
	if c.note != "" {
		head += " (" + c.note + ")"
	}
	diff, cut := c.diff()
	return Result{Text: head + "\n" + diff, Truncated: cut}
}

func changeFailed(ctx context.Context, name string, err error) Result {
	if ctx.Err() != nil {
		return stopped(ctx, name+": canceled, nothing was written")
	}
	if bad, ok := errors.AsType[argumentError](err); ok {
		return badArgument("%s: %v", name, bad)
	}
	return failed("%s: %v", name, err)
}
