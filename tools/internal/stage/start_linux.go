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
)

// Works says that there are stages on this system.
const Works = true

// startTime bounds the wait for a stage to say that the command runs.
const startTime = 20 * time.Second

// Stage is a command that was started by a stage.
type Stage struct {
	// Pid is the command's. The stage's own is that of the exec.Cmd.
	Pid int

	link    *os.File
	answers *gob.Decoder
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
	s := &Stage{link: os.NewFile(uintptr(ends[0]), "stage")}
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
	err := s.link.SetDeadline(time.Now().Add(startTime))
	if err == nil {
		err = gob.NewEncoder(s.link).Encode(what)
	}
	var answer started
	s.answers = gob.NewDecoder(s.link)
	if err == nil {
		err = s.answers.Decode(&answer)
	}
	switch {
	case err != nil:
		err = fmt.Errorf("%s does not look after it: %v", exe, err)
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

// Ended returns when the command itself has, with its wait status. It is false
// if the stage was killed before, by which the command is nobody's. Once only.
func (s *Stage) Ended() (status syscall.WaitStatus, ok bool) {
	var end ended
	err := s.answers.Decode(&end)
	return syscall.WaitStatus(end.Status), err == nil
}

// Close kills what still runs below the stage, without waiting for its end.
func (s *Stage) Close() { _ = s.link.Close() } // It has been read to its end.
