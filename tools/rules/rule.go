package rules

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Rule is one line of a policy: a tool, or those calls of it a pattern covers.
type Rule struct {
	Tool string
	// Pattern is empty if the rule is for every call of the tool.
	Pattern string
}

// String returns the rule as [Parse] reads it.
func (r Rule) String() string {
	if r.Pattern == "" {
		return r.Tool
	}
	return r.Tool + "(" + r.Pattern + ")"
}

var toolName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.:/-]*$`)

// Parse reads `tool` or `tool(pattern)`. A pattern is kept as it stands; blanks
// around the rule are not part of it. Only bash and the file tools take one.
func Parse(text string) (Rule, error) {
	rest := strings.TrimSpace(text)
	tool, pattern, has := strings.Cut(rest, "(")
	if !toolName.MatchString(tool) {
		return Rule{}, fmt.Errorf("rule %q: want tool or tool(pattern)", text)
	}
	if !has {
		return Rule{Tool: tool}, nil
	}
	pattern, closed := strings.CutSuffix(pattern, ")")
	if !closed {
		return Rule{}, fmt.Errorf("rule %q: the pattern must end in )", text)
	}
	if strings.Trim(pattern, " \t") == "" {
		return Rule{}, fmt.Errorf("rule %q: the pattern is empty; write %s for all its calls", text, tool)
	}
	r := Rule{Tool: tool, Pattern: pattern}
	if tool == "bash" {
		return r, nil
	}
	if pathArguments[tool] == nil {
		return Rule{}, fmt.Errorf("rule %q: no pattern goes with %s, only with bash, %s", text, tool, strings.Join(slices.Sorted(maps.Keys(pathArguments)), ", "))
	}
	if _, err := compileGlob(pattern); err != nil {
		return Rule{}, fmt.Errorf("rule %q: %w", text, err)
	}
	return r, nil
}

// Warning tells of a rule that was accepted but does not do what it seems to.
type Warning struct {
	Rule string
	Text string // one sentence
}

// String returns the warning as a line for a person.
func (w Warning) String() string { return "rule " + w.Rule + ": " + w.Text }

// words is the pattern of a bash rule.
type words struct {
	rule Rule
	all  bool // covers every command: the tool alone, or `*`
	list []string
}

// compileWords splits a bash rule at blanks; nothing in it quotes. The warning
// is empty unless the rule can match nothing.
func compileWords(r Rule) (words, string) {
	list := strings.FieldsFunc(r.Pattern, func(c rune) bool { return c == ' ' || c == '\t' })
	if len(list) == 0 || len(list) == 1 && list[0] == "*" {
		return words{rule: r, all: true}, ""
	}
	if strings.Contains(list[0], "*") {
		return words{rule: r}, "it matches nothing, because a command's first word is compared whole; " +
			"only the rule bash(*) may start with *"
	}
	return words{rule: r, list: list}, ""
}

// exact reports whether the rule spells one command out.
func (p words) exact() bool { return !p.all && !strings.Contains(p.rule.Pattern, "*") }

// match compares a simple command whose first word is read as name.
func (p words) match(name string, args []word) bool {
	if p.all {
		return true
	}
	if len(p.list) == 0 || p.list[0] != name {
		return false
	}
	for i, want := range p.list[1:] {
		if want == "*" && i == len(p.list)-2 {
			return true
		}
		if i >= len(args) || args[i].dynamic || !star(want, args[i].text) {
			return false
		}
	}
	return len(args) == len(p.list)-1
}

// star reports whether text is pattern, in which `*` is any text, also none.
func star(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	first, last := parts[0], parts[len(parts)-1]
	if len(text) < len(first)+len(last) || !strings.HasPrefix(text, first) || !strings.HasSuffix(text, last) {
		return false
	}
	text = text[len(first) : len(text)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(text, part)
		if i < 0 {
			return false
		}
		text = text[i+len(part):]
	}
	return true
}
