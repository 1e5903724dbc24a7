package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/weir-agents/weir/cmd/weir/internal/config"
)

// presets are the named servers that everyone has; a config file may add others
// and change these.
var presets = map[string]config.Vendor{
	openAI:       {Dialect: openAI, BaseURL: "https://api.openai.com/v1", KeyEnv: "OPENAI_API_KEY", Model: defaultModels[openAI]},
	anthropic:    {Dialect: anthropic, BaseURL: "https://api.anthropic.com/v1", KeyEnv: "ANTHROPIC_API_KEY", Model: defaultModels[anthropic]},
	"ollama":     {BaseURL: "http://127.0.0.1:11434/v1"},
	"lmstudio":   {BaseURL: "http://127.0.0.1:1234/v1"},
	"llamacpp":   {BaseURL: "http://127.0.0.1:8080/v1"},
	"vllm":       {BaseURL: "http://127.0.0.1:8000/v1"},
	"openrouter": {BaseURL: "https://openrouter.ai/api/v1", KeyEnv: "OPENROUTER_API_KEY"},
	"groq":       {BaseURL: "https://api.groq.com/openai/v1", KeyEnv: "GROQ_API_KEY"},
	"deepseek":   {BaseURL: "https://api.deepseek.com/v1", KeyEnv: "DEEPSEEK_API_KEY"},
	"mistral":    {BaseURL: "https://api.mistral.ai/v1", KeyEnv: "MISTRAL_API_KEY"},
	"together":   {BaseURL: "https://api.together.xyz/v1", KeyEnv: "TOGETHER_API_KEY"},
	"xai":        {BaseURL: "https://api.x.ai/v1", KeyEnv: "XAI_API_KEY"},
}

// fromVendor makes the upstream that --vendor names.
func (u upstream) fromVendor(name string, own map[string]config.Vendor, env environ) (upstream, error) {
	v, ok := vendorOf(name, own)
	if !ok {
		all := slices.Concat(slices.Collect(maps.Keys(own)), slices.Collect(maps.Keys(presets)))
		slices.Sort(all)
		return u, usagef("--vendor is %q, must be one of %s", name, strings.Join(slices.Compact(all), ", "))
	}
	u.provider, u.why, u.baseURL = v.Dialect, "--vendor "+name, v.BaseURL
	if err := u.tune(name, v); err != nil {
		return u, err
	}
	if u.model == "" {
		u.model = v.Model
	}
	u.key, u.keyName = v.Key, "the config file"
	if v.KeyEnv != "" {
		u.key, u.keyName = strings.TrimSpace(env(v.KeyEnv)), v.KeyEnv
		if u.key == "" {
			return u, usagef("vendor %s needs a key: set %s", name, v.KeyEnv)
		}
	}
	if u.baseURL == "" {
		return u, usagef("vendor %s has no base-url", name)
	}
	if _, err := checkBase(u.baseURL); err != nil {
		return u, usagef("vendor %s: base-url: %s", name, err)
	}
	return u, u.checkKey()
}

// vendorOf returns a vendor of the config file, what it leaves open filled in
// from the preset of its name, else the preset. The preset's key goes nowhere
// but to the preset's address.
func vendorOf(name string, own map[string]config.Vendor) (config.Vendor, bool) {
	v, ok := own[name]
	preset, known := presets[name]
	if !ok {
		v = preset
	}
	if v.BaseURL == "" {
		v.BaseURL = preset.BaseURL
		v.Dialect = cmp.Or(v.Dialect, preset.Dialect)
		v.Model = cmp.Or(v.Model, preset.Model)
		if v.Key == "" && v.KeyEnv == "" {
			v.KeyEnv = preset.KeyEnv
		}
	}
	v.Dialect = cmp.Or(v.Dialect, openAI)
	return v, ok || known
}

// tune takes over what the vendor is sent beside the usual, which must be of its
// dialect.
func (u *upstream) tune(name string, v config.Vendor) error {
	for _, only := range []struct {
		dialect, key string
		set          bool
	}{
		{openAI, "organization", v.Organization != ""},
		{openAI, "project", v.Project != ""},
		{openAI, "give-thinking", v.GiveThinking},
		{anthropic, "betas", len(v.Betas) > 0},
	} {
		if only.set && v.Dialect != only.dialect {
			return usagef("%s: vendor %s: %s is for the dialect %s: leave it out", v.Where, name, only.key, only.dialect)
		}
	}
	u.tuning = v.Tuning
	return nil
}
