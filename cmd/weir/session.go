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
	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/tools"
	"github.com/weir-agents/weir/tools/rules"
)

// house is what the sessions of one run of the program share.
type house struct {
	up       upstream
	model    string
	pipe     *pipeline.Pipeline
	work     *tools.Workspace
	registry *tools.Registry
	policy   *rules.Policy
	// attended says that a person can be asked for approvals.
	attended bool
}

// open builds all that a session needs.
func (a *app) open(attended bool) (h *house, err error) {
	f := a.flags
	h = &house{attended: attended}
	if h.up, err = chooseUpstream(f, a.env, probe); err != nil {
		return nil, err
	}
	if h.up.demo() {
		a.warn("playing the built-in demo: " + h.up.why + "; set OPENAI_API_KEY or ANTHROPIC_API_KEY, or name a server with --base-url")
	}
	if h.work, h.registry, err = a.openTools(); err != nil {
		return nil, err
	}
	if h.policy, err = a.rules(h); err != nil {
		return nil, err
	}
	system, err := a.system(h.work.Roots())
	if err != nil {
		return nil, err
	}
	p, model, err := connect(f, h.up)
	if err != nil {
		return nil, err
	}
	h.model = model
	limits, err := a.limits(model)
	if err != nil {
		return nil, err
	}
	h.pipe, err = pipeline.New(p, pipeline.Config{
		Model: model, System: system, Tools: h.registry, Policy: h.policy, Limits: limits,
		Deltas:          map[string]pipeline.DeltaMode{"none": pipeline.DeltasNone, "text": pipeline.DeltasText, "tools": pipeline.DeltasTools}[f.Deltas],
		StrictArguments: f.Strict, NoStream: f.NoStream, Thinking: f.Thinking != "off", Fallback: f.Fallback,
		Version: buildVersion(), ProviderName: h.up.provider, Cwd: h.work.Roots()[0],
	})
	if err != nil {
		return nil, usageError{err.Error()}
	}
	return h, nil
}

// deltas says which pieces of an answer become events. A person sees the size
// of a call whose arguments still stream.
func (a *app) deltas(attended bool) pipeline.DeltaMode {
	switch {
	case a.flags.Deltas == "none":
		return pipeline.DeltasNone
	case a.flags.Deltas == "tools", attended && a.flags.Format == "text":
		return pipeline.DeltasTools
	}
	return pipeline.DeltasText
}

// close ends what open began, children too.
func (h *house) close() {
	h.pipe.Close()
	_ = h.work.Close() // handles for reading; nothing can be lost
}

func (a *app) limits(model string) (pipeline.Limits, error) {
	f := a.flags
	l := pipeline.Limits{
		Steps: f.MaxSteps, Attempts: f.Attempts, Tokens: f.MaxTokens, Cost: f.MaxCost,
		TurnTime: f.Timeout, ParallelCalls: f.Parallel, Eager: f.Eager,
	}
	if f.MaxCost == 0 && f.Price == "" {
		return l, nil
	}
	p, known, err := priceOf(model, f.Price)
	if err != nil {
		return l, err
	}
	if !known {
		a.warn(fmt.Sprintf("the price of %q is not known: --max-cost counts %g USD for a million tokens in and %g out; --price says better", model, p.in, p.out))
	}
	const million = 1e6
	l.Pricing = pipeline.Pricing{
		Input: p.in / million, Output: p.out / million, CacheRead: p.cacheRead / million, CacheWrite: p.cacheWrite / million,
	}
	return l, nil
}

// openTools opens the workspace and makes the tools that --tools leaves.
func (a *app) openTools() (*tools.Workspace, *tools.Registry, error) {
	f := a.flags
	root := f.Cwd
	if root == "" {
		root = "."
	}
	work, err := tools.OpenWorkspace(append([]string{root}, f.AddDir...)...)
	if err != nil {
		return nil, nil, usageError{err.Error()}
	}
	all := tools.Builtin(work, tools.Config{Env: os.Environ()})
	registry, err := tools.NewRegistry(all...)
	if err == nil && len(f.Tools) > 0 {
		registry, err = registry.Subset(f.Tools)
	}
	if err != nil {
		return nil, nil, usagef("--tools: %s", err)
	}
	return work, registry, nil
}

// rules makes the policy of --mode, --allow and --deny. A rule that cannot do
// what it seems to is told of.
func (a *app) rules(h *house) (*rules.Policy, error) {
	f := a.flags
	if f.Sandbox == "on" {
		return nil, usagef("--sandbox on: no sandbox is available on this machine; --sandbox auto goes on without")
	}
	policy, warnings, err := rules.New(rules.Config{
		Mode: rules.Mode(f.Mode), Allow: f.Allow, Deny: f.Deny, Interactive: h.attended, Roots: h.work.Roots(),
		Protected: a.dirs().all(),
	})
	if err != nil {
		return nil, usageError{err.Error()}
	}
	for _, w := range warnings {
		a.warn(w.String())
	}
	return policy, nil
}

//go:embed system.md
var systemPrompt string

// system returns the system prompt with what is to be known of this place.
func (a *app) system(roots []string) (string, error) {
	text := systemPrompt
	if a.flags.System != "" {
		own, err := os.ReadFile(a.flags.System)
		if err != nil {
			return "", usagef("--system: %s", err)
		}
		text = string(own)
	}
	text = strings.TrimSpace(text) + "\n\n# This place\n\n" +
		fmt.Sprintf("- Working directory: %s\n", render.Line(roots[0], 0))
	for _, dir := range roots[1:] {
		text += fmt.Sprintf("- Also open to you: %s\n", render.Line(dir, 0))
	}
	text += fmt.Sprintf("- System: %s/%s\n- Date: %s\n", runtime.GOOS, runtime.GOARCH, time.Now().Format(time.DateOnly))
	if branch := gitBranch(roots[0]); branch != "" {
		text += fmt.Sprintf("- Git branch: %s\n", render.Line(branch, 200))
	}
	if a.flags.Append != "" {
		text += "\n" + a.flags.Append + "\n"
	}
	return text, nil
}

// gitBranch reads the branch of the repository that dir is in, without running
// anything of it; "" if there is none.
func gitBranch(dir string) string {
	for range 40 {
		head, err := os.ReadFile(filepath.Join(dir, ".git", "HEAD"))
		if err == nil {
			branch, ok := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: refs/heads/")
			if !ok {
				return ""
			}
			return branch
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir = up
	}
	return ""
}
