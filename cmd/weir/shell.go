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

// own runs a command of the person's own, of a line such as !go test. What it says
// is shown as it comes.
func (t *talk) own(command string) error {
	if t.stopJob == nil {
		if err := t.note("! "+command, false); err != nil {
			return err
		}
	}
	job := func(ctx context.Context) (string, error) {
		return shell(ctx, t.house.confined.cfg.Exe, t.house.work.Roots()[0], command, func(lines string) {
			select {
			case t.said <- lines:
			case <-ctx.Done():
			}
		})
	}
	return t.command("!"+command, slashAnswer{job: job, under: true})
}

// shell runs a command with the person's rights and environment, shows its lines,
// and returns what there is to say at the end. The model does not see it. What it
// leaves running ends with the program exe, which is this one.
func shell(ctx context.Context, exe, dir, command string, show func(lines string)) (string, error) {
	cmd := exec.Command("/bin/sh", "-c", command)
	cmd.Dir, cmd.Env = dir, os.Environ()
	out := &liner{show: show}
	cmd.Stdout, cmd.Stderr = out, out
	err := tools.Run(ctx, exe, cmd)
	out.flush()
	if ctx.Err() != nil {
		err = errors.New("canceled")
	}
	if out.lost > 0 {
		return fmt.Sprintf("… %d bytes more", out.lost), err
	}
	return "", err
}

// liner shows the first bytes written to it, whole lines at a time.
type liner struct {
	show  func(lines string) // may wait
	held  []byte             // a line so far
	taken int
	lost  int
}

func (l *liner) Write(p []byte) (int, error) {
	room := min(len(p), shellBytes-l.taken)
	l.taken += room
	l.held = append(l.held, p[:room]...)
	if i := bytes.LastIndexByte(l.held, '\n'); i >= 0 {
		l.tell(l.held[:i])
		l.held = append(l.held[:0], l.held[i+1:]...)
	}
	if room < len(p) && l.lost == 0 {
		l.flush()
		l.tell([]byte("… the rest is not shown"))
	}
	l.lost += len(p) - room
	return len(p), nil
}

// flush shows a line that has no end.
func (l *liner) flush() {
	if len(l.held) > 0 {
		l.tell(l.held)
		l.held = nil
	}
}

func (l *liner) tell(lines []byte) { l.show(strings.ToValidUTF8(string(lines), "\ufffd")) }
