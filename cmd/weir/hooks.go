package main

import (
	"os"

	"github.com/weir-agents/weir/cmd/weir/internal/config"
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
		Dir: h.work.Roots()[0], Interactive: h.attended, Notice: func(text string) { h.tell.Load().say(text) },
	})
	if err != nil {
		return usageError{err.Error()}
	}
	return nil
}

// teller shows a person a line, from any goroutine.
type teller struct{ say func(string) }
