package main

import (
	_ "embed"
	"os"
	"runtime"
	"time"

	"github.com/weir-agents/weir/cmd/weir/internal/workspace"
)

//go:embed system.md
var systemPrompt string

// system returns the system prompt: the built-in one or --system, what is to be
// known of this place, the instruction files of the folder and the user, and
// what the person keeps.
func (a *app) system(roots []string) (string, error) {
	base := systemPrompt
	if a.flags.System != "" {
		own, err := os.ReadFile(a.flags.System)
		if err != nil {
			return "", usagef("--system: %s", err)
		}
		base = string(own)
	}
	docs, notes := workspace.Instructions(roots[0], a.env("HOME"), a.dirs().config)
	for _, note := range notes {
		a.warn(note)
	}
	return workspace.Prompt{
		Base: base, Roots: roots, Date: time.Now(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Git: workspace.ReadGit(roots[0]), Docs: docs, Memory: workspace.NewMemory(a.dirs().config).Text(), Append: a.flags.Append,
	}.String(), nil
}

// places are where commands and skills come from: the user's folder, and that of
// a project that is trusted.
func (a *app) places(root string) workspace.Places {
	p := workspace.Places{User: a.dirs().config}
	if a.trust.Trusted(root) {
		p.Project = root
	}
	return p
}
