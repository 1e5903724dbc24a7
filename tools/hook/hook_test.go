package hook_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/tools"
	"github.com/weir-agents/weir/tools/hook"
	"github.com/weir-agents/weir/tools/internal/stage"
)

// TestMain lets the test binary look after what hooks start.
func TestMain(m *testing.M) {
	if handled, code := stage.Main(os.Args[1:]); handled {
		syscall.Exit(code) // The race detector lets os.Exit take a second.
	}
	os.Exit(m.Run())
}

// fixed is a policy of one verdict.
type fixed tools.Verdict

func (f fixed) Decide(tools.Call, tools.Spec) tools.Verdict { return tools.Verdict(f) }

func (fixed) Remember(rule string) error { return errors.New("no rule " + rule) }

var (
	allowed = tools.Verdict{Decision: tools.Allow, By: "rule", Reason: "a rule"}
	asked   = tools.Verdict{Decision: tools.Ask, By: "mode", Reason: "it writes", Suggestion: "bash(ls)"}
	denied  = tools.Verdict{Decision: tools.Deny, By: "rule", Reason: "a rule"}
)

var call = tools.Call{Turn: "t1", ID: "c1", Name: "bash", Arguments: json.RawMessage(`{"command":"ls"}`)}

// script makes an executable file of a shell script.
func script(t *testing.T, body string) hook.Command {
	t.Helper()
	path := filepath.Join(t.TempDir(), "hook")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return hook.Command{Argv: []string{"/bin/sh", path, "an argument", "$(id)"}}
}

