package wire

import (
	"encoding/base64"
	"net/url"
	"strings"

	"github.com/weir-agents/weir/provider"
)

// SecretHeaders returns what is secret in those headers whose names say so:
// their values, without the word Bearer and the like before them, with what a
// Basic one says.
func SecretHeaders(headers map[string]string) []string {
	var all []string
	for name, value := range headers {
		if !provider.NamesSecret(name) {
			continue
		}
		value = strings.TrimSpace(value)
		scheme, bare, ok := strings.Cut(value, " ")
		if !ok {
			all = append(all, value)
			continue
		}
		all = append(all, strings.TrimSpace(bare))
		if pair, err := base64.StdEncoding.DecodeString(strings.TrimSpace(bare)); err == nil && strings.EqualFold(scheme, "basic") {
			user, password, _ := strings.Cut(string(pair), ":")
			all = append(all, userSecrets(user, password)...)
		}
	}
	return all
}

// userSecrets returns what is secret of a user and a password: the user too
// where it stands alone, as keys do, or is as long as a key. Their Basic forms
// are among those that every secret has.
func userSecrets(user, password string) []string {
	if password == "" {
		return []string{user}
	}
	all := []string{password, user + ":" + password}
	if len(user) >= runBytes {
		all = append(all, user)
	}
	return all
}

// querySecrets returns the values of a query that may be secret: all of some
// length but for a version, and shorter ones if their names say so.
func querySecrets(query url.Values) []string {
	var all []string
	for name, values := range query {
		if strings.EqualFold(name, "api-version") {
			continue
		}
		for _, v := range values {
			if len(v) >= runBytes || provider.NamesSecret(name) {
				all = append(all, v)
			}
		}
	}
	return all
}
