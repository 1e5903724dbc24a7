package rules

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/weir-agents/weir/tools"
)

// Each mode, and what becomes of a call of each kind in it: with somebody to
// ask and, after the slash, without.
func TestModes(t *testing.T) {
	for _, test := range []struct {
		mode Mode
		want map[string]string // kind of call to decision
	}{
		{AskMode, map[string]string{"read": "allow", "todo": "allow", "edit": "ask/deny", "bash": "ask/deny", "fetch": "ask/deny", "allowed": "allow", "denied": "deny", "outside": "deny", "hook": "ask/deny", "kill": "allow"}},
		{"", map[string]string{"read": "allow", "edit": "ask/deny", "bash": "ask/deny", "allowed": "allow", "denied": "deny"}},
		{AcceptEdits, map[string]string{"read": "allow", "todo": "allow", "edit": "allow", "bash": "ask/deny", "fetch": "ask/deny", "allowed": "allow", "denied": "deny", "outside": "deny", "hook": "ask/deny"}},
		{ReadOnly, map[string]string{"read": "allow", "todo": "allow", "edit": "deny", "bash": "deny", "fetch": "deny", "allowed": "deny", "denied": "deny", "outside": "deny", "hook": "deny", "kill": "deny"}},
		{Plan, map[string]string{"read": "allow", "todo": "allow", "edit": "deny", "bash": "deny", "fetch": "deny", "allowed": "deny", "denied": "deny", "outside": "deny", "hook": "deny"}},
		{Bypass, map[string]string{"read": "allow", "todo": "allow", "edit": "allow", "bash": "allow", "fetch": "allow", "allowed": "allow", "denied": "deny", "outside": "deny", "hook": "ask/deny", "kill": "allow"}},
	} {
		for _, interactive := range []bool{true, false} {
			p := policyOf(t, Config{Mode: test.mode, Interactive: interactive, Allow: []string{"bash(git status)"}, Deny: []string{"bash(rm *)"}})
			for kind, want := range test.want {
				with, without, _ := strings.Cut(want, "/")
				if without == "" {
					without = with
				}
				if !interactive {
					with = without
				}
				if v := kinds[kind](t, p); decisionName(v) != with || v.Reason == "" {
					t.Errorf("mode %q, interactive %v, %s: %+v, want %s", test.mode, interactive, kind, v, with)
				}
			}
		}
	}
}

func decisionName(v tools.Verdict) string { return [...]string{"deny", "ask", "allow"}[v.Decision] }

var kinds = map[string]func(t testing.TB, p *Policy) tools.Verdict{
	"read":    func(t testing.TB, p *Policy) tools.Verdict { return call(t, p, "read_file", "path", "a") },
	"todo":    func(t testing.TB, p *Policy) tools.Verdict { return call(t, p, "todo") },
	"edit":    func(t testing.TB, p *Policy) tools.Verdict { return call(t, p, "edit_file", "path", "a") },
	"bash":    func(t testing.TB, p *Policy) tools.Verdict { return bash(t, p, "ls $X") },
	"fetch":   func(t testing.TB, p *Policy) tools.Verdict { return call(t, p, "web_fetch", "url", "http://x") },
	"allowed": func(t testing.TB, p *Policy) tools.Verdict { return bash(t, p, "git status") },
	"denied":  func(t testing.TB, p *Policy) tools.Verdict { return bash(t, p, "ls; rm x") },
	"outside": func(t testing.TB, p *Policy) tools.Verdict { return call(t, p, "write_file", "path", "../a") },
	"hook":    func(t testing.TB, p *Policy) tools.Verdict { return call(t, p, "write_file", "path", ".git/hooks/x") },
	"kill":    func(t testing.TB, p *Policy) tools.Verdict { return call(t, p, "job_kill", "job", "1") },
}

// In bypass a deny that cannot be told is asked; without one nothing is.
func TestBypassAsksWhereADenyCannotBeTold(t *testing.T) {
	with := policyOf(t, Config{Mode: Bypass, Deny: []string{"bash(rm *)"}, Interactive: true})
	without := policyOf(t, Config{Mode: Bypass, Deny: []string{"web_fetch"}, Interactive: true})
	for _, line := range []string{"$X y", "sh -c \"$X\"", "env $X", "ls 'a", "echo @(a|$(rm x))", "find . -exec {} x \\;", "let x=1", "echo \"$\\\n(rm x)\""} {
		if v := bash(t, with, line); v.Decision != tools.Ask || v.Suggestion != "" {
			t.Errorf("%q: %+v", line, v)
		}
		if v := bash(t, without, line); v.Decision != tools.Allow {
			t.Errorf("%q without a deny: %+v", line, v)
		}
	}
	if v := bash(t, with, "make > out; X=1 ls"); v.Decision != tools.Allow {
		t.Errorf("%+v", v)
	}
}

