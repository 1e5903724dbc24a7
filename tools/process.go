package tools

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/weir-agents/weir/tools/internal/stage"
)

// Times of processes.
const (
	settleTime = 250 * time.Millisecond // after the shell's end, for what it started to end too
	mercyTime  = 300 * time.Millisecond // between the request to end and the kill
	killTime   = 4 * time.Second        // after which what the kernel will not end is given up
)

// process is one shell and all that it starts.
type process struct {
	cmd    *exec.Cmd    // the stage, if there is one, and else the shell
	stage  *stage.Stage // nil if there is none
	pid    int          // of the shell
	out    *output      // nil for a program that is not the model's
	family *family
	pipes  []*os.File // the reading ends of the streams
	folder *folderPipe

	exited  chan struct{} // closed when the shell has ended; status and err are set before
	gone    chan struct{} // closed when cmd has: with a stage, all has ended
	lost    atomic.Bool   // the stage was killed, so not all need be found
	drained chan struct{} // closed when the pipes have no writer left, or were given up
	status  syscall.WaitStatus
	err     error
}

// newMark names one process family.
func newMark() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // Never fails, by its documentation.
	return hex.EncodeToString(b[:])
}

// startProcess starts cmd in a session of its own, without a terminal. What it
// says goes to out, both streams in one pipe so that their order is kept; or, if
// there is a second, what it says on standard error to that. With exe it is
// started below a stage. Two goroutines serve it, and one for the second stream:
// one ends with the shell, or the stage, and the others when the last writer of
// their pipe has ended; a stage has two more.
func startProcess(cmd *exec.Cmd, out []io.Writer, mark string, wrap func(*exec.Cmd) error, exe string) (*process, error) {
	if !stage.Works {
		exe = ""
	}
	p := &process{cmd: cmd, exited: make(chan struct{}), gone: make(chan struct{}), drained: make(chan struct{})}
	p.out, _ = out[0].(*output)
	writers, err := p.open(len(out))
	defer closeAll(writers)
	if err == nil {
		cmd.Stdout, cmd.Stderr = writers[0], writers[len(writers)-1]
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if wrap != nil {
			err = wrap(cmd)
		}
	}
	if err == nil {
		if err = p.start(exe); err != nil && exe != "" {
			// The command may run all the same, and have killed its stage before
			// that could say so.
			p.family = newOrphans(mark, p.pipes)
			p.sweep()
		}
	}
	if err != nil {
		closeAll(p.pipes)
		return nil, plain(err)
	}
	p.family = newFamily(p.pid, mark, p.pipes)
	if p.stage != nil {
		p.family.staged(cmd.Process.Pid)
		go p.guard()
	}
	go p.wait()
	go p.drain(out)
	return p, nil
}

func (p *process) start(exe string) (err error) {
	if exe == "" {
		if err = p.cmd.Start(); err == nil {
			p.pid = p.cmd.Process.Pid
		}
		return err
	}
	if p.stage, err = stage.Start(exe, p.cmd); err == nil {
		p.pid = p.stage.Pid
	}
	return err
}

// wait ends when the shell has, or its stage.
func (p *process) wait() {
	defer close(p.gone)
	if p.stage == nil {
		p.err = p.cmd.Wait()
		if state := p.cmd.ProcessState; state != nil {
			p.status, _ = state.Sys().(syscall.WaitStatus)
			p.err = nil
		}
		p.family.orphaned()
		close(p.exited)
		return
	}
	status, told := p.stage.Ended()
	if p.status = status; !told {
		p.status = syscall.WaitStatus(syscall.SIGKILL) // What killed the stage kills the rest.
		p.sweep()
	}
	p.family.orphaned()
	close(p.exited)
	p.err = p.cmd.Wait()
	p.stage.Close()
	p.family.staged(0)
}

// guard ends all of a command that has stopped its stage. It ends with the stage.
func (p *process) guard() {
	select {
	case <-p.stage.Stopped():
		p.kill()
	case <-p.gone:
	}
}

