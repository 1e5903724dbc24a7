package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// shellBytes caps what is shown of a command of the person's.
const shellBytes = 64 << 10

// shell is the job of a line such as !go test: a command of the person's own,
// with their rights and their environment. The model does not see it.
func shell(dir, command string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
		cmd.Dir = dir
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
		cmd.WaitDelay = time.Second // what it left behind may hold its output
		out := &head{}
		cmd.Stdout, cmd.Stderr = out, out
		err := cmd.Run()
		text := "! " + command
		if out.Len() > 0 {
			text += "\n" + strings.TrimRight(strings.ToValidUTF8(out.String(), "\ufffd"), "\n")
		}
		if out.lost > 0 {
			text += fmt.Sprintf("\n… %d bytes more", out.lost)
		}
		switch {
		case ctx.Err() != nil:
			err = errors.New("canceled")
		case errors.Is(err, exec.ErrWaitDelay):
			err = nil
		}
		return text, err
	}
}

// head keeps the first bytes written to it.
type head struct {
	bytes.Buffer
	lost int
}

func (h *head) Write(p []byte) (int, error) {
	room := min(len(p), shellBytes-h.Len())
	h.lost += len(p) - room
	_, err := h.Buffer.Write(p[:room])
	return len(p), err
}
