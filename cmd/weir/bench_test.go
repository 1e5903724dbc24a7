package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider/script"
)

// built is the program as people have it, without the tests, in a folder that
// ends with the benchmark that made it.
func built(b *testing.B) string {
	b.Helper()
	file := filepath.Join(b.TempDir(), "weir")
	if out, err := exec.Command("go", "build", "-o", file, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return file
}

// BenchmarkStart is how long a process of the program takes from its start to
// its end, or to its first prompt on a terminal.
func BenchmarkStart(b *testing.B) {
	weir := built(b)
	file := filepath.Join(b.TempDir(), "script.json")
	if err := os.WriteFile(file, []byte(`{"steps": ["fine"], "loop": true}`), 0o600); err != nil {
		b.Fatal(err)
	}
	home := b.TempDir()
	for name, args := range map[string][]string{"version": {"version"}, "one shot": {"-p", "hi", "--script", file}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				cmd := exec.Command(weir, args...)
				cmd.Dir, cmd.Env = home, append(bare(), "HOME="+home)
				if out, err := cmd.CombinedOutput(); err != nil {
					b.Fatalf("%v\n%s", err, out)
				}
			}
		})
	}
	b.Run("first prompt", func(b *testing.B) {
		for b.Loop() {
			r := atPrompt(b, weir, home, "--script", file)
			b.StopTimer()
			r.end()
			b.StartTimer()
		}
	})
}

// running is a program on a terminal.
type running struct {
	cmd *exec.Cmd
	tty *os.File
	all []byte
}

// atPrompt starts the program on a terminal and returns when its prompt is there.
func atPrompt(b *testing.B, weir, home string, args ...string) *running {
	b.Helper()
	cmd := exec.Command(weir, args...)
	cmd.Dir, cmd.Env = home, append(bare(), "HOME="+home, "TERM=xterm-256color")
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 100})
	if err != nil {
		b.Fatal(err)
	}
	r := &running{cmd: cmd, tty: tty}
	r.until(b, promptText)
	return r
}

// until reads until words have come behind what was read before.
func (r *running) until(b *testing.B, words string) {
	b.Helper()
	late := time.AfterFunc(patience, func() { _ = r.cmd.Process.Kill() }) // the read ends with it
	defer late.Stop()
	buf := make([]byte, 64<<10)
	for !bytes.Contains(r.all, []byte(words)) {
		n, err := r.tty.Read(buf)
		if err != nil {
			b.Fatalf("%v after %q", err, r.all)
		}
		r.all = append(r.all, buf[:n]...)
	}
	r.all = r.all[bytes.Index(r.all, []byte(words))+len(words):]
}

func (r *running) end() {
	_ = r.cmd.Process.Signal(syscall.SIGKILL) // nothing of it is wanted any more
	_ = r.cmd.Wait()
	_ = r.tty.Close()
}

// BenchmarkFirstToken is how long the first piece of an answer takes: from Enter
// to the screen, and in the pipeline alone. The difference is what the program
// adds.
func BenchmarkFirstToken(b *testing.B) {
	const text = `{"steps": ["fine"], "loop": true}`
	b.Run("screen", func(b *testing.B) {
		file := filepath.Join(b.TempDir(), "script.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
		r := atPrompt(b, built(b), b.TempDir(), "--script", file)
		defer r.end()
		var took []time.Duration
		for b.Loop() {
			began := time.Now()
			if _, err := r.tty.WriteString("go" + enter); err != nil {
				b.Fatal(err)
			}
			r.until(b, "● fine")
			took = append(took, time.Since(began))
			b.StopTimer()
			r.idle(b)
			b.StartTimer()
		}
		report(b, took)
	})
	b.Run("pipeline", func(b *testing.B) {
		s, err := script.Parse([]byte(text))
		if err != nil {
			b.Fatal(err)
		}
		p, err := pipeline.New(script.New(s), pipeline.Config{Model: "script"})
		if err != nil {
			b.Fatal(err)
		}
		defer p.Close()
		session, err := p.Open("")
		if err != nil {
			b.Fatal(err)
		}
		var took []time.Duration
		for b.Loop() {
			began := time.Now()
			var once sync.Once
			for e, err := range session.Run(b.Context(), "go") {
				if err != nil {
					b.Fatal(err)
				}
				if _, ok := e.(pipeline.TextDelta); ok {
					once.Do(func() { took = append(took, time.Since(began)) })
				}
			}
		}
		report(b, took)
	})
}

// idle waits until the status is gone and the prompt is the last row, which is
// drawn without anything above it.
func (r *running) idle(b *testing.B) {
	b.Helper()
	r.until(b, "\r\x1b[J"+promptText)
}

func report(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	ms := func(share float64) float64 {
		return float64(took[int(share*float64(len(took)-1))].Microseconds()) / 1000
	}
	b.ReportMetric(ms(0.5), "p50-ms")
	b.ReportMetric(ms(0.95), "p95-ms")
	if name := b.Name(); strings.HasSuffix(name, "screen") {
		b.ReportMetric(0, "ns/op") // it holds waits that nobody sees
	}
}
