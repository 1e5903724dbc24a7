package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// completion prints what makes a shell complete the command line.
func (a *app) completion(c completionCmd) error {
	if err := c.check(); err != nil {
		return err
	}
	m := newParser(&flags{}, io.Discard, nil).Model
	var words []string
	for _, n := range m.Children {
		if !n.Hidden {
			words = append(words, n.Name)
		}
	}
	text := ""
	switch c.Shell {
	case "fish":
		text = fishCompletion(m, words)
	case "zsh":
		text = "autoload -U +X bashcompinit && bashcompinit\n" + bashCompletion(m, words)
	default:
		text = bashCompletion(m, words)
	}
	_, err := io.WriteString(a.std.Out, text)
	return err
}

// places are the flags whose values are files or folders.
var places = map[string]string{"script": "-f", "system": "-f", "cwd": "-d", "add-dir": "-d"}

func bashCompletion(m *kong.Application, words []string) string {
	var cases strings.Builder
	for _, f := range m.Flags {
		words = append(words, "--"+f.Name)
		switch {
		case f.Enum != "":
			fmt.Fprintf(&cases, "    --%s) COMPREPLY=($(compgen -W %q -- \"$cur\")); return;;\n", f.Name, strings.ReplaceAll(f.Enum, ",", " "))
		case places[f.Name] != "":
			fmt.Fprintf(&cases, "    --%s) COMPREPLY=($(compgen %s -- \"$cur\")); return;;\n", f.Name, places[f.Name])
		}
	}
	return "_weir() {\n  local cur=${COMP_WORDS[COMP_CWORD]}\n  COMPREPLY=()\n  case ${COMP_WORDS[COMP_CWORD-1]} in\n" + cases.String() +
		fmt.Sprintf("  esac\n  COMPREPLY=($(compgen -W %q -- \"$cur\"))\n}\ncomplete -F _weir weir\n", strings.Join(words, " "))
}

func fishCompletion(m *kong.Application, words []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "complete -c weir -f -n __fish_use_subcommand -a %q\n", strings.Join(words, " "))
	for _, f := range m.Flags {
		fmt.Fprintf(&b, "complete -c weir -l %s -d %s", f.Name, fishQuote(f.Help))
		switch {
		case f.Enum != "":
			fmt.Fprintf(&b, " -x -a %q", strings.ReplaceAll(f.Enum, ",", " "))
		case places[f.Name] != "":
			b.WriteString(" -r -F")
		case !f.IsBool():
			b.WriteString(" -x")
		}
		if f.Short != 0 {
			fmt.Fprintf(&b, " -s %c", f.Short)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func fishQuote(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}

// shells are those that completion knows.
var shells = []string{"bash", "zsh", "fish"}

func (c completionCmd) check() error {
	if !slices.Contains(shells, c.Shell) {
		return usagef("completion for %q is not there, only for %s", c.Shell, strings.Join(shells, ", "))
	}
	return nil
}
