package tools

import (
	"context"
	"encoding/json"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/weir-agents/weir/tools/internal/stage"
	"go.uber.org/goleak"
)

// The test binary is the stage of its commands, too. No test leaves a goroutine
// behind.
func TestMain(m *testing.M) {
	if handled, code := stage.Main(os.Args[1:]); handled {
		syscall.Exit(code) // The race detector lets os.Exit take a second.
	}
	// Below nohup commands would start with SIGHUP ignored, and trap would say so.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	goleak.VerifyTestMain(m)
}

// itself is the path of the test binary.
func itself(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

// kit is a workspace with the built-in tools and one session.
type kit struct {
	t     *testing.T
	dir   string
	ws    *Workspace
	reg   *Registry
	scope *Scope

	mu     sync.Mutex
	live   strings.Builder
	onLive func(all string) // told of the live output so far; may be nil
}

func newKit(t *testing.T, cfg Config) *kit {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return newKitIn(t, dir, cfg)
}

func newKitIn(t *testing.T, dir string, cfg Config) *kit {
	t.Helper()
	ws, err := OpenWorkspace(dir)
	if err != nil {
		t.Fatal(err)
	}
	reg, err := NewRegistry(Builtin(ws, cfg)...)
	if err != nil {
		t.Fatal(err)
	}
	k := &kit{t: t, dir: dir, ws: ws, reg: reg, scope: NewScope()}
	t.Cleanup(func() {
		k.scope.Close()
		if err := ws.Close(); err != nil {
			t.Error(err)
		}
	})
	return k
}

// args are the arguments of a call.
type args map[string]any

func (k *kit) call(name string, a args) Result {
	return k.callIn(context.Background(), k.scope, name, a)
}

func (k *kit) callIn(ctx context.Context, scope *Scope, name string, a args) Result {
	k.t.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		k.t.Fatal(err)
	}
	tool, refused := k.reg.Check(name, raw, string(raw))
	if refused != nil {
		return *refused
	}
	return tool.Run(ctx, Call{Turn: "t1", ID: "c1", Name: name, Arguments: raw, Scope: scope, Output: func(s string) {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.live.WriteString(s)
		if k.onLive != nil {
			k.onLive(k.live.String())
		}
	}})
}

// want runs a call that must succeed and returns its text.
func (k *kit) want(name string, a args) string {
	k.t.Helper()
	r := k.call(name, a)
	if !r.OK() {
		k.t.Fatalf("%s(%v): %s: %s", name, a, r.Kind, r.Text)
	}
	return r.Text
}

// refuse runs a call that must not succeed and returns its text.
func (k *kit) refuse(name string, a args) string {
	k.t.Helper()
	r := k.call(name, a)
	if r.OK() {
		k.t.Fatalf("%s(%v) succeeded: %s", name, a, r.Text)
	}
	return r.Text
}

func (k *kit) path(name string) string { return filepath.Join(k.dir, name) }

func (k *kit) write(name, content string) {
	k.t.Helper()
	if err := os.MkdirAll(filepath.Dir(k.path(name)), 0o755); err != nil {
		k.t.Fatal(err)
	}
	if err := os.WriteFile(k.path(name), []byte(content), 0o644); err != nil {
		k.t.Fatal(err)
	}
}

func (k *kit) content(name string) string {
	k.t.Helper()
	b, err := os.ReadFile(k.path(name))
	if err != nil {
		k.t.Fatal(err)
	}
	return string(b)
}

func has(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("no %q in:\n%s", p, capped(text, 2000))
		}
	}
}
