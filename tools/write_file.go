package tools

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
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
	}
	kept := ""
	c.edit = func(_ context.Context, before []byte) (after []byte, err error) {
		after, kept = asBefore(before, []byte(args.Content))
		return after, nil
	}
	err := c.run(ctx)
	name, size := shown(args.Path), plural(len(c.after), "byte")
	switch {
	case errors.Is(err, errUnchanged):
		return Result{Text: fmt.Sprintf("%s: unchanged, it holds just that, %s", name, plural(len(c.before), "byte"))}
	case err != nil:
		return changeFailed(ctx, name, err)
	case c.info == nil:
		return c.result(fmt.Sprintf("%s: created, %s", name, size))
	default:
		return c.result(fmt.Sprintf("%s: replaced, %s, before %d%s", name, size, len(c.before), kept))
	}
}

// asBefore gives text the byte order mark and the CRLF line ends of the file
// that it replaces, where it has none of its own, and says so: a model is shown
// neither. A file whose line ends are mixed gets what the model wrote.
func asBefore(before, text []byte) (after []byte, kept string) {
	if isUTF16(before) || bytes.IndexByte(before, 0) >= 0 || bytes.IndexByte(text, 0) >= 0 {
		return text, ""
	}
	var what []string
	ends := bytes.Count(before, []byte("\n"))
	if ends > 0 && ends == bytes.Count(before, []byte("\r\n")) && bytes.IndexByte(text, '\n') >= 0 && bytes.IndexByte(text, '\r') < 0 {
		text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
		what = append(what, "CRLF line ends")
	}
	if mark, _ := splitBOM(before); mark != nil && !bytes.HasPrefix(text, bom) && len(text) > 0 {
		text = append(bytes.Clone(mark), text...)
		what = append(what, "byte order mark")
	}
	if len(what) == 0 {
		return text, ""
	}
	return text, ", its " + strings.Join(what, " and ") + " kept"
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
