package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const stalls = `{"steps": [{"blocks": [{"text": "Half an answer"}, {"fault": "stall"}]}]}`

func TestASignalCancelsTheTurnAndMakesTheExitCode(t *testing.T) {
	t.Parallel()
	script := scriptFile(t, stalls)
	for sig, code := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
		p := run(t, nil, nil, "-p", "hi", "--script", script, "--output-format", "jsonl")
		p.out.want(t, "answer")
		p.signal(t, sig)
		p.exits(t, code)
		p.out.want(t, `"outcome":"canceled"`)
	}
}

func TestASignalInATextRunSaysSo(t *testing.T) {
	t.Parallel()
	p := run(t, nil, nil, "-p", "hi", "--script", scriptFile(t, `{"steps": [{"blocks": [{"thinking": "Hm"}, {"text": "Half"}, {"fault": "stall"}]}]}`))
	p.err.want(t, "✻ Hm")
	p.signal(t, syscall.SIGINT)
	p.exits(t, 130)
	p.err.want(t, "● Half\n◇ interrupted: canceled\n")
	if out := p.out.text(); out != "" {
		t.Errorf("half an answer on standard output: %q", out)
	}
}

// The instrument ends with what it has measured, and the signal's exit code.
func TestASignalEndsABenchWithItsResults(t *testing.T) {
	t.Parallel()
	p := run(t, nil, nil, "bench", "flood", "pace", "--rounds", "1000", "--subjects", "floor")
	p.err.want(t, "[4/")
	p.signal(t, syscall.SIGINT)
	p.exits(t, 130)
	p.out.want(t, "incomplete: interrupted after ")
	p.out.want(t, "flood: 2000 tokens (")
}

// sleeper is a script whose model starts a command that waits for ever.
func sleeper(t *testing.T, mark string) string {
	return scriptFile(t, fmt.Sprintf(`{"steps": [{"blocks": [{"call": "bash", "arguments": {"command": "echo begun; sleep 1000 & sleep 1000; : %s"}}]}, "fine"]}`, mark))
}

func TestASignalKillsWhatTheTurnStarted(t *testing.T) {
	t.Parallel()
	for i, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		mark := fmt.Sprintf("weirmark%d_killed%d.", os.Getpid(), i)
		p := run(t, nil, nil, "-p", "hi", "--mode", "bypass", "--output-format", "jsonl", "--script", sleeper(t, mark))
		p.out.want(t, `"text":"begun\n"`)
		p.signal(t, sig)
		p.exits(t, 128+int(sig))
		p.out.want(t, `"outcome":"canceled"`)
		gone(t, mark)
	}
}

func TestB031_AReaderThatLeavesEndsTheRunQuietly(t *testing.T) {
	t.Parallel()
	mark := fmt.Sprintf("weirmark%d_pipe", os.Getpid())
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p := run(t, nil, w, "-p", "hi", "--mode", "bypass", "--output-format", "jsonl", "--script", sleeper(t, mark))
	_ = w.Close()
	first := watch(r)
	first.want(t, `"text":"begun\n"`)
	_ = r.Close()
	// The next event finds the pipe closed: the end of the command that a
	// signal to it alone brings about.
	killSleep(t, mark)
	p.exits(t, 141)
	if text := p.err.text(); text != "" {
		t.Errorf("standard error: %q", text)
	}
	gone(t, mark)
}

func TestB031_AClosedPipeFromTheStart(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"text", "json", "jsonl"} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		_ = r.Close()
		p := run(t, nil, w, "-q", "-p", "hi", "--output-format", format, "--script", scriptFile(t, `{"steps": ["fine"]}`))
		_ = w.Close()
		p.exits(t, 141)
		if text := p.err.text(); text != "" {
			t.Errorf("%s: standard error: %q", format, text)
		}
	}
}

func TestB031_AFullDeviceIsAnError(t *testing.T) {
	t.Parallel()
	script := "--script=" + scriptFile(t, `{"steps": ["fine"]}`)
	for _, args := range [][]string{
		{"-p", "hi", script},
		{"-p", "hi", "--output-format", "json", script},
		{"-p", "hi", "--output-format", "jsonl", script},
		{"version"},
		{"tools"},
		{"--help"},
	} {
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		p := run(t, nil, full, args...)
		_ = full.Close()
		p.exits(t, 1)
		p.err.want(t, "weir: write standard output: no space left on device\n")
	}
}

