package rules

import (
	"path"
	"slices"
	"strings"

	"github.com/weir-agents/weir/tools"
)

// bash decides about a command line.
func (d decision) bash() tools.Verdict {
	command, err := d.text("command")
	if err != nil {
		return refused("the arguments cannot be read: " + err.Error())
	}
	dir, err := d.text("cwd")
	if err != nil {
		return refused("the arguments cannot be read: " + err.Error())
	}
	l := readLine(command)
	if r, what := d.deny.command(l); what != "" {
		return denied(r, what)
	}
	if dir != "" {
		if _, err := locate(d.roots, dir); err != nil {
			return refused("the folder " + excerpt(dir) + " is denied: " + err.Error())
		}
	}
	if d.mode == Bypass {
		return d.bypass(l)
	}
	if v, ok := d.reading(); ok {
		return v
	}
	if l.blind != "" {
		return d.ask(l.blind, "")
	}
	by, why := d.allow.line(l)
	if why == "" {
		return allowed("rule", by)
	}
	return d.ask(why, d.suggest(l))
}

// bypass allows what no deny covers; where that cannot be told, it asks.
func (d decision) bypass(l *line) tools.Verdict {
	why := l.unread
	if why == "" {
		why = l.blind
	}
	if why != "" && len(d.deny.commands) > 0 {
		return d.ask("a deny rule might cover it, but "+why, "")
	}
	return allowed("mode", "mode bypass allows it")
}

// command returns the deny rule that covers any command of the line, by the
// name it is called by or its base name, and what it covers; empty if none does.
func (s set) command(l *line) (r Rule, what string) {
	for _, w := range s.commands {
		if w.all {
			return w.rule, "every command"
		}
		for _, list := range [][]simple{l.cmds, l.hidden} {
			for _, c := range list {
				first := c.words[0]
				if first.dynamic {
					continue
				}
				if w.match(first.text, c.words[1:]) || w.match(path.Base(first.text), c.words[1:]) {
					return w.rule, excerpt(c.source())
				}
			}
		}
	}
	return Rule{}, ""
}

// line returns by what rules a line is allowed, or else why it is not.
func (s set) line(l *line) (by, why string) {
	if l.never != "" {
		return "", l.never
	}
	var used []string
	for _, c := range l.cmds {
		r, why := s.simple(c)
		if why != "" {
			return "", why
		}
		if !slices.Contains(used, r.String()) {
			used = append(used, r.String())
		}
	}
	if len(l.cmds) == 0 {
		i := slices.IndexFunc(s.commands, func(w words) bool { return w.all })
		if i < 0 {
			return "", "no rule allows a line without a command"
		}
		used = []string{s.commands[i].rule.String()}
	}
	if len(used) == 1 {
		return "the rule " + ShowLine(used[0]) + " covers every command in it", ""
	}
	return "the rules " + ShowLine(strings.Join(used, ", ")) + " cover every command in it", ""
}

// simple returns the rule that covers one command, or else why none does.
func (s set) simple(c simple) (Rule, string) {
	loose := false
	for _, w := range s.commands {
		if !w.match(c.words[0].text, c.words[1:]) {
			continue
		}
		if !c.evaluated || w.exact() || w.all {
			return w.rule, ""
		}
		loose = true
	}
	text := excerpt(c.source())
	if loose {
		return Rule{}, "bash evaluates what " + text + " prints as arithmetic, so only a rule without * could allow it"
	}
	for _, w := range c.words {
		if w.dynamic && s.wouldMatch(c) {
			return Rule{}, "no rule allows " + text + ": " + excerpt(w.src) + " is an expansion, which only a last * in a rule covers"
		}
	}
	return Rule{}, "no rule allows " + text
}

// wouldMatch reports whether the expansions alone keep the rules from matching.
func (s set) wouldMatch(c simple) bool {
	return slices.ContainsFunc(s.commands, func(w words) bool { return len(w.list) > 0 && w.list[0] == c.words[0].text })
}

// source returns the command as it was written, its words joined by one blank.
func (c simple) source() string {
	parts := make([]string, len(c.words))
	for i, w := range c.words {
		parts[i] = w.src
	}
	return strings.Join(parts, " ")
}

// suggest returns the rule for the one command of the line that no rule covers
// yet. There is none if two are missing, or if no rule means just that command.
func (d decision) suggest(l *line) string {
	suggestion := ""
	for _, c := range l.cmds {
		if _, why := d.allow.simple(c); why == "" {
			continue
		}
		rule := c.rule()
		if rule == "" || suggestion != "" && rule != suggestion {
			return ""
		}
		suggestion = rule
	}
	if suggestion == "" {
		return ""
	}
	with := d.allow.clone()
	if with.add(suggestion, new([]Warning)) != nil {
		return ""
	}
	if _, why := with.line(l); why != "" {
		return ""
	}
	return suggestion
}

// rule returns the rule that covers this command and no other, if there is one.
func (c simple) rule() string {
	var parts []string
	for _, w := range c.words {
		if w.dynamic || w.text == "" || strings.ContainsAny(w.text, " \t\n*") {
			return ""
		}
		parts = append(parts, w.text)
	}
	return Rule{Tool: "bash", Pattern: strings.Join(parts, " ")}.String()
}
