package rules

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/weir-agents/weir/tools"
)

// Mode says what is asked where no rule decides.
type Mode string

// The modes. In each, what only reads inside the roots is not asked.
const (
	AskMode     Mode = "ask"          // changes and commands are asked
	ReadOnly    Mode = "read-only"    // changes and commands are denied
	AcceptEdits Mode = "accept-edits" // edits of files are allowed, commands asked
	Plan        Mode = "plan"         // as ReadOnly; the turn ends with a plan
	Bypass      Mode = "bypass"       // what no deny rule covers is allowed
)

// Config is what a [Policy] is made of.
type Config struct {
	// Mode is "ask" if empty.
	Mode Mode
	// Allow and Deny are rules as [Parse] reads them, from all sources.
	Allow, Deny []string
	// Interactive says that somebody can be asked. Without, what would ask is
	// denied.
	Interactive bool
	// Roots are the workspace's folders; paths are relative to the first. They
	// must exist and may be links. Without any, no path is inside.
	Roots []string
	// Readable are further folders that may be read but not written, such as
	// the one for cut output.
	Readable []string
	// Protected are files and folders whose change is always asked by itself,
	// beside `.weir` and what git runs: weir's configuration, state and sessions.
	Protected []string
}

// Policy decides by mode and rules. It is safe for several goroutines at once.
// It reads the names and links of files inside the roots.
type Policy struct {
	interactive bool
	roots       []root
	readable    []root // the roots too
	protected   []string
	deny        set

	mu    sync.RWMutex
	mode  Mode
	allow set
}

var _ tools.Policy = (*Policy)(nil)

// set is rules of one kind, compiled.
type set struct {
	tools    map[string]Rule
	files    []glob
	commands []words
}

// New makes a policy. A rule or mode that cannot be read and a root that does
// not exist are errors; a rule that cannot do what it seems to is a warning.
func New(c Config) (*Policy, []Warning, error) {
	p := &Policy{interactive: c.Interactive, allow: set{tools: map[string]Rule{}}, deny: set{tools: map[string]Rule{}}}
	if c.Mode == "" {
		c.Mode = AskMode
	}
	err := p.SetMode(c.Mode)
	var warnings []Warning
	for _, text := range c.Allow {
		err = errors.Join(err, p.allow.add(text, &warnings))
	}
	for _, text := range c.Deny {
		err = errors.Join(err, p.deny.add(text, &warnings))
	}
	roots, rootErr := openRoots(c.Roots)
	readable, readErr := openRoots(c.Readable)
	if err = errors.Join(err, rootErr, readErr); err != nil {
		return nil, nil, err
	}
	p.roots, p.readable = roots, append(slices.Clone(roots), readable...)
	for _, path := range c.Protected {
		if path, err = filepath.Abs(path); err != nil {
			return nil, nil, err
		}
		p.protected = append(p.protected, path, resolved(path))
	}
	return p, warnings, nil
}

func (s *set) add(text string, warnings *[]Warning) error {
	r, err := Parse(text)
	if err != nil {
		return err
	}
	switch {
	case r.Tool == "bash":
		compiled, warning := compileWords(r)
		if warning != "" {
			*warnings = append(*warnings, Warning{Rule: r.String(), Text: warning})
		}
		s.commands = append(s.commands, compiled)
	case r.Pattern == "":
		s.tools[r.Tool] = r
	default:
		g, err := compileGlob(r.Pattern)
		if err != nil {
			return err
		}
		g.rule = r
		s.files = append(s.files, g)
	}
	return nil
}

// Mode returns the mode that holds now.
func (p *Policy) Mode() Mode {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.mode
}

// SetMode changes the mode for the calls decided from now on.
func (p *Policy) SetMode(m Mode) error {
	switch m {
	case AskMode, ReadOnly, AcceptEdits, Plan, Bypass:
		p.mu.Lock()
		defer p.mu.Unlock()
		p.mode = m
		return nil
	}
	return fmt.Errorf("mode %q: want ask, read-only, accept-edits, plan or bypass", string(m))
}

// Remember adds an allow rule. A rule that would match nothing is an error.
func (p *Policy) Remember(rule string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	next := p.allow.clone()
	var warnings []Warning
	if err := next.add(rule, &warnings); err != nil {
		return err
	}
	if len(warnings) > 0 {
		return errors.New(warnings[0].String())
	}
	p.allow = next
	return nil
}

// clone copies the set, so that decisions under way keep theirs.
func (s set) clone() set {
	c := set{tools: map[string]Rule{}, files: slices.Clip(s.files), commands: slices.Clip(s.commands)}
	for name, r := range s.tools {
		c.tools[name] = r
	}
	return c
}

// Decide says whether a call may run. It resolves paths, so it may wait for the
// file system.
func (p *Policy) Decide(call tools.Call, spec tools.Spec) tools.Verdict {
	p.mu.RLock()
	d := decision{Policy: p, mode: p.mode, allow: p.allow, call: call, class: spec.Class}
	p.mu.RUnlock()
	if r, ok := p.deny.tools[call.Name]; ok {
		return denied(r, call.Name)
	}
	var err error
	if d.args, err = arguments(call.Arguments); err != nil {
		return tools.Verdict{Decision: tools.Deny, By: "rule", Reason: "the arguments cannot be read: " + err.Error()}
	}
	switch {
	case call.Name == "bash":
		return d.bash()
	case pathArguments[call.Name] != nil:
		return d.file()
	}
	return d.other()
}

// SuggestionText says in one sentence what a rule "always" would cover.
func SuggestionText(rule string) string {
	r, err := Parse(rule)
	switch {
	case err != nil || rule == "":
		return ""
	case r.Pattern == "":
		return "every call of " + r.Tool + " for the rest of the session"
	case r.Tool == "bash":
		return "exactly the command " + Show(strings.TrimSpace(r.Pattern)) +
			" for the rest of the session, also as part of a longer line; the sandbox still holds it"
	}
	return r.Tool + " of exactly " + ShowLine(r.Pattern) + " for the rest of the session"
}
