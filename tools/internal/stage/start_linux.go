package stage

import (
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Works says that there are stages on this system.
const Works = true

// Bounds of waits for a stage: to say that the command runs, and, when it never
// will, to end by itself.
const (
	startTime  = 20 * time.Second
	silentTime = time.Second
)

// ErrEnded is wrapped by the error of [Start] for a stage that a signal has ended
// before it could answer. The command may have done that; and in the moment before
// the stage has a session of its own a signal of the terminal does.
var ErrEnded = errors.New("what looks after it was ended by a signal")

// Stage is a command that was started by a stage.
type Stage struct {
	// Pid is the command's. The stage's own is that of the exec.Cmd.
	Pid int

	link     *os.File
	requests *gob.Encoder
	answers  *gob.Decoder
	stopped  chan struct{}
}

// Start starts cmd below a stage, which is the program exe: its main must hand
// its arguments to [Main] first. cmd becomes the stage's, so that cmd.Wait
// returns when the command and all it left behind have ended; until then the
// stage does not keep the command's files open. The command gets a session of
// its own. Close it after that; before, or when the program ends, whatever still
// runs is killed. After an error nothing runs, but for what a command has left
// that killed its stage before it could answer; the caller must look for that.
func Start(exe string, cmd *exec.Cmd) (*Stage, error) {
	if cmd.Err != nil {
		return nil, cmd.Err
	}
	ends, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	far := os.NewFile(uintptr(ends[1]), "stage")
	defer far.Close()
	err = syscall.SetNonblock(ends[0], true) // So that a deadline holds.
	s := &Stage{link: os.NewFile(uintptr(ends[0]), "stage"), stopped: make(chan struct{})}
	if err == nil {
		err = s.start(exe, cmd, far)
	}
	if err != nil {
		return nil, errors.Join(err, s.link.Close())
	}
	return s, nil
}

func (s *Stage) start(exe string, cmd *exec.Cmd, far *os.File) error {
	what := spec{Path: cmd.Path, Args: cmd.Args}
	for i, file := range cmd.ExtraFiles {
		if file != nil {
			what.Files = append(what.Files, 3+i)
		}
	}
	cmd.ExtraFiles = append(cmd.ExtraFiles, far)
	cmd.Path, cmd.Args = exe, []string{exe, Name, strconv.Itoa(2 + len(cmd.ExtraFiles))}
	if err := cmd.Start(); err != nil {
		return err
	}
	_ = far.Close() // From now on its end is seen here.
	go s.watch(cmd.Process)
	err := s.link.SetDeadline(time.Now().Add(startTime))
	s.requests, s.answers = gob.NewEncoder(s.link), gob.NewDecoder(s.link)
	if err == nil {
		err = s.requests.Encode(what)
	}
	var answer started
	if err == nil {
		err = s.answers.Decode(&answer)
	}
	switch {
	case err != nil:
		return silent(exe, cmd, err)
	case answer.Errno != 0:
		err = syscall.Errno(answer.Errno)
	default:
		err = s.link.SetDeadline(time.Time{})
	}
	if err != nil {
		_ = cmd.Process.Kill() // It may have ended.
		_ = cmd.Wait()         // Its end says no more than err.
		return err
	}
	s.Pid = answer.Pid
	return nil
}

// silent ends a stage that has not answered, because of err, and says why not.
func silent(exe string, cmd *exec.Cmd, err error) error {
	ended := make(chan struct{})
	go func() { // Ends with the stage, soon after it has been killed.
		_ = cmd.Wait() // What it says is in the state.
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(silentTime):
		_ = cmd.Process.Kill() // It may have ended.
		<-ended
		return fmt.Errorf("%s does not look after it: %v", exe, err)
	}
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return fmt.Errorf("%w (%v) before it could say that the command runs, perhaps by the command", ErrEnded, status.Signal())
	}
	return fmt.Errorf("%s does not look after it: %v", exe, err)
}

// watch continues the stage whenever somebody has stopped it: it could not do its
// work, nor end what is below it when the program has ended. It ends with the
// stage.
func (s *Stage) watch(stage *os.Process) {
	for first := true; ; {
		err := unix.Waitid(unix.P_PID, stage.Pid, nil, unix.WSTOPPED, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil: // It has ended.
			return
		case first:
			first = false
			close(s.stopped)
		}
		_ = stage.Signal(syscall.SIGCONT) // It may have ended meanwhile.
	}
}

// Stopped is closed when somebody has stopped the stage, which no command has a
// reason to do. It goes on by itself.
func (s *Stage) Stopped() <-chan struct{} { return s.stopped }

// Ended returns when the command itself has, with its wait status. It is false
// if the stage was killed before, by which the command is nobody's. Once only.
func (s *Stage) Ended() (status syscall.WaitStatus, ok bool) {
	var end ended
	err := s.answers.Decode(&end)
	return syscall.WaitStatus(end.Status), err == nil
}

// Signal sends to all that runs below the stage, the command's process group at
// once. It does not wait, and does nothing if the stage has ended.
func (s *Stage) Signal(signal syscall.Signal) {
	_ = s.link.SetWriteDeadline(time.Now().Add(startTime)) // It never fails on a socket.
	_ = s.requests.Encode(request{signal})                 // As it says.
}

// End kills what still runs below the stage, so that it ends too, without
// waiting for that. Unlike Close it leaves Ended its answer.
func (s *Stage) End() {
	if link, err := s.link.SyscallConn(); err == nil {
		_ = link.Control(func(fd uintptr) { // Its other end may be gone.
			_ = unix.Shutdown(int(fd), unix.SHUT_WR)
		})
	}
}

// Close kills what still runs below the stage, without waiting for its end.
func (s *Stage) Close() { _ = s.link.Close() } // It has been read to its end.
