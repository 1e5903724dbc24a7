package main

import (
	"os/exec"
	"strings"
	"testing"
)

// underShell runs weir with a redirection of the shell's, and returns its exit
// code and both outputs.
func underShell(t *testing.T, redirect string, args ...string) (code int, out, stderr string) {
	t.Helper()
	cmd := exec.Command("sh", append([]string{"-c", `exec weir "$@" ` + redirect, "sh"}, args...)...)
	cmd.Dir, cmd.Env = t.TempDir(), append(bare(), "HOME="+t.TempDir())
	var both [2]strings.Builder
	cmd.Stdout, cmd.Stderr = &both[0], &both[1]
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), both[0].String(), both[1].String()
}

var formats = [][]string{
	{"--output-format", "text"},
	{"--output-format", "text", "-v"},
	{"--output-format", "json"},
	{"--output-format", "json", "-v"},
	{"--output-format", "jsonl"},
	{"--output-format", "jsonl", "-v"},
}

// TestB031_AnAnswerThatCannotBeWrittenIsNoSuccess: closed is not /dev/null.
func TestB031_AnAnswerThatCannotBeWrittenIsNoSuccess(t *testing.T) {
	t.Parallel()
	script := scriptFile(t, `{"steps": ["fine"]}`)
	for redirect, why := range map[string]string{">&-": "it is closed", ">/dev/full": "no space left on device"} {
		for _, args := range formats {
			code, _, said := underShell(t, redirect, append([]string{"-p", "hi", "--script", script}, args...)...)
			want := "weir: write standard output: " + why + "\n"
			if code != exitFailed || !strings.HasSuffix(said, want) || !strings.HasSuffix(args[len(args)-1], "v") && said != want {
				t.Errorf("%s %q: exit code %d\n%s", redirect, args, code, said)
			}
		}
		for _, args := range [][]string{{"version"}, {"tools"}, {"tools", "--json"}, {"--help"}, {"config", "--print"}, {"completion", "bash"}} {
			if code, _, said := underShell(t, redirect, args...); code != exitFailed || said != "weir: write standard output: "+why+"\n" {
				t.Errorf("%s %q: exit code %d\n%s", redirect, args, code, said)
			}
		}
		if code, _, _ := underShell(t, redirect+" 2>&-", "-p", "hi", "--script", script); code != exitFailed {
			t.Errorf("%s 2>&-: exit code %d", redirect, code)
		}
	}
	if code, _, said := underShell(t, ">/dev/null", "-p", "hi", "--script", script); code != exitOK || said != "" {
		t.Errorf(">/dev/null: exit code %d\n%s", code, said)
	}
}

// TestAnAnswerDoesNotNeedStandardError has nowhere for what is said beside it.
func TestAnAnswerDoesNotNeedStandardError(t *testing.T) {
	t.Parallel()
	script := scriptFile(t, `{"steps": [{"blocks": [{"thinking": "Hm."}, {"text": "fine"}]}]}`)
	for _, redirect := range []string{"2>&-", "2>/dev/full", "<&-", "<&- 2>&-"} {
		for _, args := range formats {
			code, out, _ := underShell(t, redirect, append([]string{"-p", "hi", "--script", script}, args...)...)
			if code != exitOK || !strings.Contains(out, "fine") {
				t.Errorf("%s %q: exit code %d\n%s", redirect, args, code, out)
			}
		}
	}
}
