package tools

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"testing"
)

// canceler cancels when something is said.
type canceler struct {
	bytes.Buffer
	cancel func()
}

func (c *canceler) Write(p []byte) (int, error) {
	defer c.cancel()
	return c.Buffer.Write(p)
}

// A cancel ends all that a program has started, in every way there is.
func TestRunThatIsCanceled(t *testing.T) { eachWay(t, runIsCanceled) }

func runIsCanceled(t *testing.T, exe string, commands map[string]string) {
	for name, command := range commands {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t, Config{})
			k.write("pids", "")
			ctx, cancel := context.WithCancel(t.Context())
			out := &canceler{cancel: cancel}
			cmd := exec.Command("/bin/bash", "-c", command+untilTold+"echo ready; sleep 600; sleep 600")
			cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = k.dir, []string{"PATH=/usr/bin:/bin"}, out, out
			if err := Run(ctx, exe, cmd); !errors.Is(err, context.Canceled) || out.String() != "ready\n" {
				t.Errorf("%v, %q", err, out)
			}
			if left := running(k.pids()); len(left) > 0 {
				t.Errorf("%v live on", left)
			}
		})
	}
}
