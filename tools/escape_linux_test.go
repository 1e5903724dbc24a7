package tools

import (
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// What gives up all by which it could be found may outlive a timeout, where no
// process namespace and no stage holds it; then the result does not say that it has ended.
func TestAResultPromisesOnlyTheEndOfWhatCanBeFound(t *testing.T) {
	const command = `env -i setsid -f sh -c 'echo $$ > pid; exec sleep 600' >/dev/null 2>&1 </dev/null; until [ -s pid ]; do :; done; sleep 600`
	for _, c := range []struct {
		exe       string
		contained func() bool
		want      string
	}{
		{"", nil, "timed out after 700ms; ended with all it had started that could be found"},
		{"", func() bool { return false }, "timed out after 700ms; ended with all it had started that could be found"},
		{"", func() bool { return true }, "timed out after 700ms; ended with all it had started"},
		{itself(t), nil, "timed out after 700ms; ended with all it had started"},
	} {
		k := newKit(t, Config{Exe: c.exe, Contained: c.contained})
		k.write("pid", "")
		r := k.call("bash", args{"command": command, "timeout_ms": 700})
		if r.Kind != TimedOut || !strings.HasSuffix(r.Text, c.want) {
			t.Errorf("%+v, want %s", r, c.want)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(k.content("pid")))
		if err != nil || c.exe != "" && len(running([]int{pid})) > 0 {
			t.Errorf("%d lives on, %v", pid, err)
		}
		if err == nil {
			_ = syscall.Kill(pid, syscall.SIGKILL) // It may have been found after all.
		}
	}
}
