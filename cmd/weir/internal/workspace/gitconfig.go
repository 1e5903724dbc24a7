package workspace

import (
	"path/filepath"
	"strings"
)

// gitConfig is what a repository's own configuration says of its work tree.
// What it includes, and that of the user, is not read.
type gitConfig map[string]string

const gitConfigMax = 64 << 10

// readGitConfig reads the configuration of a store; a work tree that was added
// to a repository shares that of the repository.
func readGitConfig(store string) gitConfig {
	c := gitConfig{}
	common := store
	if data, _, err := readPath(filepath.Join(store, "commondir"), gitFileMax); err == nil {
		common = against(store, strings.TrimSpace(string(data)))
	}
	if data, _, err := readPath(filepath.Join(common, "config"), gitConfigMax); err == nil {
		c.add(string(data))
	}
	if data, _, err := readPath(filepath.Join(store, "config.worktree"), gitConfigMax); err == nil && c.on("extensions.worktreeconfig", false) {
		c.add(string(data))
	}
	return c
}

// add takes what the simple lines of text say. A value that goes on in the next
// line, or that is quoted in part, is taken as it stands.
func (c gitConfig) add(text string) {
	section := ""
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(l)
		if name, ok := strings.CutPrefix(l, "["); ok {
			name, l, _ = strings.Cut(name, "]")
			section, l = strings.ToLower(name)+".", strings.TrimSpace(l)
		}
		if l == "" || l[0] == '#' || l[0] == ';' {
			continue
		}
		key, value, set := strings.Cut(l, "=")
		if value = strings.TrimSpace(value); strings.HasPrefix(value, `"`) {
			value = strings.Trim(value, `"`)
		} else if end := strings.IndexAny(value, "#;"); end >= 0 {
			value = strings.TrimSpace(value[:end])
		}
		if !set {
			value = "true"
		}
		c[section+strings.ToLower(strings.TrimSpace(key))] = value
	}
}

// on is the value of a switch.
func (c gitConfig) on(key string, unset bool) bool {
	value, ok := c[key]
	if !ok {
		return unset
	}
	switch strings.ToLower(value) {
	case "false", "no", "off", "0", "":
		return false
	}
	return true
}

// against is a path that may be relative to dir.
func against(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}
