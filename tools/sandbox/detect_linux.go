package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	landlock "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

const (
	landlockABI = 3 // the first that governs truncation
	signalABI   = 6 // the first that keeps signals inside
	tryTime     = 5 * time.Second
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

// try runs the helper in the sandbox, which then only says that it got there.
func (s *Sandbox) try() error {
	ctx, cancel := context.WithTimeout(context.Background(), tryTime)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, s.cfg.Exe)
	cmd.Env, cmd.Dir = []string{}, "/"
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = time.Second
	spec, err := s.spec(cmd)
	if err != nil {
		return err
	}
	spec.Check = true
	if err := s.wrap(cmd, spec); err != nil {
		return err
	}
	err = cmd.Run()
	if said := strings.TrimSpace(stderr.String()); err != nil && said != "" {
		return errors.New(said)
	}
	if err == nil && stdout.String() != checked {
		return fmt.Errorf("%s does not serve as its own helper", s.cfg.Exe)
	}
	return err
}
