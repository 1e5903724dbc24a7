package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Ends of a program while it tries what confines commands. A terminal sends its
// signals to all of the program's group; the kernel, a person or a supervisor
// kills the program alone.
var trialEnds = []struct {
	signal syscall.Signal
	group  bool
}{
	{syscall.SIGINT, true}, {syscall.SIGHUP, true}, {syscall.SIGTERM, true}, {syscall.SIGKILL, true}, {syscall.SIGKILL, false},
}

// TestNoTrialIsLeft ends a program at times drawn at random while it tries what
// confines commands. Nothing that it started may live on, and a signal that it
// answers must not change what it finds.
func TestNoTrialIsLeft(t *testing.T) {
	t.Parallel()
	seed := strconv.FormatUint(rand.Uint64(), 10)
	if out, err := exec.Command(executable(t), "probe", "trials", seed, t.TempDir()).CombinedOutput(); err != nil {
		t.Errorf("with seed %s: %v\n%s", seed, err, out)
	}
}

// A trial that runs out of time leaves nothing either.
func TestATrialThatTakesTooLong(t *testing.T) {
	t.Parallel()
	slow := t.TempDir() + "/bwrap"
	script := "#!/bin/sh\ntrap '' TERM\nsetsid sleep 1000 &\nsleep 1000\n"
	if err := os.WriteFile(slow, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(executable(t), "probe", "slow", slow, t.TempDir()).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// collect is for a probe to which all is to be given that loses its parent, so
// that it sees whatever is left.
func collect() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

func trials(seed uint64, dir string) error {
	if err := collect(); err != nil {
		return err
	}
	begun := time.Now()
	whole, err := newTrial(dir).Output()
	if err != nil {
		return err
	}
	span := int64(time.Since(begun)) // The whole of the trial falls into it.
	rnd := rand.New(rand.NewPCG(seed, 1))
	for i := range 200 {
		end := trialEnds[i%len(trialEnds)]
		var out bytes.Buffer
		program := newTrial(dir)
		program.Stdout = &out
		if err := program.Start(); err != nil {
			return err
		}
		<-time.After(time.Duration(rnd.Int64N(span))) // When it comes is what is drawn.
		target := program.Process.Pid
		if end.group {
			target = -target
		}
		if err := syscall.Kill(target, end.signal); err != nil {
			return err
		}
		err := program.Wait()
		if err == nil && out.String() != string(whole) {
			err = fmt.Errorf("it found %q instead of %q", out.String(), whole)
		}
		if err != nil && (end.signal == syscall.SIGKILL || out.Len() == 0) {
			err = nil
		}
		if err := errors.Join(err, lastEnds()); err != nil {
			return fmt.Errorf("time %d, %v, of the group: %v: %w", i, end.signal, end.group, err)
		}
	}
	return nil
}

// newTrial is a program that makes a sandbox.
func newTrial(dir string, bubblewrap ...string) *exec.Cmd {
	program := exec.Command(os.Args[0], append([]string{"probe", "try", dir}, bubblewrap...)...)
	program.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return program
}

// lastEnds returns when no child is left, or an error that names one that stays.
func lastEnds() error {
	for late := time.Now().Add(10 * time.Second); ; {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		switch {
		case errors.Is(err, syscall.ECHILD):
			return nil
		case err != nil && !errors.Is(err, syscall.EINTR):
			return err
		case pid > 0:
		case time.Now().After(late):
			return fmt.Errorf("left behind: %s", killChildren())
		default:
			<-time.After(time.Millisecond)
		}
	}
}

// killChildren kills what runs below this process, and returns its command lines.
func killChildren() string {
	var lines []byte
	files, _ := filepath.Glob("/proc/[0-9]*/stat") // The pattern is good.
	for _, file := range files {
		stat, err := os.ReadFile(file)
		if err != nil {
			continue // It has ended.
		}
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		dir := filepath.Dir(file)
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil || string(fields[1]) != strconv.Itoa(os.Getpid()) {
			continue
		}
		line, _ := os.ReadFile(dir + "/cmdline")
		lines = append(append(lines, bytes.ReplaceAll(line, []byte{0}, []byte(" "))...), '\n')
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	return string(lines)
}

// try is a program that answers signals, as weir does, and makes a sandbox.
func try(dir string, bubblewrap ...string) error {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGHUP, syscall.SIGTERM)
	cfg := Config{Exe: os.Args[0], TempDir: dir, KeepBackground: true}
	if len(bubblewrap) > 0 {
		cfg.Report = &Report{Bubblewrap: bubblewrap[0]}
	}
	s, got, err := New(cfg)
	if err != nil {
		return err
	}
	fmt.Println(got)
	return s.Close()
}

// slow wants the trial of a bubblewrap to run out of time and leave nothing.
func slow(bubblewrap, dir string) error {
	if err := collect(); err != nil {
		return err
	}
	out, err := newTrial(dir, bubblewrap).CombinedOutput()
	if want := fmt.Sprintf("none: bubblewrap: not done within %v\n", tryTime); err == nil && !bytes.HasPrefix(out, []byte(want)) {
		err = fmt.Errorf("it said %q, want %q", out, want)
	}
	return errors.Join(err, lastEnds())
}
