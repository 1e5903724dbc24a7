package tools

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// told is what a program says and how it ends.
type told struct{ out, err, end string }

// runs runs a script below a stage or without one, its streams apart.
func runs(ctx context.Context, exe, in, script string, env ...string) told {
	var out, err bytes.Buffer
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.Env = append(env, "PATH=/usr/bin:/bin", markName+"=outer")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(in), &out, &err
	end := ""
	if failed := Run(ctx, exe, cmd); failed != nil {
		end = failed.Error()
	}
	return told{out.String(), err.String(), end}
}

// A program of the user's is told the same way with a stage above it and without.
func TestRun(t *testing.T) {
	t.Parallel()
	hold := t.TempDir() + "/fifo"
	if err := syscall.Mkfifo(hold, 0o600); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("long ", 100_000)
	for script, want := range map[string]told{
		"echo out; echo err >&2":      {"out\n", "err\n", ""},
		"exit 3":                      {"", "", "exit status 3"},
		"echo out; kill -KILL $$":     {"out\n", "", "signal: killed"},
		"cat":                         {long, "", ""},
		"exec <&-; echo out":          {"out\n", "", ""},
		"(read x < $HOLD) & echo out": {"out\n", "", ""},
		// One that has the whole input left to read.
		"exec 3<&0; (read x < $HOLD) & echo out": {"out\n", "", ""},
		"echo $WEIR_CALL | cut -c 1-6":           {"outer:\n", "", ""},
		"[ $$ = $(ps -o sid= -p $$) ]":           {"", "", ""},
		": </dev/tty || exit 2":                  {"", "/bin/sh: 1: cannot open /dev/tty: No such device or address\n", "exit status 2"},
		"head -c 1000000 /dev/zero >&2;":         {"", strings.Repeat("\x00", 1_000_000), ""},
	} {
		for _, exe := range []string{"", itself(t)} {
			if got := runs(t.Context(), exe, long, script, "HOLD="+hold); got != want {
				t.Errorf("%s: %.200q, want %.200q", script, got, want)
			}
		}
	}
	// What was left running lives on; now it may end.
	release, err := os.OpenFile(hold, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	_ = release.Close() // Nothing is written.
}

func TestRunThatCannotStart(t *testing.T) {
	t.Parallel()
	for _, exe := range []string{"", itself(t)} {
		cmd := exec.Command("/no/such/program")
		cmd.Stdout = &bytes.Buffer{}
		if err := Run(t.Context(), exe, cmd); err == nil || err.Error() != "no such file or directory" {
			t.Errorf("%v", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := runs(ctx, itself(t), "", "echo out"); got != (told{"", "", context.Canceled.Error()}) {
		t.Errorf("%q", got)
	}
}
