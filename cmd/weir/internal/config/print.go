package config

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/weir-agents/weir/provider"
)

// Mask stands in the place of a secret.
const Mask = "********"

// Get returns what holds of name; without parts if nothing is set or there is
// no such name.
func (s *Settings) Get(name string) Setting { return s.byName[name] }

// Texts returns the values of name, rules and lists with those of every layer
// that counts.
func (s *Settings) Texts(name string) []string { return s.byName[name].texts() }

// Doubtful reports whether a project says p that is not trusted.
func (s *Settings) Doubtful(p Part) bool {
	return len(s.doubtful) > 1 && strings.HasPrefix(p.From, s.doubtful)
}

// Flag returns the value that a file gives name, as a flag parser takes it: a
// string, or []any of strings for a list. It is not ok where a flag, the
// environment or the default decides, so it may be asked after those.
func (s *Settings) Flag(name string) (value any, ok bool) {
	set := s.byName[name]
	k, known := keyOf(name)
	if !known || len(set.Parts) == 0 || !strings.Contains(set.Parts[0].From, FileName+":") {
		return nil, false
	}
	if k.kind != texts && k.kind != rules {
		return set.Parts[0].Text, true
	}
	list := make([]any, len(set.Parts))
	for i, p := range set.Parts {
		list[i] = p.Text
	}
	return list, true
}

// All returns every setting for a person to read: flags in their order, then
// vendors and hooks. Secrets are masked.
func (s *Settings) All() []Setting {
	var all []Setting
	for _, k := range keys {
		set := s.byName[k.name]
		set.Parts = slices.Clone(set.Parts)
		for i := range set.Parts {
			if k.name == "base-url" {
				set.Parts[i].Text = MaskURL(set.Parts[i].Text)
			}
		}
		all = append(all, set)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Vendors)) {
		v := s.Vendors[name]
		key := ""
		if v.Key != "" {
			key = Mask
		}
		for _, m := range append([][2]string{
			{"dialect", v.Dialect}, {"base-url", MaskURL(v.BaseURL)}, {"model", v.Model}, {"key-env", v.KeyEnv}, {"key", key},
		}, v.Tuning.print()...) {
			if m[1] != "" {
				all = append(all, Setting{Name: "vendors." + name + "." + m[0], Parts: []Part{{m[1], v.Where}}})
			}
		}
	}
	for _, h := range []struct {
		name  string
		hooks []Hook
	}{{"hooks.pre_tool", s.PreTool}, {"hooks.post_tool", s.PostTool}} {
		for _, one := range h.hooks {
			all = append(all, Setting{Name: h.name, Parts: parts(one.Argv, one.Where)})
		}
	}
	return all
}

// print returns names and values for a person to read.
func (t Tuning) print() [][2]string {
	all := [][2]string{{"organization", t.Organization}, {"project", t.Project}, {"betas", strings.Join(t.Betas, ", ")}}
	if t.GiveThinking {
		all = append(all, [2]string{"give-thinking", "true"})
	}
	for _, name := range slices.Sorted(maps.Keys(t.Headers)) {
		value := t.Headers[name]
		if provider.NamesSecret(name) {
			value = Mask
		}
		all = append(all, [2]string{"headers." + name, value})
	}
	for _, name := range slices.Sorted(maps.Keys(t.Extra)) {
		var value any
		_ = json.Unmarshal(t.Extra[name], &value) // it was made as JSON
		shown, _ := json.Marshal(masked(name, value))
		all = append(all, [2]string{"extra." + name, string(shown)})
	}
	return all
}

// masked takes the secrets out of a JSON value of that name.
func masked(name string, value any) any {
	if provider.NamesSecret(name) {
		return Mask
	}
	switch v := value.(type) {
	case map[string]any:
		for name, value := range v {
			v[name] = masked(name, value)
		}
	case []any:
		for i, value := range v {
			v[i] = masked("", value)
		}
	}
	return value
}

// MaskURL takes a password and the values of a query out of an address.
func MaskURL(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return Mask
	}
	who := ""
	if u.User != nil {
		u.User, who = nil, Mask+"@"
	}
	if u.RawQuery != "" {
		u.RawQuery = Mask
	}
	return strings.Replace(u.String(), "//", "//"+who, 1)
}
