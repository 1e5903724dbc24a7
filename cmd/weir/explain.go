package main

import (
	"regexp"
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
	{regexp.MustCompile(`^(unexpected argument .*)$`), `$1; a prompt goes behind -p`},
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
