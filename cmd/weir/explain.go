package main

import (
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
)

// mistakes are what the flag library says of a command line, each with what we
// say in its place: what is wrong, and what would be right.
var mistakes = []struct {
	theirs *regexp.Regexp
	ours   string
}{
	{regexp.MustCompile(`^(\S+): expected .* value but got "EOL" \(<EOL>\)$`), `$1 needs a value behind it`},
	{regexp.MustCompile(`^(\S+): missing value, expecting .*$`), `$1 needs a value behind it`},
	{regexp.MustCompile(`^(\S+): expected .* but got "(.*)" \((?:short|long) flag\).*$`), `$1 needs a value behind it; one that begins with a dash is written $1=$2`},
	{regexp.MustCompile(`^(\S+): expected .*\bint but got "(.*?)".*$`), `$1 is "$2", must be a whole number`},
	{regexp.MustCompile(`^(\S+): expected .*\bfloat but got "(.*?)".*$`), `$1 is "$2", must be a number`},
	{regexp.MustCompile(`^(\S+): expected duration but got "(.*?)".*$`), `$1 is "$2", must be a time with its unit, such as 90s or 5m`},
	{regexp.MustCompile(`^(\S+): bool value must be .* but got "(.*)"$`), `$1 is "$2", takes no value but true or false`},
	{regexp.MustCompile(`^(\S+) must be one of (.*) but got "(.*)"$`), `$1 is "$3", must be one of $2`},
	{regexp.MustCompile(`^expected "<(.*)>"$`), `a <$1> is missing behind the command`},
	{regexp.MustCompile(`^(unexpected argument .*\?)$`), `$1 A prompt goes behind -p`},
	{regexp.MustCompile(`^(unexpected argument .*)$`), `$1; a prompt goes behind -p`},
}

// usual turns what people type at any program into what weir calls it.
func usual(args []string) []string {
	switch {
	case len(args) == 1 && args[0] == "--version":
		return []string{"version"}
	case len(args) > 0 && len(args) <= 2 && args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	}
	return args
}

// placed adds to a mistake that names a flag which place has set it, if that is
// a file or a variable and not the command line.
func (a *app) placed(err error) error {
	wrong, ok := errors.AsType[usageError](err)
	name, isFlag := strings.CutPrefix(strings.TrimRight(strings.SplitN(wrong.text+" ", " ", 2)[0], ":"), "--")
	if !ok || !isFlag {
		return err
	}
	if slices.ContainsFunc(a.args, func(arg string) bool { return arg == "--"+name || strings.HasPrefix(arg, "--"+name+"=") }) {
		return err
	}
	from := ""
	if a.config != nil {
		for _, p := range a.config.Get(name).Parts {
			if p.From != "default" {
				from = p.From
			}
		}
	}
	for _, f := range newParser(&flags{}, io.Discard, nil).Model.Flags {
		if f.Name == name && from == "" && len(f.Tag.Envs) > 0 && a.env(f.Tag.Envs[0]) != "" {
			from = f.Tag.Envs[0] // it was wrong before the files were read
		}
	}
	if from == "" {
		return err
	}
	return usagef("%s (set by %s)", wrong.text, from)
}

// explain says what was wrong with the command line.
func explain(err error) string {
	text := strings.Join(strings.Fields(err.Error()), " ")
	for _, m := range mistakes {
		if m.theirs.MatchString(text) {
			return m.theirs.ReplaceAllString(text, m.ours)
		}
	}
	return text
}
