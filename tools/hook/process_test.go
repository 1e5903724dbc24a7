package hook_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/tools"
	"github.com/weir-agents/weir/tools/hook"
)

// holding calls up when a process that holds the fifo has said that it runs, and
// returns what is closed when the last that holds it has ended.
func holding(t *testing.T, fifo string, up func()) <-chan struct{} {
	t.Helper()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		held, err := os.Open(fifo)
		if err != nil {
			t.Error(err)
			return
		}
		if _, err := held.Read(make([]byte, 3)); err != nil {
			t.Error(err)
		}
		up()
		if _, err := io.ReadAll(held); err != nil {
			t.Error(err)
		}
		_ = held.Close() // Only read from.
	}()
	return gone
}

func TestAHookThatHangsIsEnded(t *testing.T) {
	t.Parallel()
	c := script(t, "sleep 600")
	c.Timeout = 300 * time.Millisecond
	h := newHooks(t, hook.Config{Interactive: true, Pre: []hook.Command{c}})
	got := h.Policy(fixed(allowed)).Decide(call, tools.Spec{})
	want := tools.Verdict{
		Decision: tools.Deny, By: "rule",
		Reason: "the hook /bin/sh refuses it: it did not work: no answer within 300ms",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The end of a hook's time ends all it has started, whatever that has done to get
// away.
func TestWhatAHookHasStartedEndsWithIt(t *testing.T) {
	t.Parallel()
	const holds = `sh -c 'exec 3> "$0"; echo up >&3; sleep 600' `
	for name, start := range map[string]string{
		"itself":       `exec 3> "$fifo"; echo up >&3`,
		"a child":      holds + `"$fifo" &`,
		"own session":  "setsid " + holds + `"$fifo" &`,
		"no output":    "setsid -f " + holds + `"$fifo" >/dev/null 2>&1 </dev/null`,
		"nothing left": "env -i setsid -f " + holds + `"$fifo" >/dev/null 2>&1 </dev/null`,
		"a stubborn":   `trap "" TERM; setsid ` + holds + `"$fifo" &`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fifo := filepath.Join(t.TempDir(), "fifo")
			if err := syscall.Mkfifo(fifo, 0o600); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			gone := holding(t, fifo, cancel)
			h := newHooks(t, hook.Config{Post: []hook.Command{script(t, "fifo="+fifo+"\n"+start+"\nsleep 600; sleep 600")}})
			h.AfterCall(ctx, call, tools.Result{})
			select {
			case <-gone:
			case <-time.After(20 * time.Second):
				t.Error("something lives on")
			}
		})
	}
}

func TestACanceledCallWaitsForNoHook(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	dir := t.TempDir()
	c := script(t, `cat "`+dir+`/started"; sleep 600`)
	fifo := filepath.Join(dir, "started")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { // Ends when the hook has opened its end.
		defer close(done)
		if err := os.WriteFile(fifo, nil, 0); err != nil {
			t.Error(err)
		}
		cancel()
	}()
	h := newHooks(t, hook.Config{Post: []hook.Command{c}, Notice: func(text string) { t.Error(text) }})
	before := tools.Result{Text: "out"}
	for range 2 { // During a hook, and before.
		if diff := cmp.Diff(before, h.AfterCall(ctx, call, before)); diff != "" {
			t.Error(diff)
		}
	}
	<-done
}

// A cancel of the turn, and the end of the session, end a hook before a call.
func TestACanceledTurnWaitsForNoHook(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*tools.Scope){
		"canceled": func(s *tools.Scope) { s.EndTurn("t1") }, "closed": (*tools.Scope).Close,
	} {
		fifo := filepath.Join(t.TempDir(), "fifo")
		if err := syscall.Mkfifo(fifo, 0o600); err != nil {
			t.Fatal(err)
		}
		scope := tools.NewScope()
		gone := holding(t, fifo, func() {
			scope.EndTurn("another")
			end(scope)
		})
		c := script(t, `exec 3> "`+fifo+`"; echo up >&3; setsid sleep 600 & sleep 600`)
		c.Timeout = time.Hour
		h := newHooks(t, hook.Config{Pre: []hook.Command{c}})
		of := call
		of.Scope = scope
		for range 2 { // During a hook, and when the session has ended.
			want := tools.Verdict{Decision: tools.Deny, By: "rule", Reason: "the hook /bin/sh refuses it: it did not work: context canceled"}
			if diff := cmp.Diff(want, h.Policy(fixed(allowed)).Decide(of, tools.Spec{})); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
			<-gone
			scope.Close()
		}
	}
}
