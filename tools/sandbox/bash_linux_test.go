package sandbox

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
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
		set := tools.Builtin(ws, tools.Config{
			Env: os.Environ(), Wrap: a.sandbox.Wrap, Exe: executable(t),
			Contained: func() bool { return a.sandbox.Kind() == Bubblewrap },
		})
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
		const escape = "env -i setsid -f sh -c 'echo > there; exec sleep 600' </dev/null >/dev/null 2>&1; until [ -e there ]; do :; done"
		if r := run(escape + "; echo done"); !r.OK() || !strings.Contains(r.Text, "done") {
			t.Error(r)
		}
		if len(workingIn(t, a.root)) == 0 {
			t.Error("nothing has been left running")
		}
		scope.Close()
		if pids := workingIn(t, a.root); len(pids) > 0 {
			t.Errorf("processes %v are left", pids)
		}
		for _, pid := range r.Background {
			if status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline"); err == nil && len(status) > 0 {
				t.Errorf("process %d is left: %q", pid, status)
			}
		}
	})
}

// workingIn returns the processes whose working directory is in a folder.
func workingIn(t *testing.T, dir string) (pids []string) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range all {
		if at, err := os.Readlink(link); err == nil && within(at, dir) {
			pids = append(pids, link)
		}
	}
	return pids
}
