package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/weir-agents/weir/cmd/weir/internal/config"
	"github.com/weir-agents/weir/cmd/weir/internal/workspace"
	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/tools"
	"github.com/weir-agents/weir/tools/hook"
	"github.com/weir-agents/weir/tools/rules"
	"github.com/weir-agents/weir/tools/sandbox"
)

// house is what the sessions of one run of the program share.
type house struct {
	up       upstream
	provider provider.Provider
	pipe     *pipeline.Pipeline
	work     *tools.Workspace
	registry *tools.Registry
	policy   *rules.Policy
	hook     *hook.Hooks
	tools    []string // the names of all there can be, for rules
	commands []workspace.Command
	confined *confinement
	first    string // the model that a session of pipe begins with
	context  int    // tokens that every model takes; 0: by its name
	spill    string // folder of long output; "" for none
	// unsaved is why nothing can be saved, nil if it can.
	unsaved     error
	unsavedTold bool
	// attended says that a person can be asked for approvals.
	attended bool

	session atomic.Pointer[pipeline.Session] // the one that is open
	boxTold atomic.Pointer[pipeline.Session] // the last that was told of the sandbox

	model atomic.Pointer[string]      // asked from the next step on; useModel sets it
	scope atomic.Pointer[tools.Scope] // of the session, once a tool was called
	// status returns what the steps of the session are told of the repository.
	status atomic.Pointer[func() string]
}

// begin opens a session.
func (h *house) begin() (*pipeline.Session, error) {
	s, err := h.pipe.Open("")
	if err != nil {
		return nil, err
	}
	h.session.Store(s)
	h.lookAtGit()
	if now := *h.model.Load(); now != h.first {
		if err := s.UseModel(context.Background(), now); err != nil { // it answers at once
			return nil, err
		}
	}
	if h.unsaved != nil && !h.unsavedTold {
		h.unsavedTold = true
		s.Tell(pipeline.Notice{
			Level: "warn", Code: "unsaved", Text: fmt.Sprintf("no history, answer or long output is saved: %v", h.unsaved),
		})
	}
	return s, nil
}

// useModel has another model asked in s, and in the sessions after it.
func (h *house) useModel(ctx context.Context, s *pipeline.Session, model string) error {
	if err := s.UseModel(ctx, model); err != nil {
		return err
	}
	h.model.Store(&model)
	return nil
}

// window is how many tokens the model takes.
func (h *house) window() int { return cmp.Or(h.context, pipeline.ContextTokens(*h.model.Load())) }

// wrap confines a command, and tells what of the sandbox was got before the
// first one of a session.
func (h *house) wrap(cmd *exec.Cmd) error {
	if err := h.confined.wrap(cmd); err != nil {
		return err
	}
	s, got := h.session.Load(), h.confined.got
	if s == nil || h.confined.cfg.Mode == sandbox.Off || h.boxTold.Swap(s) == s {
		return nil
	}
	n := pipeline.Notice{Level: "info", Code: "sandbox", Got: got, Text: "commands run confined: " + got}
	if why, none := strings.CutPrefix(got, "none: "); none {
		n.Level, n.Text = "warn", "commands do not run confined: "+why
	}
	s.Tell(n)
	return nil
}

// open builds all that a session needs.
func (a *app) open(attended bool) (*house, error) {
	h := &house{attended: attended}
	if err := a.fill(h); err != nil {
		h.close()
		return nil, err
	}
	return h, nil
}

func (a *app) fill(h *house) (err error) {
	f := a.flags
	if h.up, err = chooseUpstream(f, a.env, a.config.Vendors, probe); err != nil {
		return err
	}
	if h.up.demo() {
		a.warn("playing the built-in demo: " + h.up.why + "; set OPENAI_API_KEY or ANTHROPIC_API_KEY, or name a server with --base-url")
	}
	if err = a.openTools(h); err != nil {
		return err
	}
	if h.policy, err = a.rules(h); err != nil {
		return err
	}
	if err = a.openHooks(h); err != nil {
		return err
	}
	system, err := a.system(h.work.Roots())
	if err != nil {
		return err
	}
	p, model, err := connect(f, h.up)
	if err != nil {
		return err
	}
	h.provider = p
	h.model.Store(&model)
	h.first, h.context = model, f.Context
	limits, err := a.limits(model)
	if err != nil {
		return err
	}
	h.pipe, err = pipeline.New(p, pipeline.Config{
		Model: model, System: system, Tools: h.registry, Policy: keeping{h.hook.Policy(h.policy)}, Limits: limits, Hooks: h.hooks(),
		Deltas: a.deltas(h.attended), Compaction: pipeline.Compaction{ContextTokens: f.Context},
		StrictArguments: f.Strict, NoStream: f.NoStream, Thinking: f.Thinking != "off", Fallback: f.Fallback,
		Version: buildVersion(), ProviderName: h.up.provider, Cwd: h.work.Roots()[0],
	})
	if err != nil {
		return usageError{err.Error()}
	}
	return nil
}