// TestAFullPipeDoesNotHoldTheExit has a reader that stops reading, not leaving.
func TestAFullPipeDoesNotHoldTheExit(t *testing.T) {
	t.Parallel()
	endless := scriptFile(t, `{"steps": [{"blocks": [{"text": {"repeat": "lorem ipsum ", "bytes": 50000000}}]}]}`)
	for _, args := range [][]string{{"-p", "hi", "--output-format", "jsonl"}, {"--output-format", "jsonl"}} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		p := run(t, strings.NewReader("hi\n"), w, append(args, "--script", endless)...)
		// Its answer has begun, and from here on nobody reads.
		if _, err := r.Read(make([]byte, 64<<10)); err != nil {
			t.Fatal(err)
		}
		for late := time.Now().Add(patience); !full(t, w); runtime.Gosched() {
			if time.Now().After(late) {
				t.Fatal("the pipe did not fill")
			}
		}
		p.signal(t, syscall.SIGINT)
		p.exits(t, 130)
		if !full(t, w) {
			t.Error("the pipe was not full to the end")
		}
		_, _ = r.Close(), w.Close()
	}
}

// full reports whether a write to w would block.
func full(t *testing.T, w *os.File) bool {
	t.Helper()
	fds := []unix.PollFd{{Fd: int32(w.Fd()), Events: unix.POLLOUT}}
	if _, err := unix.Poll(fds, 0); err != nil && !errors.Is(err, syscall.EINTR) {
		t.Fatal(err)
	}
	return fds[0].Revents&unix.POLLOUT == 0
}

func TestB016_AnOpenSilentPipeDoesNotHang(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = r.Close(), w.Close() }()
	p := run(t, r, nil, "-p", "hi", "--script", scriptFile(t, `{"steps": ["fine"]}`))
	p.exits(t, 0)
	p.out.want(t, "fine\n")
}

func TestALineIsATurnAsSoonAsItsEndHasCome(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p := run(t, r, nil, "--script", scriptFile(t, `{"steps": ["one", "two"]}`))
	_ = r.Close()
	for _, word := range []string{"one", "two"} {
		if _, err := w.WriteString("next\n"); err != nil {
			t.Fatal(err)
		}
		p.out.want(t, word+"\n")
	}
	_ = w.Close()
	p.exits(t, 0)
}

func TestB029_NothingButTheProtocolReachesStandardOutput(t *testing.T) {
	noise := t.TempDir() + "/noise"
	if err := os.WriteFile(noise, []byte("printf '\\033[?2004h' >&1; printf noise >/dev/fd/1; echo noise >/proc/$PPID/fd/1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("BASH_ENV", noise)
	p := run(t, nil, nil, "-p", "hi", "--mode", "bypass", "--output-format", "jsonl",
		"--script", scriptFile(t, `{"steps": [{"blocks": [{"call": "bash", "arguments": {"command": ". `+noise+`; ls -l /proc/self/fd"}}]}, "fine"]}`))
	p.exits(t, 0)
	text := p.out.until(t, "the end", func(text string) bool { return strings.Contains(text, `"turn_ended"`) })
	for line := range strings.Lines(text) {
		if !json.Valid([]byte(line)) {
			t.Errorf("not JSON: %q", line)
		}
	}
}

// TestTheFirstDeltaIsOutBeforeTheModelGoesOn holds the answer back at a gate
// that only the reader of the first piece opens.
func TestTheFirstDeltaIsOutBeforeTheModelGoesOn(t *testing.T) {
	t.Parallel()
	script := scriptFile(t, `{"steps": [{"blocks": [{"text": ["first", {"gate": "g"}, " second"]}]}]}`)
	server := run(t, nil, nil, "sim", "--script", script)
	base := strings.TrimSpace(server.out.until(t, "an address", func(text string) bool { return strings.Contains(text, "\n") }))
	p := run(t, nil, nil, "-p", "hi", "--output-format", "jsonl", "--base-url", base)
	p.out.want(t, `"type":"text_delta"`)
	if text := p.out.text(); strings.Contains(text, "second") {
		t.Fatalf("the gate did not hold:\n%s", text)
	}
	post(t, base+"/gates/g")
	p.out.want(t, `"text":" second"`)
	p.exits(t, 0)
	server.signal(t, syscall.SIGTERM)
	server.exits(t, 0)
}
