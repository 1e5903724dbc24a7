package main

import (
	"os"
	"path/filepath"
	"strings"
)

// choicesMax caps what a completion offers.
const choicesMax = 200

// complete returns what may stand in the place of the last word before the
// cursor: a command at the start of a line, or the path behind an @.
func complete(before string) []string {
	word := before[strings.LastIndexAny(before, " \n\t")+1:]
	switch {
	case word == before && strings.HasPrefix(word, "/"):
		var all []string
		for _, c := range slashCommands() {
			if strings.HasPrefix(c.name, word) {
				all = append(all, c.name)
			}
		}
		return all
	case strings.HasPrefix(word, "@"):
		return completePath(word[1:])
	}
	return nil
}

func completePath(typed string) []string {
	dir, name := filepath.Split(typed)
	at := dir
	if at == "" {
		at = "."
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
