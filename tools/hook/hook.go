// Package hook runs programs of the user's before and after tool calls: one
// before may refuse a call or have it asked, one after may change what the model
// gets.
//
// A program gets one JSON object on its standard input:
//
//	{"event": "pre_tool", "session": "s1", "turn": "t1", "call": "c1", "name": "bash",
//	 "arguments": {"command": "ls"}}
//
// with "event": "post_tool" also "result": {"text": "…", "error_kind": "failed",
// "truncated": true}, the last two only if they say something. It answers with
// one JSON object on its standard output. Before a call:
//
//	{"decision": "allow", "reason": "…", "arguments": {…}}
//
// The decision is allow, ask or deny. To allow is to have no objection; it takes
// no refusal and no question of the rules away. With arguments the call is
// refused, whatever the decision, and the model is told what the hook would have,
// because what a person approves must be what runs. Whatever else happens before
// a call refuses it too: no answer, one that cannot be read, another exit code
// than 0, too long an answer, too long a time.
//
// After a call {"text": "…"} replaces the text of the result; {} and no output at
// all leave it. What goes wrong leaves it too, and is told in a notice.
//
// A program runs without a shell and without a terminal. When its time is over
// or its turn is canceled it is ended, with all that it has started. It is for the
// caller to give only hooks that the user, not a project that is not trusted, has
// configured.
package hook

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/weir-agents/weir/tools"
)

// timeoutDefault is how long a hook may take if it does not say.
const timeoutDefault = 10 * time.Second

// Command is one hook.
type Command struct {
	// Argv is the program, by its absolute path so that nothing in a workspace
	// can take its place, and its arguments.
	Argv []string
	// Tools names the tools it is for, exactly or as a glob such as "*_file";
	// none means all.
	Tools []string
	// Timeout is how long it may take; 0 means 10 s.
	Timeout time.Duration
}

// Config says which hooks there are. Its zero value has none.
type Config struct {
	// Pre run before a call, in order; the first that refuses is the last.
	Pre []Command
	// Post run after a call, in order; each sees what the one before has made
	// of the result.
	Post []Command
	// Env is the whole environment of the hooks, but for WEIR_CALL, which names
	// what belongs to one; the caller has taken the secrets out.
	Env []string
	// Exe is as in [tools.Config]: with it nothing that a hook has started gets
	// away when its time is over, and nothing outlives the program.
	Exe string
	// Dir is the folder they run in; "" means that of the program.
	Dir string
	// Session is told to them.
	Session string
	// Interactive says that somebody can be asked. Without, what a hook wants
	// asked is refused.
	Interactive bool
	// Notice is told what went wrong after a call. Nil drops it. It may be
	// called from several goroutines at once.
	Notice func(text string)
}

// Hooks runs hooks. Its methods may be called from several goroutines at once.
type Hooks struct{ cfg Config }

// New checks cfg. It starts nothing.
func New(cfg Config) (*Hooks, error) {
	for _, c := range slices.Concat(cfg.Pre, cfg.Post) {
		switch {
		case len(c.Argv) == 0:
			return nil, errors.New("hook: a hook without a program")
		case !filepath.IsAbs(c.Argv[0]):
			return nil, fmt.Errorf("hook %q: must be an absolute path", c.Argv[0])
		case c.Timeout < 0:
			return nil, fmt.Errorf("hook %s: timeout %v: must be positive", c.Argv[0], c.Timeout)
		}
		for _, pattern := range c.Tools {
			if _, err := path.Match(pattern, ""); err != nil {
				return nil, fmt.Errorf("hook %s: tools %q: not a pattern", c.Argv[0], pattern)
			}
		}
	}
	return &Hooks{cfg: cfg}, nil
}

// covers reports whether the hook is for that tool.
func (c Command) covers(tool string) bool {
	return len(c.Tools) == 0 || slices.ContainsFunc(c.Tools, func(pattern string) bool {
		ok, _ := path.Match(pattern, tool) // New has read the pattern.
		return ok
	})
}

// policy asks the hooks about what another lets through.
type policy struct {
	tools.Policy
	hooks *Hooks
}

// Policy returns a policy that decides as inner does, and then asks the hooks
// about what inner has not denied. It is never laxer than inner. Its Decide takes
// as long as the hooks do.
func (h *Hooks) Policy(inner tools.Policy) tools.Policy {
	if len(h.cfg.Pre) == 0 {
		return inner
	}
	return policy{Policy: inner, hooks: h}
}

// Decide implements [tools.Policy].
func (p policy) Decide(call tools.Call, spec tools.Spec) tools.Verdict {
	verdict := p.Policy.Decide(call, spec)
	for _, c := range p.hooks.cfg.Pre {
		if verdict.Decision != tools.Allow && verdict.Decision != tools.Ask {
			return verdict
		}
		if !c.covers(call.Name) {
			continue
		}
		decision, reason := p.hooks.before(c, call)
		if decision == tools.Ask && !p.hooks.cfg.Interactive {
			decision, reason = tools.Deny, "it would have to be asked and nobody can be: "+reason
		}
		if decision != tools.Allow {
			// No rule would keep the hook from asking again, so none is suggested.
			verdict = tools.Verdict{Decision: decision, By: "rule", Reason: reason}
		}
	}
	return verdict
}
