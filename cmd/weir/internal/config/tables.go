package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// tables takes hooks and vendors over, checked.
func (f *file) tables(b body) (err error) {
	if f.pre, err = f.hooks("hooks.pre_tool", b.Hooks.Pre); err != nil {
		return err
	}
	if f.post, err = f.hooks("hooks.post_tool", b.Hooks.Post); err != nil {
		return err
	}
	for name, v := range b.Vendors {
		where := f.where("vendors." + strings.ReplaceAll(name, ".", "\\."))
		if !slices.Contains([]string{"", "openai", "anthropic"}, v.Dialect) {
			return fmt.Errorf("%s: dialect of vendor %s is %q, must be openai or anthropic", where, name, v.Dialect)
		}
		if v.Key != "" && v.KeyEnv != "" {
			return fmt.Errorf("%s: vendor %s has both key and key-env: leave one out", where, name)
		}
		t := Tuning{Organization: v.Organization, Project: v.Project, GiveThinking: v.GiveThinking, Betas: v.Betas, Headers: v.Headers}
		if t.Extra, err = members(v.Extra); err == nil {
			err = checkHeaders(v.Headers)
		}
		if err != nil {
			return fmt.Errorf("%s: vendor %s: %w", where, name, err)
		}
		f.vendors[name] = Vendor{Dialect: v.Dialect, BaseURL: v.BaseURL, Model: v.Model, KeyEnv: v.KeyEnv, Key: v.Key, Tuning: t, Where: where}
	}
	return nil
}

// members returns a table as members of a JSON object.
func members(table map[string]any) (map[string]json.RawMessage, error) {
	if len(table) == 0 {
		return nil, nil
	}
	all := make(map[string]json.RawMessage, len(table))
	for name, value := range table {
		raw, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("extra.%s has no form in JSON", name)
		}
		all[name] = raw
	}
	return all, nil
}

// checkHeaders refuses what HTTP cannot send, without repeating a value.
func checkHeaders(headers map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		odd := func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`()<>@,;:\"/[]?={}`, r) }
		if name == "" || strings.ContainsFunc(name, odd) {
			return fmt.Errorf("headers: %q is no name of a header", name)
		}
		if strings.ContainsFunc(headers[name], func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
			return fmt.Errorf("headers: the value of %s has line breaks or control characters", name)
		}
	}
	return nil
}

func (f *file) hooks(name string, all []hookBody) ([]Hook, error) {
	var out []Hook
	for i, h := range all {
		where := f.where(name)
		if len(h.Command) == 0 || !filepath.IsAbs(h.Command[0]) {
			return nil, fmt.Errorf("%s: hook %d of %s needs a command: a list that begins with an absolute path", where, i+1, name)
		}
		var timeout time.Duration
		if h.Timeout != "" {
			var err error
			if timeout, err = time.ParseDuration(h.Timeout); err != nil || timeout <= 0 {
				return nil, fmt.Errorf("%s: timeout of hook %d is %q, must be a duration of more than 0", where, i+1, h.Timeout)
			}
		}
		out = append(out, Hook{Argv: h.Command, Tools: h.Tools, Timeout: timeout, Where: where})
	}
	return out, nil
}

// nearest returns the known name that is closest to a wrong one, "" if none is
// close.
func nearest(wrong string) string {
	var candidates []string
	for _, k := range tableKeys {
		parts := strings.Split(strings.TrimSuffix(strings.TrimSuffix(k, ".**"), ".*"), ".")
		for n := range parts {
			candidates = append(candidates, strings.Join(parts[:n+1], "."))
		}
	}
	for _, k := range keys {
		candidates = append(candidates, k.name)
	}
	own := strings.Split(wrong, ".")
	for i, c := range candidates { // a name of the person's own choice stays as it is
		parts := strings.Split(c, ".")
		for n, p := range parts {
			if p == "*" && n < len(own) {
				parts[n] = own[n]
			}
		}
		candidates[i] = strings.Join(parts, ".")
	}
	return Nearest(wrong, candidates)
}

// Nearest returns the candidate that is closest to a wrong word, "" if none is
// close. Case, and whether a dash or an underscore stands between words, makes
// no difference.
func Nearest(wrong string, candidates []string) string {
	best, at := "", 1+max(1, len(wrong)/3)
	norm := strings.NewReplacer("_", "-").Replace(strings.ToLower(wrong))
	for _, c := range candidates {
		if d := distance(norm, strings.ReplaceAll(strings.ToLower(c), "_", "-")); d < at {
			best, at = c, d
		}
	}
	return best
}

// distance counts the single changes, swaps of neighbors among them, that make
// b of a. Its cost is the product of the lengths.
func distance(a, b string) int {
	if len(a) > 64 {
		return len(a)
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
		for j := range rows[i] {
			switch {
			case i == 0:
				rows[i][j] = j
				continue
			case j == 0:
				continue
			}
			same := 1
			if a[i-1] == b[j-1] {
				same = 0
			}
			rows[i][j] = min(rows[i-1][j-1]+same, rows[i-1][j]+1, rows[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