// hooks tell the model of the repository and the mode, and let a talk look at what tools have written.
func (h *house) hooks() pipeline.Hooks {
	return pipeline.Hooks{
		BeforeStep: h.beforeStep,
		BeforeCall: func(_ context.Context, call tools.Call) *tools.Result {
			h.scope.Store(call.Scope)
			return nil
		},
		AfterCall: h.hook.AfterCall,
	}
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
	if h.pipe != nil {
		h.pipe.Close()
	}
	if h.confined != nil {
		h.confined.close()
	}
	if h.spill != "" {
		_ = os.RemoveAll(h.spill) // what is left is the owner's
	}
	if h.work != nil {
		_ = h.work.Close() // handles for reading; nothing can be lost
	}
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
func (a *app) openTools(h *house) (err error) {
	f := a.flags
	root := f.Cwd
	if root == "" {
		root = "."
	}
	for _, dir := range f.AddDir {
		if info, err := os.Stat(dir); err != nil {
			return usagef("--add-dir: %s: name a folder that is there", err)
		} else if !info.IsDir() {
			return usagef("--add-dir: %s is no folder: name one", dir)
		}
	}
	if h.work, err = tools.OpenWorkspace(append([]string{root}, f.AddDir...)...); err != nil {
		return usageError{err.Error()}
	}
	if h.confined, err = a.confine(h.work.Roots()); err != nil {
		return err
	}
	h.spill, h.unsaved = a.spillDir()
	places := a.places(h.work.Roots()[0])
	skills, notes := workspace.LoadSkills(places)
	var more []string
	h.commands, more = besideOurs(workspace.Commands(places))
	for _, note := range append(notes, more...) {
		a.warn(note)
	}
	var own []tools.Tool
	if h.attended {
		if own, err = a.rememberTool(); err != nil {
			return err
		}
	}
	h.registry, err = tools.NewRegistry(append(tools.Builtin(h.work, tools.Config{
		Env: os.Environ(), SecretEnv: keyVariables(), Wrap: h.wrap, SpillDir: h.spill, Skills: skills,
		WebFetch: a.fetches(), Exe: h.confined.cfg.Exe, Contained: h.confined.contained,
		Denied: func(tool, path string) bool { return h.policy.Denied(tool, path) },
	}), own...)...)
	if err == nil { // and those that only some sessions have
		h.tools = append(h.registry.Names(), "skill", "remember", "web_fetch")
	}
	if err == nil && len(f.Tools) > 0 {
		h.registry, err = h.registry.Subset(a.toolNames(h.registry.Names()))
	}
	if err != nil {
		return usagef("--tools: %s", err)
	}
	return nil
}

// readable are the folders that may be read beside the roots.
func (h *house) readable() []string {
	if h.spill == "" {
		return nil
	}
	return []string{h.spill}
}

// keyVariables are the variables that hold keys of providers.
func keyVariables() []string {
	var all []string
	for _, names := range keyNames {
		all = append(all, names...)
	}
	return all
}

// spillDir makes the folder for output that is too long for a result, which
// ends with the run. The error says why nothing can be saved.
func (a *app) spillDir() (string, error) {
	state := a.dirs().state
	if state == "" {
		return "", errors.New("there is no home: set HOME or XDG_STATE_HOME to an absolute path")
	}
	if err := os.MkdirAll(state, 0o700); err != nil {
		return "", err
	}
	return os.MkdirTemp(state, "output-")
}

// rules makes the policy of --mode, --allow and --deny. A rule that cannot do
// what it seems to is told of.
func (a *app) rules(h *house) (*rules.Policy, error) {
	f := a.flags
	policy, warnings, err := rules.New(rules.Config{
		Mode: rules.Mode(f.Mode), Allow: f.Allow, Deny: f.Deny, Interactive: h.attended, Roots: h.work.Roots(),
		Readable: h.readable(), Protected: a.dirs().all(),
	})
	if err != nil {
		return nil, usageError{err.Error()}
	}
	for _, w := range warnings {
		a.warn(w.String())
	}
	for _, text := range slices.Concat(f.Allow, f.Deny) {
		if rule, err := rules.Parse(text); err == nil && !slices.Contains(h.tools, rule.Tool) {
			a.warn(fmt.Sprintf("rule %s: it decides nothing, as there is no tool %s%s", rule, rule.Tool, meant(config.Nearest(rule.Tool, h.tools))))
		}
	}
	return policy, nil
}

// meant asks whether a name was meant; "" for none.
func meant(name string) string {
	if name == "" {
		return ""
	}
	return "; did you mean " + name + "?"
}
