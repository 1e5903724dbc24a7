package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// killTimes is how many times each test here ends the program.
const killTimes = 50

// killSignals are the ends that come from outside.
var killSignals = []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGKILL}

// killScript streams, reads, and runs a command that leaves a child behind, over
// and over.
func killScript(t *testing.T, mark string) string {
	return scriptFile(t, fmt.Sprintf(`{"gap_ms": 1, "steps": [{"blocks": [{"text": {"repeat": "word ", "bytes": 100}}, {"call": "list_dir"},
		{"call": "bash", "arguments": {"command": "sleep 1000 & sleep 0.01; : %s"}}]}], "loop": true}`, mark))
}

// wantWholeFiles fails if a file of weir's own in home is half written: the
// history and the answers on trust are whole lines of JSON.
func wantWholeFiles(t *testing.T, home string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(home, ".local/state/weir"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || strings.Contains(path, "/output-") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if len(text) > 0 && text[len(text)-1] != '\n' {
			t.Errorf("%s ends within a line: %q", path, text)
		}
		for line := range strings.Lines(string(text)) {
			if !json.Valid([]byte(line)) {
				t.Errorf("%s: half a line: %q", path, line)
			}
		}
		return nil
	})
	if err != nil && !os.IsNotExist(err) {
		t.Error(err)
	}
}

// wantGone fails if a child is left. After SIGKILL, which nobody can answer, what
// a command has started may live on: that is a known gap, and it is ended here.
func wantGone(t *testing.T, mark string, sig syscall.Signal) {
	t.Helper()
	if sig == syscall.SIGKILL {
		killSleep(t, mark)
		return
	}
	gone(t, mark)
}

// TestWheneverATalkIsKilled ends a talk at times and by signals drawn at random.
// After each but SIGKILL the terminal is as it was and no child is left; after
// each no file is half written.
func TestWheneverATalkIsKilled(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 1))
	home := t.TempDir()
	for i := range killTimes {
		mark := fmt.Sprintf("weirmark%d_talk%d.", os.Getpid(), i)
		sig := killSignals[rnd.IntN(len(killSignals))]
		d := onDesktop(t, home, "--mode", "bypass", "--script", killScript(t, mark))
		d.sees(t, "weir> ")
		d.types(t, fmt.Sprintf("go %d", i)+enter)
		<-time.After(time.Duration(rnd.IntN(60_000)) * time.Microsecond) // when it comes is what is drawn
		d.signal(t, sig)
		switch sig {
		case syscall.SIGKILL:
			<-d.ended
		case syscall.SIGINT: // it cancels; the person leaves
			d.types(t, ctrlD)
			<-d.ended
		default:
			d.exits(t, 128+int(sig))
		}
		if diff := cmp.Diff(d.before, d.modes(t)); diff != "" && sig != syscall.SIGKILL {
			t.Errorf("%v: the terminal's modes have changed:\n%s", sig, diff)
		}
		wantGone(t, mark, sig)
		wantWholeFiles(t, home)
		_, _ = d.master.Close(), d.tty.Close()
		if t.Failed() {
			t.Fatalf("time %d, %v, with seed %d", i, sig, seed)
		}
	}
}

// TestWheneverAOneShotRunIsKilled does the same without a terminal.
func TestWheneverAOneShotRunIsKilled(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 2))
	for i := range killTimes {
		mark := fmt.Sprintf("weirmark%d_shot%d.", os.Getpid(), i)
		sig := killSignals[rnd.IntN(len(killSignals))]
		p := run(t, nil, nil, "-p", "go", "--mode", "bypass", "--output-format", "jsonl", "--script", killScript(t, mark))
		p.out.want(t, `"type":"turn_started"`)
		<-time.After(time.Duration(rnd.IntN(80_000)) * time.Microsecond) // when it comes is what is drawn
		p.signal(t, sig)
		t.Logf("time %d: %v, seed %d", i, sig, seed)
		if sig == syscall.SIGKILL {
			<-p.ended
		} else {
			p.exits(t, 128+int(sig))
			p.out.want(t, `"type":"turn_ended"`)
		}
		wantGone(t, mark, sig)
		if t.Failed() {
			t.Fatalf("time %d, %v, with seed %d", i, sig, seed)
		}
	}
}
