package wire

import "strings"

// SecretHeaders returns the values of those headers whose names say that they
// hold a secret, and what stands after Bearer and the like in them.
func SecretHeaders(headers map[string]string) []string {
	var all []string
	for name, value := range headers {
		name = strings.ToLower(name)
		for _, word := range []string{"auth", "key", "token", "secret", "cookie"} {
			if !strings.Contains(name, word) {
				continue
			}
			all = append(all, value)
			if _, bare, ok := strings.Cut(value, " "); ok {
				all = append(all, bare)
			}
			break
		}
	}
	return all
}
