package main

import (
	"os"
	"slices"

	"github.com/alecthomas/kong"
)

// flagsOf are the flags of a turn that a command has a use for. One that is not
// named here has its own only, or all, as flagUsed says.
var flagsOf = map[string][]string{
	"sim":   {"script"},
	"tools": {"allow", "deny", "sandbox", "tools", "cwd", "add-dir"},
}

// flagUsed reports whether a flag of a turn means something to a command.
func flagUsed(command, flag string) bool {
	switch command {
	case "turn", "":
		return true
	case "config", "doctor": // they say what a turn would do
		return flag != "prompt"
	default:
		return flag == "help" || slices.Contains(flagsOf[command], flag)
	}
}

// restrict takes the flags that the command in args has no use for out of its
// help, and leaves out what the environment says of them, as it does with a
// variable that is set to nothing.
func restrict(parser *kong.Kong, args []string) {
	ctx, err := kong.Trace(parser, args)
	if err != nil {
		return
	}
	command := ""
	if ctx.Selected() != nil {
		command = ctx.Selected().Name
	}
	helping := slices.ContainsFunc(ctx.Path, func(p *kong.Path) bool { return p.Flag != nil && p.Flag.Name == "help" })
	for _, f := range parser.Model.Flags {
		f.Hidden = !flagUsed(command, f.Name)
		if helping { // it names the variables, also those that are not set
			continue
		}
		f.Tag.Envs = slices.DeleteFunc(f.Tag.Envs, func(name string) bool { return f.Hidden || os.Getenv(name) == "" })
	}
}

// checkUse refuses a flag that the command has no use for.
func checkUse(ctx *kong.Context, command string) error {
	of := map[string]bool{}
	for _, f := range ctx.Model.Flags {
		of[f.Name] = true
	}
	for _, p := range ctx.Path {
		if p.Flag != nil && !p.Resolved && of[p.Flag.Name] && !flagUsed(command, p.Flag.Name) {
			return usagef("weir %s has no use for --%s (weir %s --help lists what it takes)", command, p.Flag.Name, command)
		}
	}
	return nil
}
