package tools

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// Times of processes.
const (
	settleTime = 250 * time.Millisecond // after the shell's end, for what it started to end too
	mercyTime  = 300 * time.Millisecond // between the request to end and the kill
	killTime   = 4 * time.Second        // after which what the kernel will not end is given up
)

// process is one shell and all that it starts.
type process struct {
	cmd    *exec.Cmd
	out    *output
	family *family
	pipe   *os.File // the reading end of both streams
	folder *folderPipe

	exited  chan struct{} // closed when the shell has ended; err is set before
	drained chan struct{} // closed when the pipe has no writer left, or was given up
	err     error
}

// newMark names one process family.
func newMark() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // Never fails, by its documentation.
	return hex.EncodeToString(b[:])
}

// startProcess starts cmd in a session of its own, without input or terminal,
// both streams in one pipe so that their order is kept. Two goroutines serve
// it: one ends with the shell, one when the pipe's last writer has ended.
func startProcess(cmd *exec.Cmd, out *output, mark string, wrap func(*exec.Cmd) error) (*process, error) {
	p := &process{cmd: cmd, out: out, exited: make(chan struct{}), drained: make(chan struct{})}
	pipe, writer, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer writer.Close()
	p.pipe = pipe
	cmd.Stdin, cmd.Stdout, cmd.Stderr = nil, writer, writer
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if wrap != nil {
		err = wrap(cmd)
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, errors.Join(plain(err), pipe.Close())
	}
	p.family = newFamily(cmd.Process.Pid, mark, pipe)
	go p.wait()
	go p.drain()
	return p, nil
}

// wait ends when the shell has.
func (p *process) wait() {
	p.err = p.cmd.Wait()
	p.family.orphaned()
	close(p.exited)
}

// drain ends when the last writer of the pipe has, or when give closes it.
func (p *process) drain() {
	defer close(p.drained)
	buf := make([]byte, 32<<10)
	for {
		n, err := p.pipe.Read(buf)
		if n > 0 {
			_, _ = p.out.Write(buf[:n]) // Never fails.
		}
		if err != nil {
			p.out.finish()
			p.out.close()
			_ = p.pipe.Close() // Only read from.
			return
		}
	}
}

// settle gives what the shell started a moment to end, so that a pipe's last
// words are not lost, and reports whether the output is complete.
func (p *process) settle() bool {
	timer := time.NewTimer(settleTime)
	defer timer.Stop()
	select {
	case <-p.drained:
		return true
	case <-timer.C:
		return false
	}
}

// abandon ends the reading although somebody who cannot be found holds the pipe.
func (p *process) abandon() {
	_ = p.pipe.Close() // Only read from.
	<-p.drained
}

// kill ends the shell and all it started, politely first, and returns when
// they are gone. It may be called at any time and more than once.
func (p *process) kill() {
	for _, round := range []struct {
		signal syscall.Signal
		within time.Duration
	}{{syscall.SIGTERM, mercyTime}, {syscall.SIGKILL, killTime}} {
		ctx, cancel := context.WithTimeout(context.Background(), round.within)
		gone := p.signal(ctx, round.signal)
		cancel()
		if gone {
			break
		}
	}
	select {
	case <-p.drained:
	case <-time.After(settleTime):
		p.abandon()
	}
}

// signal signals the family until it is gone or ctx ends.
func (p *process) signal(ctx context.Context, signal syscall.Signal) bool {
	pause := time.Millisecond
	for first := true; ; first = false {
		members := p.family.members()
		if len(members) == 0 && p.hasExited() {
			return true
		}
		// A kill is repeated for what was started meanwhile; a request is not.
		if first || signal == syscall.SIGKILL {
			p.family.signal(members, signal)
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return false
		case <-timer.C:
		}
		pause = min(2*pause, 50*time.Millisecond)
	}
}

func (p *process) hasExited() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// ending describes how the shell ended: "" for exit 0. Only after exited.
func (p *process) ending() string {
	state := p.cmd.ProcessState
	if state == nil {
		return "exit unknown: " + p.err.Error()
	}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return "exit " + strconv.Itoa(128+int(status.Signal())) + " (" + status.Signal().String() + ")"
	}
	if code := state.ExitCode(); code != 0 {
		return "exit " + strconv.Itoa(code)
	}
	return ""
}
