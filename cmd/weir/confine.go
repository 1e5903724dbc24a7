package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/weir-agents/weir/tools/rules"
	"github.com/weir-agents/weir/tools/sandbox"
)

// secretPlaces are what commands must not see of a home.
var secretPlaces = []string{
	".ssh", ".gnupg", ".aws", ".azure", ".kube", ".config/gcloud", ".config/gh", ".docker/config.json",
	".netrc", ".npmrc", ".pypirc", ".git-credentials", ".config/git/credentials", ".local/share/keyrings",
}

// confinement is the sandbox of a run's commands, made when the first command
// needs it: that takes some time, and most turns run none. With --sandbox on it
// is made at once, since there must be one.
type confinement struct {
	cfg  sandbox.Config
	make sync.Once
	box  *sandbox.Sandbox
	got  string
	err  error
}

// confine prepares the sandbox of commands that work in roots.
func (a *app) confine(roots []string) (*confinement, error) {
	mode, err := sandbox.ParseMode(a.flags.Sandbox)
	if err != nil {
		return nil, usageError{err.Error()}
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program itself, for the sandbox: %w", err)
	}
	c := &confinement{cfg: sandbox.Config{Mode: mode, Exe: exe, Roots: roots, KeepBackground: true, Hidden: a.dirs().all()}}
	if home := a.env("HOME"); filepath.IsAbs(home) {
		for _, place := range secretPlaces {
			c.cfg.Hidden = append(c.cfg.Hidden, filepath.Join(home, place))
		}
	}
	c.cfg.Hidden = append(c.cfg.Hidden, plainlyDenied(a.flags.Deny, roots)...)
	c.cfg.Repositories = true
	for _, root := range roots {
		c.cfg.ReadOnlyInside = append(c.cfg.ReadOnlyInside, filepath.Join(root, ".weir")+"/") // made if missing
	}
	if mode == sandbox.On {
		if c.build(); c.err != nil {
			return nil, usagef("--sandbox on: %s", c.err)
		}
	}
	return c, nil
}

// plainlyDenied are the files and folders that exist and that a deny on
// read_file names without wildcards, but for a last /**: what no file tool may
// read, commands shall not see.
func plainlyDenied(deny, roots []string) []string {
	var hidden []string
	for _, text := range deny {
		rule, err := rules.Parse(text)
		if err != nil || rule.Tool != "read_file" || rule.Pattern == "" {
			continue
		}
		path, below := strings.CutSuffix(rule.Pattern, "/**")
		if strings.ContainsAny(path, "*?[") {
			continue
		}
		for _, root := range roots {
			full := filepath.Join(root, path)
			if filepath.IsAbs(path) {
				full = filepath.Clean(path)
			}
			info, err := os.Stat(full)
			holds := slices.ContainsFunc(roots, func(r string) bool { return strings.HasPrefix(r+"/", full+"/") })
			if err == nil && info.IsDir() == below && !holds {
				hidden = append(hidden, full)
			}
		}
	}
	return hidden
}

func (c *confinement) build() { c.make.Do(func() { c.box, c.got, c.err = sandbox.New(c.cfg) }) }

// wrap confines a command. After an error it must not run.
func (c *confinement) wrap(cmd *exec.Cmd) error {
	c.build()
	if c.err != nil {
		return c.err
	}
	return c.box.Wrap(cmd)
}

// contained reports whether nothing that a command starts can escape.
func (c *confinement) contained() bool {
	c.build()
	return c.err == nil && c.box.Kind() == sandbox.Bubblewrap
}

// text says what confines commands.
func (c *confinement) text() string {
	c.build()
	if c.err != nil {
		return "no command can run: " + c.err.Error()
	}
	return c.got
}

// close ends it. No command may run any more.
func (c *confinement) close() {
	c.make.Do(func() {}) // it is not wanted any more
	if c.box != nil {
		_ = c.box.Close() // what is left in the temporary folder harms nobody
	}
}
