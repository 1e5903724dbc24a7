package tools

import (
	"regexp"
	"slices"
	"strings"
)

// secretWords in a variable's name, between underscores, mark a secret.
var secretWords = []string{
	"TOKEN", "TOKENS", "SECRET", "SECRETS", "PASSWORD", "PASSWD", "PASS", "PASSPHRASE",
	"KEY", "KEYS", "PWD", "PAT", "AUTH", "CREDENTIAL", "CREDENTIALS", "COOKIE", "COOKIES",
	"SIG", "SIGNATURE", "AUTHORIZATION",
}

// noSecrets have such a word and are none: folders, and the socket of an agent.
var noSecrets = []string{"PWD", "OLDPWD", "SSH_AUTH_SOCK"}

// secretEnds mark one at the end of a word, as in PGPASSWORD.
var secretEnds = []string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "APIKEY", "CREDENTIALS", "SIGNATURE"}

// secretValue is what a secret looks like, whatever its name: a password in an
// address, and the keys that say so themselves.
var secretValue = regexp.MustCompile(`://[^/@\s]*:[^/@\s]+@|^(sk-|ghp_|gho_|ghs_|github_pat_|glpat-|xox[abprs]-|AKIA)|-----BEGIN`)

// startsPrograms are variables by which a shell or git runs something unasked,
// or behaves as if a person sat there.
var startsPrograms = []string{
	"BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PROMPT_COMMAND", "PS4",
	"GIT_ASKPASS", "SSH_ASKPASS", "TERM", "GIT_TERMINAL_PROMPT",
}

// markName is the variable that tells which call a process belongs to.
const markName = "WEIR_CALL"

// WithoutSecrets returns what of an environment, as os.Environ returns it, is
// fit for programs that are not the user's own doing: without the variables
// that secret names, and without what looks like a secret by name or value.
func WithoutSecrets(env, secret []string) []string {
	var kept []string
	for _, pair := range env {
		name, value, ok := strings.Cut(pair, "=")
		if ok && !slices.Contains(secret, name) && !isSecret(name, value) {
			kept = append(kept, pair)
		}
	}
	return kept
}

// environ is the environment of one command: env without secrets, with mark.
func environ(env, secret []string, mark string) []string {
	out := make([]string, 0, len(env)+4)
	path := false
	for _, pair := range WithoutSecrets(env, secret) {
		name, _, ok := strings.Cut(pair, "=")
		if !ok || slices.Contains(startsPrograms, name) || strings.HasPrefix(name, "BASH_FUNC_") {
			continue
		}
		path = path || name == "PATH"
		out = append(out, pair)
	}
	if !path {
		out = append(out, "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
	}
	return withMark(append(out, "TERM=dumb", "GIT_TERMINAL_PROMPT=0"), mark)
}

// withMark returns env with the mark. A weir that runs in a command of another
// keeps the other's marks, so that both find what belongs to them.
func withMark(env []string, mark string) []string {
	out := make([]string, 0, len(env)+1)
	for _, pair := range env {
		if value, ok := strings.CutPrefix(pair, markName+"="); ok {
			mark = value + ":" + mark
			continue
		}
		out = append(out, pair)
	}
	return append(out, markName+"="+mark)
}

func isSecret(name, value string) bool {
	upper := strings.ToUpper(name)
	if slices.Contains(noSecrets, upper) {
		return secretValue.MatchString(value)
	}
	if strings.HasPrefix(upper, "AWS_") {
		return true
	}
	for word := range strings.SplitSeq(upper, "_") {
		if slices.Contains(secretWords, word) {
			return true
		}
		for _, end := range secretEnds {
			if strings.HasSuffix(word, end) {
				return true
			}
		}
	}
	return secretValue.MatchString(value)
}
