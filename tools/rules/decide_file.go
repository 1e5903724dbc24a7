package rules

import (
	"errors"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/weir-agents/weir/tools"
)

// file decides about a file tool: the roots, the deny rules, then the rest.
func (d decision) file() tools.Verdict {
	roots := d.roots
	if d.class == tools.ReadOnly {
		roots = d.readable
	}
	var places []place
	for _, name := range pathArguments[d.call.Name] {
		asked, err := d.text(name)
		if err == nil && d.call.Name == "glob" {
			asked, err = d.base(asked)
		}
		if err != nil {
			return refused("the arguments cannot be read: " + err.Error())
		}
		at, err := locate(roots, asked)
		if err != nil {
			return refused("the path " + excerpt(asked) + " is denied: " + err.Error())
		}
		places = append(places, at)
	}
	for _, at := range places {
		if r, ok := d.deny.file(d.call.Name, at, roots); ok {
			return denied(r, d.call.Name+" of "+excerpt(at.describe(roots)))
		}
	}
	if d.class == tools.ReadOnly {
		return allowed("mode", "reading inside the workspace does not ask")
	}
	return d.change(places)
}

// change decides about a call that writes to the places.
func (d decision) change(places []place) tools.Verdict {
	if v, ok := d.reading(); ok {
		return v
	}
	for _, at := range places {
		if why := guarded(d.protected, at); why != "" {
			return d.ask("a change of "+excerpt(at.describe(d.roots))+" is always asked by itself, because "+why, "")
		}
	}
	if d.mode == Bypass || d.mode == AcceptEdits {
		return allowed("mode", "mode "+string(d.mode)+" allows changes inside the workspace")
	}
	if r, ok := d.allow.tools[d.call.Name]; ok {
		return allowed("rule", "the rule "+r.String()+" allows it")
	}
	for _, at := range places {
		r, ok := d.allow.covers(d.call.Name, at, d.roots)
		if !ok {
			name := at.describe(d.roots)
			return d.ask("no rule allows "+d.call.Name+" of "+excerpt(name), d.suggestFile(at, name))
		}
		if at == places[len(places)-1] {
			return allowed("rule", "the rule "+ShowLine(r.String())+" allows it")
		}
	}
	return d.ask("no rule allows "+d.call.Name, "")
}

// suggestFile returns the rule for one path, if there is one.
func (d decision) suggestFile(at place, name string) string {
	rule := Rule{Tool: d.call.Name, Pattern: literal(name)}
	if strings.ContainsAny(name, "\n\r") || strings.Trim(name, " \t") != name {
		return ""
	}
	var s set
	if s.add(rule.String(), new([]Warning)) != nil {
		return ""
	}
	if _, ok := s.covers(d.call.Name, at, d.roots); !ok {
		return ""
	}
	return rule.String()
}

// upwards finds a `..` element, also as a choice in braces.
var upwards = regexp.MustCompile(`(^|[/,{])\.\.($|[/,}])`)

// base returns the folder a glob call searches: its path and the folders of the
// pattern that are named without wildcards. A `..` behind a wildcard could lead
// anywhere, so it counts as leading to the top.
func (d decision) base(asked string) (string, error) {
	pattern, err := d.text("pattern")
	if err != nil {
		return "", err
	}
	fixed, rest := doublestar.SplitPattern(pattern)
	if upwards.MatchString(rest) {
		return "/", nil
	}
	switch {
	case path.IsAbs(fixed):
		return fixed, nil
	case asked == "":
		return fixed, nil
	}
	return asked + "/" + fixed, nil
}

// file returns the deny rule of a tool that covers a place. What searches must
// not show what read_file may not read.
func (s set) file(tool string, at place, roots []root) (Rule, bool) {
	n := at.denied(roots)
	for _, g := range s.files {
		if g.rule.Tool == tool && g.covers(n) {
			return g.rule, true
		}
		if g.rule.Tool == "read_file" && searches(tool) && !slices.Contains(n.relative, ".") && g.covers(n) {
			return g.rule, true
		}
	}
	return Rule{}, false
}

func searches(tool string) bool { return tool == "grep" || tool == "glob" || tool == "list_dir" }

// covers returns the allow rule of a tool that covers a place.
func (s set) covers(tool string, at place, roots []root) (Rule, bool) {
	n := at.allowed(roots)
	for _, g := range s.files {
		if g.rule.Tool == tool && g.coversBelow(n) {
			return g.rule, true
		}
	}
	return Rule{}, false
}

// Denied reports whether a result of a tool at path, relative to the first root
// or absolute, must be left out: a deny rule covers it, or it cannot be said
// where it leads. For grep, glob and list_dir, which follow no link that they
// find, the rules of read_file hold as well, and a link that leads outside or in
// circles is a name like any other. Without rules that could matter it looks at
// no file. It is what tools.Config.Denied wants.
func (p *Policy) Denied(tool, path string) bool {
	if _, ok := p.deny.tools[tool]; ok {
		return true
	}
	matters := slices.ContainsFunc(p.deny.files, func(g glob) bool {
		return g.rule.Tool == tool || g.rule.Tool == "read_file" && searches(tool)
	})
	if !matters {
		return false
	}
	at, err := locate(p.readable, path)
	switch {
	case err == nil:
	case searches(tool) && (errors.Is(err, errOutside) || errors.Is(err, errLoop)):
		at.real = at.asked
	default:
		return true
	}
	_, denied := p.deny.file(tool, at, p.readable)
	return denied
}
