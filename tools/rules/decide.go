package rules

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/weir-agents/weir/tools"
)

// pathArguments are the file tools and the arguments of theirs that are paths.
// A call without one means the first root.
var pathArguments = map[string][]string{
	"read_file": {"path"}, "list_dir": {"path"}, "glob": {"path"}, "grep": {"path"},
	"write_file": {"path"}, "edit_file": {"path"},
}

// decision is one call being decided, with the rules of that moment.
type decision struct {
	*Policy
	mode  Mode
	allow set
	call  tools.Call
	class tools.Class
	args  map[string]json.RawMessage
}

// arguments splits a call's arguments without guessing: the tool must not read
// another value than the policy did.
func arguments(raw json.RawMessage) (map[string]json.RawMessage, error) {
	var args map[string]json.RawMessage
	if len(raw) == 0 {
		return args, nil
	}
	if err := json.Unmarshal(raw, &args); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for name := range args {
		if seen[strings.ToLower(name)] {
			return nil, fmt.Errorf("%q is given twice", name)
		}
		seen[strings.ToLower(name)] = true
	}
	return args, nil
}

// text returns an argument that is a string; empty if it is not given.
func (d decision) text(name string) (string, error) {
	raw, ok := d.args[name]
	if !ok || string(raw) == "null" {
		return "", nil
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", errors.New(name + " must be a string")
	}
	return s, nil
}

// denied is the verdict of a deny rule on what, such as a path.
func denied(r Rule, what string) tools.Verdict {
	return refused("the rule " + ShowLine(r.String()) + " denies " + what)
}

func refused(why string) tools.Verdict {
	return tools.Verdict{Decision: tools.Deny, By: "rule", Reason: why}
}

func allowed(by, why string) tools.Verdict {
	return tools.Verdict{Decision: tools.Allow, By: by, Reason: why}
}

// reading reports whether the mode lets nothing change, and the verdict then.
func (d decision) reading() (tools.Verdict, bool) {
	hint := "use read_file, list_dir, glob and grep"
	switch d.mode {
	case ReadOnly:
	case Plan:
		hint += ", and put the change into your plan"
	default:
		return tools.Verdict{}, false
	}
	return tools.Verdict{Decision: tools.Deny, By: "mode", Reason: fmt.Sprintf(
		"in mode %s no tool may change a file or run a command; %s", d.mode, hint)}, true
}

// ask is the verdict of what nothing decides.
func (d decision) ask(why, suggestion string) tools.Verdict {
	if !d.interactive {
		return tools.Verdict{Decision: tools.Deny, By: "mode", Reason: "it would have to be asked and nobody can be: " + why}
	}
	return tools.Verdict{Decision: tools.Ask, By: "mode", Reason: why, Suggestion: suggestion}
}

// other decides about tools that are neither bash nor file tools.
func (d decision) other() tools.Verdict {
	if d.class == tools.ReadOnly {
		return allowed("mode", d.call.Name+" changes nothing")
	}
	if v, ok := d.reading(); ok {
		return v
	}
	if d.mode == Bypass {
		return allowed("mode", "mode bypass allows it")
	}
	if r, ok := d.allow.tools[d.call.Name]; ok {
		return allowed("rule", "the rule "+r.String()+" allows it")
	}
	if d.call.Name == "job_kill" {
		return allowed("mode", "it ends only a job that this session started")
	}
	return d.ask("no rule allows "+d.call.Name, d.call.Name)
}
