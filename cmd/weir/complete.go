package main

import (
	"os"
	"path/filepath"
	"strings"
)

// choicesMax caps what a completion offers.
const choicesMax = 200

// completer knows what can be completed.
type completer struct {
	root     string   // where paths begin
	commands []string // with their slash
}

// completer knows the commands there are, also those the person has written.
func (h *house) completer() *completer {
	c := &completer{root: h.work.Roots()[0]}
	for _, s := range slashCommands() {
		c.commands = append(c.commands, s.name)
	}
	for _, own := range h.commands {
		c.commands = append(c.commands, "/"+own.Name)
	}
	return c
}

// complete returns what may stand in the place of the last word before the
// cursor: a command at the start of a line, or the path behind an @.
func (c *completer) complete(before string) []string {
	word := before[strings.LastIndexAny(before, " \n\t")+1:]
	switch {
	case word == before && strings.HasPrefix(word, "/"):
		var all []string
		for _, name := range c.commands {
			if strings.HasPrefix(name, word) {
				all = append(all, name)
			}
		}
		return all
	case strings.HasPrefix(word, "@"):
		return c.path(word[1:])
	}
	return nil
}

func (c *completer) path(typed string) []string {
	dir, name := filepath.Split(typed)
	at := dir
	if !filepath.IsAbs(at) {
		at = filepath.Join(c.root, at)
	}
	entries, err := os.ReadDir(at)
	if err != nil {
		return nil
	}
	var all []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), name) || (name == "" && strings.HasPrefix(e.Name(), ".")) || strings.ContainsAny(e.Name(), " \n\t") {
			continue
		}
		path := "@" + dir + e.Name()
		if e.IsDir() {
			path += "/"
		}
		if all = append(all, path); len(all) == choicesMax {
			break
		}
	}
	return all
}
