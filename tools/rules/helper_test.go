package rules

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/weir-agents/weir/tools"
)

var specs = map[string]tools.Class{
	"bash": tools.Exec, "web_fetch": tools.Exec, "job_kill": tools.Exec,
	"write_file": tools.Mutating, "edit_file": tools.Mutating,
}

// policyOf makes a policy whose workspace is a new folder if none is given.
func policyOf(t testing.TB, c Config) *Policy {
	t.Helper()
	if c.Roots == nil {
		c.Roots = []string{t.TempDir()}
	}
	p, _, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// call asks p about a call with string arguments, given as name, value pairs.
func call(t testing.TB, p *Policy, tool string, pairs ...string) tools.Verdict {
	t.Helper()
	args := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		args[pairs[i]] = pairs[i+1]
	}
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return p.Decide(tools.Call{Name: tool, Arguments: raw}, tools.Spec{Name: tool, Class: specs[tool]})
}

func bash(t testing.TB, p *Policy, line string) tools.Verdict {
	t.Helper()
	return call(t, p, "bash", "command", line)
}

func write(t testing.TB, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
}

func link(t testing.TB, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}
