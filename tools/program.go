package tools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// Run runs a program that is the user's own doing, not the model's, such as a
// hook, and returns when it has ended: nil for exit code 0. Nothing confines it.
// It has a session of its own and no terminal.
//
// cmd must not be of [exec.CommandContext]. Its Stdout must be set, and gets what
// the program says, standard error too if Stderr is the same or nil; their Write
// must not fail, and is not called any more when Run has returned. Its Env must be
// set, and one variable more names what belongs to it.
//
// When ctx ends, the program and what it has started are asked to end, and killed
// soon after; the error is then that of ctx. What it leaves running when it ends by
// itself lives on, without the streams of cmd. exe is as in [Config]: with it
// nothing gets away from the end of ctx, and what was left ends with this program
// at the latest. Without, both hold for what can be found, and only for ctx.
func Run(ctx context.Context, exe string, cmd *exec.Cmd) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	out := []io.Writer{cmd.Stdout}
	if cmd.Stderr != nil && cmd.Stderr != cmd.Stdout {
		out = append(out, cmd.Stderr)
	}
	mark := newMark()
	cmd.Env = withMark(cmd.Env, mark)
	cmd.WaitDelay = settleTime // For a standard input that nobody reads.
	p, err := startProcess(cmd, out, mark, nil, exe)
	if err != nil {
		return err
	}
	select {
	case <-p.exited:
	case <-ctx.Done():
		p.kill()
		return ctx.Err()
	}
	if !p.settle() && len(p.left(ctx)) == 0 && ctx.Err() == nil {
		// Nobody can write any more, but there is still something to read.
		select {
		case <-p.drained:
		case <-ctx.Done():
		case <-time.After(killTime):
		}
	}
	p.abandon()
	if ctx.Err() != nil || p.attacked() { // It came while the end was settling; nothing may stay.
		p.kill()
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return p.failure()
}

// failure is how the program has ended, in the words of os/exec. Only after exited.
func (p *process) failure() error {
	code := p.status.ExitStatus()
	switch {
	case p.stage == nil && p.err != nil:
		return p.err
	case p.attacked():
		return errors.New(attackText + "ended")
	case p.status.Signaled():
		return fmt.Errorf("signal: %v", p.status.Signal())
	case code != 0:
		return fmt.Errorf("exit status %d", code)
	default:
		return nil
	}
}