// attacked reports that somebody below the stage has stopped it.
func (p *process) attacked() bool { return p.stage != nil && closed(p.stage.Stopped()) }

// attackText says why a command has ended that did so.
const attackText = "something in it stopped the process that looks after it, so it was "

// sweep kills what a stage that was killed has left.
func (p *process) sweep() {
	p.lost.Store(true)
	ctx, cancel := context.WithTimeout(context.Background(), killTime)
	defer cancel()
	pause := time.Millisecond
	for ctx.Err() == nil {
		if len(p.family.members(ctx)) == 0 {
			return
		}
		p.family.end(ctx)
		time.Sleep(pause)
		pause = min(2*pause, 50*time.Millisecond)
	}
}

// left are the processes that run. With a stage nobody is there only when it
// has ended: a search can miss what is started while it goes on. It is of what
// was found until ctx ended.
func (p *process) left(ctx context.Context) []member {
	for wait := time.Millisecond; ; wait *= 2 {
		if p.certain() {
			return nil
		}
		members := p.family.members(ctx)
		if len(members) > 0 || ctx.Err() != nil || p.stage == nil || closed(p.gone) || wait > settleTime {
			return members
		}
		timer := time.NewTimer(wait)
		select {
		case <-p.gone:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// certain reports that nothing of the process can run any more, since a stage
// has ended by itself.
func (p *process) certain() bool { return p.stage != nil && closed(p.gone) && !p.lost.Load() }

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// kill ends the shell and all it started, politely first, and returns when
// they are gone, or false if some of it takes longer; a stage goes on with that.
// It may be called at any time and more than once.
func (p *process) kill() (gone bool) {
	for _, round := range []struct {
		signal syscall.Signal
		within time.Duration
	}{{syscall.SIGTERM, mercyTime}, {syscall.SIGKILL, killTime}} {
		ctx, cancel := context.WithTimeout(context.Background(), round.within)
		gone = p.signal(ctx, round.signal)
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
	return gone
}

// stageTime is how long a stage is left alone to end what is below it. It does
// that better than this process, if the command has not done it harm.
const stageTime = time.Second

// signal signals the family until it is gone or ctx ends.
func (p *process) signal(ctx context.Context, signal syscall.Signal) bool {
	pause, began := time.Millisecond, time.Now()
	for first := true; ; first = false {
		if first && p.staged() {
			p.tellStage(signal)
		}
		if !p.staged() || signal == syscall.SIGKILL && time.Since(began) > stageTime {
			members := p.left(ctx)
			switch {
			case ctx.Err() != nil: // So perhaps not all were found.
				return false
			case len(members) == 0 && closed(p.gone):
				return true
			case signal == syscall.SIGKILL:
				p.family.end(ctx)
			case first:
				p.family.signal(members, signal)
			}
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return false
		case <-timer.C:
		}
		pause = min(2*pause, 50*time.Millisecond)
		if p.certain() {
			timer.Stop()
			return true
		}
	}
}

// staged reports that a stage looks after the process.
func (p *process) staged() bool { return p.stage != nil && !closed(p.gone) && !p.lost.Load() }

// tellStage has the stage signal all below it: a request once, a kill until
// nothing is left.
func (p *process) tellStage(signal syscall.Signal) {
	if signal == syscall.SIGKILL {
		p.stage.End()
	} else {
		p.stage.Signal(signal)
	}
}

func (p *process) hasExited() bool { return closed(p.exited) }

// ending describes how the shell ended: "" for exit 0. Only after exited.
func (p *process) ending() string {
	if p.stage == nil && p.err != nil {
		return "exit unknown: " + p.err.Error()
	}
	if p.attacked() {
		return attackText + "ended"
	}
	if p.status.Signaled() {
		return "exit " + strconv.Itoa(128+int(p.status.Signal())) + " (" + p.status.Signal().String() + ")"
	}
	if code := p.status.ExitStatus(); code != 0 {
		return "exit " + strconv.Itoa(code)
	}
	return ""
}
