package sandbox

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/weir-agents/weir/tools"
)

// The bash tool in the sandbox: its folder is kept, what it leaves running is
// told and ends with the session, and it stays where it may be.
func TestTheBashToolInTheSandbox(t *testing.T) {
	eachKind(t, func(t *testing.T, a *arena) {
		a.change(func(c *Config) { c.KeepBackground = true })
		ws, err := tools.OpenWorkspace(a.root)
		if err != nil {
			t.Fatal(err)
		}
		set := tools.Builtin(ws, tools.Config{Env: os.Environ(), Wrap: a.sandbox.Wrap})
		bash := set[slices.IndexFunc(set, func(tool tools.Tool) bool { return tool.Spec().Name == "bash" })]
		defer func() {
			if err := ws.Close(); err != nil {
				t.Error(err)
			}
		}()
		scope := tools.NewScope()
		defer scope.Close()
		run := func(command string) tools.Result {
			arguments, err := json.Marshal(map[string]string{"command": command})
			if err != nil {
				t.Fatal(err)
			}
			return bash.Run(context.Background(), tools.Call{
				Turn: "t", ID: "c", Name: "bash", Arguments: arguments, Scope: scope, Output: func(string) {},
			})
		}
		if r := run("cd sub && echo x > f"); !r.OK() {
			t.Error(r)
		}
		if r := run("pwd; cat f"); strings.TrimSpace(r.Text) != a.root+"/sub\nx" {
			t.Error(r)
		}
		if r := run("echo x > " + a.base + "/outside/new"); r.Kind != tools.Failed || !strings.HasSuffix(r.Text, "exit 1") {
			t.Error(r)
		}
		a.want("outside/new", "")
		r := run("sleep 600 & setsid sleep 600 &")
		if !r.OK() || len(r.Background) < 2 {
			t.Error(r)
		}
		scope.Close()
		for _, pid := range r.Background {
			if status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline"); err == nil && len(status) > 0 {
				t.Errorf("process %d is left: %q", pid, status)
			}
		}
	})
}