func TestADeniedToolIsDeniedWhole(t *testing.T) {
	p := policyOf(t, Config{Mode: Bypass, Allow: []string{"bash", "web_fetch", "write_file"}, Deny: []string{"bash", "web_fetch", "read_file"}})
	for _, v := range []tools.Verdict{bash(t, p, "ls"), bash(t, p, "ls '"), bash(t, p, ""), call(t, p, "web_fetch", "url", "x"), call(t, p, "read_file", "path", "a")} {
		if v.Decision != tools.Deny || v.By != "rule" {
			t.Errorf("%+v", v)
		}
	}
	all := policyOf(t, Config{Allow: []string{"bash(*)"}, Deny: []string{"bash( * )"}})
	if v := bash(t, all, "ls '"); v.Decision != tools.Deny || v.By != "rule" {
		t.Errorf("%+v", v)
	}
}

// What bash evaluates again may be anything, so a rule for anything covers it,
// a rule with a star does not, and one without means its command only.
func TestOutputInArithmetic(t *testing.T) {
	for rule, want := range map[string]tools.Decision{"bash(nproc)": tools.Allow, "bash(nproc *)": tools.Ask, "bash(*)": tools.Allow, "bash": tools.Allow, "bash(id)": tools.Ask} {
		p := policyOf(t, Config{Allow: []string{"bash(echo *)", rule}, Interactive: true})
		for _, line := range []string{"echo $(($(nproc) * 2))", "echo ${a[$(nproc)]}", "echo ${x:$(nproc)}", "[[ $(nproc) -gt 1 ]] && echo"} {
			if v := bash(t, p, line); v.Decision != want {
				t.Errorf("%s, %q: %+v", rule, line, v)
			}
		}
	}
}

func TestWhatAlwaysWouldCoverIsSaid(t *testing.T) {
	for rule, want := range map[string]string{
		"web_fetch": "every call of web_fetch for the rest of the session", "write_file(a.go)": "write_file of exactly a.go for the rest of the session", "": "", "(": "",
		"bash(git status)": "exactly the command git status for the rest of the session, also as part of a longer line; the sandbox still holds it",
	} {
		if got := SuggestionText(rule); got != want {
			t.Errorf("%q: %q", rule, got)
		}
	}
}

func TestTheModeCanChange(t *testing.T) {
	p := policyOf(t, Config{})
	if err := p.SetMode(Plan); err != nil || p.Mode() != Plan {
		t.Fatal(err, p.Mode())
	}
	v := bash(t, p, "ls")
	if v.Decision != tools.Deny || v.By != "mode" || !strings.Contains(v.Reason, "into your plan") {
		t.Errorf("%+v", v)
	}
	if err := p.SetMode("yolo"); err == nil || p.Mode() != Plan {
		t.Errorf("%v %v", err, p.Mode())
	}
}

// What a tool would read otherwise than the policy is refused.
func TestArgumentsAreReadWithoutGuessing(t *testing.T) {
	p := policyOf(t, Config{Mode: Bypass})
	for _, raw := range []string{`{"path":"a","PATH":"../b"}`, `{"path":1}`, `[`, `"a"`, `{"path":["a"]}`} {
		v := p.Decide(tools.Call{Name: "write_file", Arguments: json.RawMessage(raw)}, tools.Spec{Class: tools.Mutating})
		if v.Decision != tools.Deny || !strings.Contains(v.Reason, "cannot be read") {
			t.Errorf("%s: %+v", raw, v)
		}
	}
}

func TestDecideAndRememberTogether(t *testing.T) {
	p := policyOf(t, Config{Interactive: true})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 50 {
				if err := p.Remember("bash(git status)"); err != nil {
					t.Error(err)
				}
				if v := bash(t, p, "git status"); v.Decision != tools.Allow {
					t.Errorf("%+v", v)
				}
				p.Denied("grep", "a")
			}
		})
	}
	wg.Wait()
}

func TestRulesThatCannotBeRead(t *testing.T) {
	for _, text := range []string{"", "bash(", "bash()", "bash( )", "bash(ls", "bash(ls)x", "(ls)", "ba sh(ls)", "web_fetch(x)", "todo(a)", "read_file([a)", "read_file()"} {
		if r, err := Parse(text); err == nil {
			t.Errorf("%q is read as %+v", text, r)
		}
		if _, _, err := New(Config{Deny: []string{text}}); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
	for text, want := range map[string]Rule{
		"bash": {Tool: "bash"}, " bash(git log *) ": {"bash", "git log *"}, "read_file(**/.env)": {"read_file", "**/.env"}, "bash(echo (a))": {"bash", "echo (a)"},
		"mcp__x.y/z": {Tool: "mcp__x.y/z"}, "grep({a,b})": {"grep", "{a,b}"},
	} {
		if got, err := Parse(text); err != nil || got != want || got.String() != strings.TrimSpace(text) {
			t.Errorf("%q: %+v %v", text, got, err)
		}
	}
	if _, _, err := New(Config{Roots: []string{filepath.Join(t.TempDir(), "none")}}); err == nil {
		t.Error("a missing root is taken")
	}
	p := policyOf(t, Config{})
	for _, text := range []string{"bash(ls*)", "bash(", "x(y)"} {
		if err := p.Remember(text); err == nil {
			t.Errorf("remembered %q", text)
		}
	}
}
