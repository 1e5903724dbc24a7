package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/weir-agents/weir/cmd/weir/internal/render"
)

//go:embed system.md
var systemPrompt string

// system returns the system prompt: the built-in one or --system, what the
// folder's and the user's instruction files say, and what is to be known of
// this place.
func (a *app) system(roots []string) (string, error) {
	text := systemPrompt
	if a.flags.System != "" {
		own, err := os.ReadFile(a.flags.System)
		if err != nil {
			return "", usagef("--system: %s", err)
		}
		text = string(own)
	}
	text = strings.TrimSpace(text) + "\n\n# This place\n\n" + place(roots)
	for _, in := range instructions(roots[0], a.dirs().config, a.warn) {
		text += fmt.Sprintf("\n# Instructions from %s\n\n%s\n", render.Line(in.name, 0), strings.TrimSpace(in.text))
	}
	if a.flags.Append != "" {
		text += "\n" + a.flags.Append + "\n"
	}
	return text, nil
}

// place says where and when a session takes place.
func place(roots []string) string {
	text := fmt.Sprintf("- Working directory: %s\n", render.Line(roots[0], 0))
	for _, dir := range roots[1:] {
		text += fmt.Sprintf("- Also open to you: %s\n", render.Line(dir, 0))
	}
	text += fmt.Sprintf("- System: %s/%s\n- Date: %s\n", runtime.GOOS, runtime.GOARCH, time.Now().Format(time.DateOnly))
	if branch := gitBranch(roots[0]); branch != "" {
		text += fmt.Sprintf("- Git branch: %s\n", render.Line(branch, 200))
	}
	return text
}

// gitBranch reads the branch of the repository that dir is in, without running
// anything of it; "" if there is none.
func gitBranch(dir string) string {
	top := repository(dir)
	if top == "" {
		return ""
	}
	head := readInside(top, ".git/HEAD", 4<<10)
	branch, ok := strings.CutPrefix(strings.TrimSpace(head), "ref: refs/heads/")
	if !ok {
		return ""
	}
	return branch
}

// repository returns the folder above dir, or dir, that holds .git; "" if there
// is none.
func repository(dir string) string {
	for range 40 {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir = up
	}
	return ""
}
