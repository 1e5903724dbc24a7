package provider

import (
	"slices"
	"strings"
)

// secretWords are in the names of what holds a secret.
var secretWords = []string{"auth", "key", "token", "secret", "cookie", "pass", "sig", "code", "credential", "session", "pwd"}

// NamesSecret reports whether the name of a header, a parameter or a setting says
// that its value is a secret, in any case. It may be wrong on the safe side.
func NamesSecret(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(secretWords, func(word string) bool { return strings.Contains(name, word) })
}
