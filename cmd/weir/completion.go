package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/weir-agents/weir/bench"
)

// completion prints what makes a shell complete the command line.
func (a *app) completion(c completionCmd) error {
	if err := c.check(); err != nil {
		return err
	}
	text := bashCompletion(offers())
	switch c.Shell {
	case "fish":
		text = fishCompletion(offers())
	case "zsh":
		text = "autoload -U +X bashcompinit && bashcompinit\n" + text
	}
	_, err := io.WriteString(a.std.Out, text)
	return err
}

// offer is what can stand behind a command.
type offer struct {
	command, help string // "" for none
	flags         []*kong.Flag
	words         []string // that are no flags
}

// offers returns them, that for no command first.
func offers() []offer {
	m := newParser(&flags{}, io.Discard, nil).Model
	all := []offer{{}}
	for _, n := range m.Children {
		if n.Hidden {
			continue
		}
		o := offer{command: n.Name, help: n.Help, flags: n.Flags}
		switch n.Name {
		case "bench": // reads its own flags
			o.flags, o.words = bench.CommandLine().Flags, []string{"compare", "targets"}
			for _, s := range bench.Scenarios() {
				o.words = append(o.words, s.Name)
			}
		case "completion":
			o.words = shells
		}
		all[0].words = append(all[0].words, n.Name)
		all = append(all, o)
	}
	for i, o := range all {
		for _, f := range m.Flags {
			if o.command != "bench" && flagUsed(o.command, f.Name) {
				all[i].flags = append(all[i].flags, f)
			}
		}
	}
	return all
}

// folders are the flags whose values are folders.
var folders = []string{"cwd", "add-dir"}

// values returns what a flag can be set to: words, or -f or -d for files or
// folders. A flag that is not a switch and has neither takes what nobody knows.
func values(f *kong.Flag) (words []string, place string) {
	switch name := strings.ToLower(f.PlaceHolder); {
	case slices.Contains(folders, f.Name):
		return nil, "-d"
	case name == "file":
		return nil, "-f"
	case strings.Contains(name, "|"):
		return strings.Split(name, "|"), ""
	}
	return nil, ""
}

// bashCompletion finds the command among the words before the cursor, passing
// over the values of flags, and offers what it takes.
func bashCompletion(all []offer) string {
	var valued, cases strings.Builder
	for _, f := range all[0].flags {
		if !f.IsBool() {
			fmt.Fprintf(&valued, "|%s", strings.Join(spellings(f), "|"))
		}
	}
	for _, o := range all {
		words, free := slices.Clone(o.words), []string{}
		fmt.Fprintf(&cases, "  %s)\n    case $prev in\n", cmp.Or(o.command, "''"))
		for _, f := range o.flags {
			words = append(words, "--"+f.Name)
			names := strings.Join(spellings(f), "|")
			known, place := values(f)
			switch {
			case f.IsBool():
			case known != nil:
				fmt.Fprintf(&cases, "    %s) COMPREPLY=($(compgen -W %q -- \"$cur\")); return;;\n", names, strings.Join(known, " "))
			case place != "":
				fmt.Fprintf(&cases, "    %s) COMPREPLY=($(compgen %s -- \"$cur\")); return;;\n", names, place)
			default:
				free = append(free, names)
			}
		}
		if len(free) > 0 {
			fmt.Fprintf(&cases, "    %s) return;;\n", strings.Join(free, "|"))
		}
		fmt.Fprintf(&cases, "    esac\n    COMPREPLY=($(compgen -W %q -- \"$cur\"));;\n", strings.Join(words, " "))
	}
	return `_weir() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command= i
  COMPREPLY=()
  if [ "$cur" = "=" ]; then cur=; elif [ "$prev" = "=" ]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
    ` + valued.String()[1:] + `) i=$((i+1)); if [ "${COMP_WORDS[i]}" = "=" ]; then i=$((i+1)); fi;;
    ` + strings.Join(all[0].words, "|") + `) command=${COMP_WORDS[i]}; break;;
    esac
  done
  case $command in
` + cases.String() + "  esac\n}\ncomplete -o default -F _weir weir\n"
}

// spellings are the ways to write a flag.
func spellings(f *kong.Flag) []string {
	if f.Short != 0 {
		return []string{"--" + f.Name, "-" + string(f.Short)}
	}
	return []string{"--" + f.Name}
}

// fishCompletion offers a flag unless the line has a command that has no use
// for it, or, if it is a command's own, with that command.
func fishCompletion(all []offer) string {
	var b strings.Builder
	b.WriteString("complete -c weir -f\n")
	for _, o := range all[1:] {
		fmt.Fprintf(&b, "complete -c weir -n __fish_use_subcommand -a %s -d %s\n", o.command, fishQuote(o.help))
	}
	for _, f := range all[0].flags {
		var without []string
		for _, o := range all[1:] {
			if !slices.ContainsFunc(o.flags, func(other *kong.Flag) bool { return other.Name == f.Name && other.Help == f.Help }) {
				without = append(without, o.command)
			}
		}
		condition := ""
		if len(without) > 0 {
			condition = "not __fish_seen_subcommand_from " + strings.Join(without, " ")
		}
		fishFlag(&b, condition, f)
	}
	for _, o := range all[1:] {
		seen := "__fish_seen_subcommand_from " + o.command
		for _, f := range o.flags {
			if !slices.ContainsFunc(all[0].flags, func(other *kong.Flag) bool { return other.Name == f.Name && other.Help == f.Help }) {
				fishFlag(&b, seen, f)
			}
		}
		if len(o.words) > 0 {
			fmt.Fprintf(&b, "complete -c weir -n '%s' -a '%s'\n", seen, strings.Join(o.words, " "))
		}
	}
	return b.String()
}

func fishFlag(b *strings.Builder, condition string, f *kong.Flag) {
	b.WriteString("complete -c weir")
	if condition != "" {
		b.WriteString(" -n " + fishQuote(condition))
	}
	fmt.Fprintf(b, " -l %s", f.Name)
	if f.Short != 0 {
		fmt.Fprintf(b, " -s %c", f.Short)
	}
	known, place := values(f)
	switch {
	case f.IsBool():
	case known != nil:
		fmt.Fprintf(b, " -x -a '%s'", strings.Join(known, " "))
	case place == "-d":
		b.WriteString(" -x -a '(__fish_complete_directories)'")
	case place != "":
		b.WriteString(" -r -F")
	default:
		b.WriteString(" -x")
	}
	fmt.Fprintf(b, " -d %s\n", fishQuote(f.Help))
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