func newHooks(t *testing.T, cfg hook.Config) *hook.Hooks {
	t.Helper()
	cfg.Session, cfg.Env, cfg.Exe = "s1", []string{"PATH=/usr/bin:/bin", "A=b"}, os.Args[0]
	h, err := hook.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestAHookNarrowsAndNeverWidens(t *testing.T) {
	t.Parallel()
	const allow, ask, deny = `echo '{"decision":"allow"}'`, `echo '{"decision":"ask","reason":"look"}'`, `echo '{"decision":"deny","reason":"no"}'`
	type part struct {
		decision tools.Decision
		reason   string
	}
	for name, c := range map[string]struct {
		inner tools.Verdict
		pre   []string
		want  part
	}{
		"no hook":                      {allowed, nil, part{tools.Allow, "a rule"}},
		"allowed twice":                {allowed, []string{allow, allow}, part{tools.Allow, "a rule"}},
		"allow takes no question away": {asked, []string{allow}, part{tools.Ask, "it writes"}},
		"allow takes no refusal away":  {denied, []string{allow}, part{tools.Deny, "a rule"}},
		"asked for":                    {allowed, []string{ask, allow}, part{tools.Ask, "wants it asked: look"}},
		"refused":                      {allowed, []string{deny}, part{tools.Deny, "refuses it: no"}},
		"asked for, then refused":      {allowed, []string{ask, deny}, part{tools.Deny, "refuses it: no"}},
		"the refusal is the last":      {asked, []string{deny, `echo '{"decision":"ask"}'`}, part{tools.Deny, "refuses it: no"}},
		"other arguments": {
			allowed,
			[]string{`echo '{"decision":"allow","reason":"safer","arguments":{"command":"ls -l"}}'`},
			part{tools.Deny, `refuses it: safer; it would have these arguments: {"command":"ls -l"}`},
		},
	} {
		cfg := hook.Config{Interactive: true}
		for _, body := range c.pre {
			cfg.Pre = append(cfg.Pre, script(t, body))
		}
		got := newHooks(t, cfg).Policy(fixed(c.inner)).Decide(call, tools.Spec{})
		if got.Decision != c.want.decision || !strings.HasSuffix(got.Reason, c.want.reason) {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}

func TestAVerdictOfAHookIsWhole(t *testing.T) {
	t.Parallel()
	c := script(t, `echo '{"decision":"ask"}'`)
	h := newHooks(t, hook.Config{Interactive: true, Pre: []hook.Command{c}})
	want := tools.Verdict{Decision: tools.Ask, By: "rule", Reason: "the hook /bin/sh wants it asked: no reason given"}
	if diff := cmp.Diff(want, h.Policy(fixed(asked)).Decide(call, tools.Spec{})); diff != "" {
		t.Error(diff)
	}
	h = newHooks(t, hook.Config{Pre: []hook.Command{c}})
	want = tools.Verdict{
		Decision: tools.Deny, By: "rule",
		Reason: "it would have to be asked and nobody can be: the hook /bin/sh wants it asked: no reason given",
	}
	if diff := cmp.Diff(want, h.Policy(fixed(allowed)).Decide(call, tools.Spec{})); diff != "" {
		t.Error(diff)
	}
	if err := h.Policy(fixed(allowed)).Remember("x"); err == nil || err.Error() != "no rule x" {
		t.Error(err)
	}
}

func TestAHookThatDoesNotWorkRefuses(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`exit 3`:                              "it did not work: exit status 3",
		`echo why >&2; exit 2`:                "it did not work: exit status 2: why",
		`:`:                                   "it did not work: it said nothing",
		`echo hello`:                          "it did not work: its answer is no JSON object: hello",
		`echo '"allow"'`:                      `it did not work: its answer is no JSON object: "allow"`,
		`echo '{"decision":"allow"'`:          "it did not work: its answer cannot be read: unexpected EOF",
		`echo '{"decision":1}'`:               "it did not work: its answer cannot be read",
		`echo '{}'`:                           `it did not work: decision "" is not allow, ask or deny`,
		`echo '{"decision":"ALLOW"}'`:         `it did not work: decision "ALLOW" is not allow, ask or deny`,
		`echo '{"decision":"allow"} {}'`:      "it did not work: its answer is more than one JSON object",
		`echo '{"decision":"allow"}'; exit 1`: "it did not work: exit status 1",
		`kill -9 $$`:                          "it did not work: signal: killed",
		`head -c 3000000 /dev/zero`:           "it did not work: its answer is longer than 1048576 bytes",
	} {
		h := newHooks(t, hook.Config{Interactive: true, Pre: []hook.Command{script(t, body)}})
		got := h.Policy(fixed(allowed)).Decide(call, tools.Spec{})
		if got.Decision != tools.Deny || !strings.Contains(got.Reason, want) {
			t.Errorf("%s: %+v; want %s", body, got, want)
		}
	}
	h := newHooks(t, hook.Config{Interactive: true, Pre: []hook.Command{{Argv: []string{"/no/such/hook"}}}})
	if got := h.Policy(fixed(allowed)).Decide(call, tools.Spec{}); got.Decision != tools.Deny {
		t.Errorf("%+v", got)
	}
}

func TestWhatAHookReads(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	record := `{ cat; echo; echo "$1 $2"; pwd; env | sed 's/^WEIR_CALL=.*/WEIR_CALL=/' | grep -v -e ^PWD= -e ^OLDPWD= -e ^SHLVL= -e ^_= | sort; } > "` + dir + `/$(date +%N)"; echo '{"decision":"allow"}'`
	c := script(t, record)
	h := newHooks(t, hook.Config{Pre: []hook.Command{c}, Post: []hook.Command{c}, Dir: dir})
	h.Policy(fixed(allowed)).Decide(call, tools.Spec{})
	rest := "\nan argument $(id)\n" + dir + "\nA=b\nPATH=/usr/bin:/bin\nWEIR_CALL=\n"
	if got, want := recorded(t, dir), `{"event":"pre_tool","session":"s1","turn":"t1","call":"c1","name":"bash","arguments":{"command":"ls"}}`+rest; got != want {
		t.Error(cmp.Diff(want, got))
	}
	h.AfterCall(context.Background(), call, tools.Result{Text: "out", Kind: tools.Failed, Truncated: true})
	want := `{"event":"post_tool","session":"s1","turn":"t1","call":"c1","name":"bash","arguments":{"command":"ls"},` +
		`"result":{"text":"out","error_kind":"failed","truncated":true}}` + rest
	if got := recorded(t, dir); got != want {
		t.Error(cmp.Diff(want, got))
	}
}

// recorded returns and removes the one file there is.
func recorded(t *testing.T, dir string) string {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	path := filepath.Join(dir, files[0].Name())
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAHookIsForTheToolsItNames(t *testing.T) {
	t.Parallel()
	for pattern, covered := range map[string]bool{"bash": true, "ba*": true, "*": true, "bas": false, "BASH": false, "*_file": false} {
		c := script(t, `echo '{"decision":"deny"}'`)
		c.Tools = []string{"todo", pattern}
		h := newHooks(t, hook.Config{Pre: []hook.Command{c}})
		if got := h.Policy(fixed(allowed)).Decide(call, tools.Spec{}); (got.Decision == tools.Deny) != covered {
			t.Errorf("%s: %+v", pattern, got)
		}
	}
}

func TestAHookAfterACall(t *testing.T) {
	t.Parallel()
	before := tools.Result{Text: "secret\x00 <out>", Kind: tools.Failed, Background: []int{1}}
	with := func(text string) tools.Result {
		r := before
		r.Text = text
		return r
	}
	for name, c := range map[string]struct {
		post   []string
		want   tools.Result
		notice string
	}{
		"none":                           {nil, before, ""},
		"silent":                         {[]string{`cat > /dev/null`}, before, ""},
		"reads not":                      {[]string{`exec <&-; echo '{}'`}, before, ""},
		"nothing new":                    {[]string{`echo '{}'`}, before, ""},
		"new text":                       {[]string{`echo '{"text":"new"}'`}, with("new"), ""},
		"empty text":                     {[]string{`echo '{"text":""}'`}, with(""), ""},
		"one by one":                     {[]string{`echo '{"text":"a"}'`, `grep -q '"text":"a"' && echo '{"text":"b"}'`}, with("b"), ""},
		"fails":                          {[]string{`echo '{"text":"x"}'; exit 1`, `echo '{"text":"next"}'`}, with("next"), "exit status 1"},
		"says garbage":                   {[]string{`echo x`}, before, "its answer is no JSON object: x"},
		"leaves a child with its output": {[]string{`sleep 2 & echo '{"text":"new"}'`}, with("new"), ""},
	} {
		var notices []string
		cfg := hook.Config{Notice: func(text string) { notices = append(notices, text) }}
		for _, body := range c.post {
			cfg.Post = append(cfg.Post, script(t, body))
		}
		got := newHooks(t, cfg).AfterCall(context.Background(), call, before)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if text := strings.Join(notices, "\n"); (c.notice == "") != (text == "") || !strings.Contains(text, c.notice) {
			t.Errorf("%s: notice %q, want %q", name, text, c.notice)
		}
	}
}

func TestHooksThatCannotBe(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]hook.Command{
		"hook: a hook without a program":               {},
		`hook "check": must be an absolute path`:       {Argv: []string{"check"}},
		`hook "./check": must be an absolute path`:     {Argv: []string{"./check"}},
		"hook /bin/sh: timeout -1ns: must be positive": {Argv: []string{"/bin/sh"}, Timeout: -1},
		`hook /bin/sh: tools "[": not a pattern`:       {Argv: []string{"/bin/sh"}, Tools: []string{"["}},
	} {
		for _, cfg := range []hook.Config{{Pre: []hook.Command{c}}, {Post: []hook.Command{c}}} {
			if _, err := hook.New(cfg); err == nil || err.Error() != want {
				t.Errorf("%v; want %s", err, want)
			}
		}
	}
}
