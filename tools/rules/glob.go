package rules

import (
	"errors"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// glob is the pattern of a file rule.
type glob struct {
	rule     Rule
	pattern  string // in doublestar's syntax
	absolute bool
}

// compileGlob translates a pattern: `*`, `?` and `[…]` match within one name and
// `**/` any number of folders; a `**` at the end is everything below. Braces
// and backslashes, which doublestar reads otherwise, are themselves.
func compileGlob(pattern string) (glob, error) {
	escaped := strings.NewReplacer(`\`, `\\`, "{", `\{`, "}", `\}`).Replace(pattern)
	escaped = strings.TrimPrefix(escaped, "./")
	if !doublestar.ValidatePattern(escaped) {
		return glob{}, errors.New("the pattern has a [ without its ]")
	}
	return glob{pattern: escaped, absolute: strings.HasPrefix(pattern, "/")}, nil
}

// covers reports whether one of the names matches.
func (g glob) covers(n names) bool {
	list := n.relative
	if g.absolute {
		list = n.absolute
	}
	for _, name := range list {
		if ok, err := doublestar.Match(g.pattern, name); ok && err == nil {
			return true
		}
	}
	return false
}

// coversBelow is covers for an allow: what ends in `/**` is below that folder,
// not the folder.
func (g glob) coversBelow(n names) bool {
	if strings.HasSuffix(g.pattern, "/**") {
		g.pattern += "/*"
	}
	return g.covers(n)
}

// literal returns the pattern that matches one path only.
func literal(path string) string {
	return strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]").Replace(path)
}
