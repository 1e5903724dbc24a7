package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/weir-agents/weir/tools"
)

// shellBytes caps what is shown of a command of the person's.
const shellBytes = 64 << 10

// shell is the job of a line such as !go test: a command of the person's own,
// with their rights and their environment. The model does not see it. What it
// leaves running ends with the program exe, which is this one.
func shell(exe, dir, command string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		cmd := exec.Command("/bin/sh", "-c", command)
		cmd.Dir, cmd.Env = dir, os.Environ()
		out := &head{}
		cmd.Stdout, cmd.Stderr = out, out
		err := tools.Run(ctx, exe, cmd)
		text := "! " + command
		if out.kept.Len() > 0 {
			text += "\n" + strings.TrimRight(strings.ToValidUTF8(out.kept.String(), "\ufffd"), "\n")
		}
		if out.lost > 0 {
			text += fmt.Sprintf("\n… %d bytes more", out.lost)
		}
		if ctx.Err() != nil {
			err = errors.New("canceled")
		}
		return text, err
	}
}

// head keeps the first bytes written to it.
type head struct {
	kept bytes.Buffer // not embedded: its ReadFrom knows no cap
	lost int
}

func (h *head) Write(p []byte) (int, error) {
	room := min(len(p), shellBytes-h.kept.Len())
	h.lost += len(p) - room
	h.kept.Write(p[:room])
	return len(p), nil
}
