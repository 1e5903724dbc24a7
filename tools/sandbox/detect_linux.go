package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	landlock "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"github.com/weir-agents/weir/tools/internal/stage"
)

const (
	landlockABI = 3 // the first that governs truncation
	signalABI   = 6 // the first that keeps signals inside
	tryTime     = 5 * time.Second
	tries       = 4
)

// programs are the places where bubblewrap is looked for. PATH is not asked,
// because a project may have put its own programs there.
var programs = []string{"/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"}

// Detect tries out what this machine can do; exe is as in [Config]. It takes
// some ten milliseconds for each kind, so keep the Report.
func Detect(exe string) Report {
	seen := look()
	report := Report{Missing: seen.Missing}
	cfg, err := Config{Exe: exe}.resolve()
	if err != nil {
		return Report{Missing: []string{err.Error()}}
	}
	tmp, err := makeTemp(cfg)
	if err != nil {
		return Report{Missing: []string{err.Error()}}
	}
	defer os.RemoveAll(tmp)
	for _, kind := range seen.kinds() {
		s := &Sandbox{cfg: cfg, kind: kind, tmp: tmp, seen: seen, made: map[string]made{}}
		if err := s.try(); err != nil {
			report.Missing = append(report.Missing, fmt.Sprintf("%v: %v", kind, err))
			continue
		}
		switch kind {
		case Bubblewrap:
			report.Bubblewrap = seen.Bubblewrap
		case Namespaces:
			report.Landlock, report.Namespaces = seen.Landlock, true
		case Landlock:
			report.Landlock = seen.Landlock
		case None:
		}
	}
	return report
}

// look returns what may work, without starting anything.
func look() Report {
	var r Report
	for _, path := range programs {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			r.Bubblewrap = path
			break
		}
	}
	if r.Bubblewrap == "" {
		r.Missing = append(r.Missing, "bubblewrap is not installed")
	}
	abi, err := landlock.LandlockGetABIVersion()
	switch {
	case err != nil:
		r.Missing = append(r.Missing, "the kernel has no Landlock, or it is turned off")
	case abi < landlockABI:
		r.Missing = append(r.Missing, fmt.Sprintf("Landlock ABI %d is too old, %d is needed", abi, landlockABI))
	default:
		r.Landlock, r.Namespaces = abi, true
	}
	return r
}

// try tries the sandbox out, again if a signal for others has hit the trial.
func (s *Sandbox) try() (err error) {
	for range tries {
		if err = s.tryOnce(); !errors.Is(err, stage.ErrEnded) {
			break
		}
	}
	return err
}

// tryOnce runs the helper in the sandbox, which then only says that it got there. It
// does so below a stage, out of reach of the terminal's signals: bubblewrap is
// several processes, and one that loses the others while they set up sleeps for
// ever. So the end of the program or of the time ends all of them.
func (s *Sandbox) tryOnce() error {
	// The stage ends by itself; the context is for one that does not.
	ctx, cancel := context.WithTimeout(context.Background(), 2*tryTime)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, s.cfg.Exe)
	cmd.Env, cmd.Dir = []string{}, "/"
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.WaitDelay = time.Second
	spec, err := s.spec(cmd)
	if err != nil {
		return err
	}
	spec.Check = true
	if err := s.wrap(cmd, spec); err != nil {
		return err
	}
	below, err := stage.Start(s.cfg.Exe, cmd)
	if err != nil {
		return err
	}
	timer := time.AfterFunc(tryTime, below.Close)
	status, told := below.Ended()
	inTime := timer.Stop()
	below.Close()  // What is left now is not wanted.
	_ = cmd.Wait() // The stage's end says nothing of the command's.
	switch said := strings.TrimSpace(stderr.String()); {
	case !inTime:
		return fmt.Errorf("not done within %v", tryTime)
	case !told:
		return errors.New("what looked after it was killed")
	case status == 0 && stdout.String() == checked:
		return nil
	case status == 0:
		return fmt.Errorf("%s does not serve as its own helper", s.cfg.Exe)
	case said != "":
		return errors.New(said)
	case status.Signaled():
		return fmt.Errorf("ended by a signal: %v", status.Signal())
	default:
		return fmt.Errorf("exit status %d", status.ExitStatus())
	}
}
