package main

import "strings"

// slashCommand is a command of a talk.
type slashCommand struct {
	name, help string
}

// slashCommands are the commands there are.
var slashCommands = []slashCommand{
	{"/help", "this"},
	{"/clear", "a new session"},
	{"/exit", "leave"},
	{"/quit", "leave"},
}

// helpText names the commands.
func helpText() string {
	var all []string
	for _, c := range slashCommands {
		all = append(all, c.name+" "+c.help)
	}
	return strings.Join(all, " · ")
}
