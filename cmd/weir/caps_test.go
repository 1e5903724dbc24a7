package main

import (
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Promise 16: every cap of a turn ends it with the exit code of limits, and says
// which it was.
func TestPromise16EveryCapHasItsExitCode(t *testing.T) {
	t.Parallel()
	const (
		same  = `{"loop": true, "steps": [{"blocks": [{"call": "list_dir"}], "usage": {"input": 1000, "output": 100}}]}`
		wrong = `{"loop": true, "steps": [{"blocks": [{"call": "no_such_tool"}]}]}`
	)
	for limit, c := range map[string]struct {
		script string
		flags  []string
	}{
		"steps":    {same, []string{"--max-steps", "2"}},
		"repeats":  {same, nil},
		"failures": {wrong, nil},
		"tokens":   {same, []string{"--max-tokens-total", "10"}},
		"cost":     {same, []string{"--max-cost", "0.001", "--price", "100,100"}},
		"time":     {`{"steps": [{"blocks": [{"text": "Half"}, {"fault": "stall"}]}]}`, []string{"--timeout", "50ms"}},
		"length":   {`{"steps": [{"blocks": [{"text": "It goes on"}], "stop": "length"}]}`, nil},
		"empty":    {`{"loop": true, "steps": [{"blocks": []}]}`, nil},
	} {
		cmd := exec.Command("weir", append([]string{"-p", "go", "--output-format", "json", "--script", scriptFile(t, c.script)}, c.flags...)...)
		cmd.Dir, cmd.Env = t.TempDir(), append(bare(), "HOME="+t.TempDir())
		out, _ := cmd.Output() // how it ends is looked at
		if code := cmd.ProcessState.ExitCode(); code != exitLimit || !strings.Contains(string(out), fmt.Sprintf(`"outcome":"limit","limit":%q`, limit)) {
			t.Errorf("%s: exit %d: %s", limit, code, out)
		}
	}
}

// peak runs a command in the bash tool and returns what the program had in
// memory at most, in bytes, and on its disk while the command still ran.
func peak(t *testing.T, command string) (memory, disk int64) {
	t.Helper()
	home := t.TempDir()
	script := scriptFile(t, fmt.Sprintf(`{"steps": [{"blocks": [{"call": "bash", "arguments": {"command": %q}}]}, {"blocks": [{"text": "Seen"}, {"fault": "stall"}]}]}`, command))
	cmd := exec.Command("weir", "-p", "go", "--mode", "bypass", "--sandbox", "off", "--output-format", "jsonl", "--script", script)
	cmd.Dir, cmd.Env = t.TempDir(), append(bare(), "HOME="+home)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	watch(out).want(t, `"text":"Seen"`)
	err = filepath.WalkDir(home, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			info, statErr := e.Info()
			err = statErr
			disk += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was interrupted
	return cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10, disk
}

// Promise 16: what a command prints without end, in lines or in one, neither
// fills the memory nor the disk.
func TestPromise16AFloodOfOutputStaysBounded(t *testing.T) {
	t.Parallel()
	quiet, _ := peak(t, "echo")
	for _, flood := range []string{"yes | head -c 100M", `head -c 100M /dev/zero | tr '\0' x`, `head -c 20M /dev/urandom`} {
		memory, disk := peak(t, flood)
		if memory > quiet+48<<20 {
			t.Errorf("%s: %d MiB in memory, %d without", flood, memory>>20, quiet>>20)
		}
		if disk > 17<<20 || disk < 16<<20 {
			t.Errorf("%s: %d bytes on the disk, want the cap of a spill file", flood, disk)
		}
	}
}
