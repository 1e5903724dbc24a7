package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

const noRaceSleep = "atexit_sleep_ms=0"

// TestMain makes the program a command that tests run as a process.
func TestMain(m *testing.M) {
	// The race detector has every process sleep for a second at its end.
	if err := os.Setenv("GORACE", noRaceSleep); err != nil {
		panic(err)
	}
	testscript.Main(tidy{m}, map[string]func(){"weir": main})
}

// tidy runs tests and fails if a process stays behind that one of their programs
// has started. It gets those because it takes the place of init for them.
type tidy struct{ m *testing.M }

// Run implements testscript.TestingM.
func (t tidy) Run() int {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		panic(err)
	}
	code := t.m.Run()
	for late := time.Now().Add(patience); ; {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		switch {
		case errors.Is(err, syscall.ECHILD):
			return code
		case err != nil && !errors.Is(err, syscall.EINTR):
			panic(err)
		case pid == 0 && time.Now().After(late):
			list, _ := exec.Command("ps", "-o", "pid,args", "--ppid", strconv.Itoa(os.Getpid())).Output() // all there is to say
			fmt.Printf("the tests have left behind:\n%s", list)
			return 1
		}
	}
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("GORACE", noRaceSleep)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits,
			"sim":   simulate,
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// exits runs a program that must end with an exit code: exits CODE PROGRAM ARGS…
func exits(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	if neg || err != nil {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS…")
	}
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
	if strings.Contains(ts.ReadFile("stderr"), "goroutine ") {
		ts.Fatalf("a stack trace on standard error")
	}
}

// simulate starts a simulated server, which ends in order with the script, and
// sets a variable to its address: sim NAME FILE.
func simulate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sim NAME FILE")
	}
	cmd := exec.Command("weir", "sim", "--script", ts.MkAbs(args[1]))
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	ts.Defer(func() {
		_ = cmd.Process.Signal(syscall.SIGINT)
		if err := cmd.Wait(); err != nil {
			ts.Logf("the simulated server ended with %v", err)
		}
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	ts.Check(err)
	ts.Setenv(args[0], strings.TrimSpace(address))
}
