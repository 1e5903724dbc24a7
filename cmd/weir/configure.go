package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/weir-agents/weir/cmd/weir/internal/config"
	"github.com/weir-agents/weir/cmd/weir/internal/render"
	"github.com/weir-agents/weir/tools/rules"
)

// configure reads the command line together with the config files. Without
// attended a project that is not trusted may only narrow; with it the person
// can be asked, and until then its file is not read.
func (a *app) configure(args []string, attended bool) (err error) {
	from := a.given
	root := a.flags.Cwd
	if root == "" {
		root = "."
	}
	if root, err = filepath.Abs(root); err != nil {
		return err
	}
	if info, err := os.Stat(root); err != nil { // said once, here, and not by whatever needs it
		return usagef("--cwd: %s: name a folder that is there", err)
	} else if !info.IsDir() {
		return usagef("--cwd: %s is no folder: name one", root)
	}
	dirs := a.dirs()
	a.trust = config.NewTrustStore(dirs.state)
	a.config, err = config.Load(config.Input{
		Flags: from.flags, Defaults: from.defaults, Env: a.env, UserDir: dirs.config,
		ProjectRoot: root, Trust: a.trust.Level(root, attended),
	})
	if err != nil {
		return usageError{err.Error()}
	}
	if a.flags, a.command, _, err = parse(args, a.std.Out, resolver{a.config}); err != nil {
		return err
	}
	if a.flags.Allow, err = a.ruleTexts("allow"); err == nil {
		a.flags.Deny, err = a.ruleTexts("deny")
	}
	return err
}

// ruleTexts returns the rules of every layer. One that cannot be read is an
// error with its place; of a project that is not trusted it does not count.
func (a *app) ruleTexts(name string) ([]string, error) {
	var texts []string
	for _, p := range a.config.Get(name).Parts {
		_, err := rules.Parse(p.Text)
		switch {
		case err == nil:
			texts = append(texts, p.Text)
		case a.config.Doubtful(p):
			a.config.Refused = append(a.config.Refused, fmt.Sprintf("%s: %s does not count: %s", p.From, name, err))
		default:
			return nil, usagef("%s: %s", p.From, err)
		}
	}
	return texts, nil
}

// toolNames returns what the lists of tools name, less what a project that is
// not trusted names and there is not.
func (a *app) toolNames(all []string) []string {
	names := a.flags.Tools
	for _, p := range a.config.Get("tools").Parts {
		if a.config.Doubtful(p) && p.Text != "none" && !slices.Contains(all, p.Text) {
			a.warn(fmt.Sprintf("%s: tools: there is no %q, or it is off", p.From, p.Text))
			names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == p.Text })
		}
	}
	if len(names) == 0 && len(a.flags.Tools) > 0 {
		return []string{"none"}
	}
	return names
}

// fetches reports whether web_fetch is wanted: it is off until the person, or a
// project that is trusted, allows it or names it among the tools.
func (a *app) fetches() bool {
	const name = "web_fetch"
	return slices.Contains(a.flags.Allow, name) || slices.ContainsFunc(a.config.Get("tools").Parts, func(p config.Part) bool {
		return p.Text == name && !a.config.Doubtful(p)
	})
}

// given is what a command line says by itself.
type given struct {
	flags, defaults map[string][]string
}

// givenBy reads what flags a parsed command line has set.
func givenBy(ctx *kong.Context) given {
	g := given{flags: map[string][]string{}, defaults: map[string][]string{}}
	for _, f := range ctx.Model.Flags {
		if f.HasDefault && f.Default != "" {
			g.defaults[f.Name] = []string{f.Default}
		}
	}
	for _, p := range ctx.Path {
		if p.Flag == nil || p.Resolved {
			continue
		}
		switch v := ctx.FlagValue(p.Flag).(type) {
		case []string:
			g.flags[p.Flag.Name] = v
		default:
			g.flags[p.Flag.Name] = []string{fmt.Sprint(v)}
		}
	}
	return g
}

// resolver gives a flag parser what the config files say.
type resolver struct{ *config.Settings }

// Validate has nothing to do: the files have been checked.
func (resolver) Validate(*kong.Application) error { return nil }

// Resolve returns the value that a file gives a flag.
func (r resolver) Resolve(_ *kong.Context, _ *kong.Path, f *kong.Flag) (any, error) {
	v, ok := r.Flag(f.Name)
	if !ok {
		return nil, nil
	}
	return v, nil
}

// tellRefused says what of a project's file does not count.
func (a *app) tellRefused() {
	for _, text := range a.config.Refused {
		a.warn(text)
	}
}

// printConfig says what holds and where each value came from.
func (a *app) printConfig() error {
	var b strings.Builder
	for _, set := range a.config.All() {
		if len(set.Parts) == 0 {
			fmt.Fprintf(&b, "%-20s %-24s not set\n", set.Name, "")
		}
		for _, p := range set.Parts {
			fmt.Fprintf(&b, "%-20s %-24s %s\n", set.Name, render.Line(p.Text, 0), render.Line(p.From, 0))
		}
	}
	a.tellRefused()
	_, err := a.std.Out.Write([]byte(b.String()))
	return err
}
