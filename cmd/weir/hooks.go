package main

import (
	"os"

	"github.com/weir-agents/weir/cmd/weir/internal/config"
	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/tools"
	"github.com/weir-agents/weir/tools/hook"
)

// openHooks makes the hooks that the config files name.
func (a *app) openHooks(h *house) (err error) {
	commands := func(all []config.Hook) []hook.Command {
		var out []hook.Command
		for _, c := range all {
			out = append(out, hook.Command{Argv: c.Argv, Tools: c.Tools, Timeout: c.Timeout})
		}
		return out
	}
	h.hook, err = hook.New(hook.Config{
		Pre: commands(a.config.PreTool), Post: commands(a.config.PostTool), Env: tools.WithoutSecrets(os.Environ(), keyVariables()),
		Exe: h.confined.cfg.Exe, Dir: h.work.Roots()[0], Interactive: h.attended, Notice: h.hookFailed,
	})
	if err != nil {
		return usageError{err.Error()}
	}
	return nil
}

// hookFailed puts what went wrong after a call into the events of the session.
func (h *house) hookFailed(text string) {
	h.session.Load().Tell(pipeline.Notice{Level: "warn", Code: "hook", Text: text})
}
