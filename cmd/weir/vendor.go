package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/weir-agents/weir/cmd/weir/internal/config"
)

// presets are the named servers that everyone has; a config file may add others
// and replace these.
var presets = map[string]config.Vendor{
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
	v, ok := own[name]
	if !ok {
		v, ok = presets[name]
	}
	if !ok {
		all := slices.Concat(slices.Collect(maps.Keys(own)), slices.Collect(maps.Keys(presets)))
		slices.Sort(all)
		return u, usagef("there is no vendor %q; there are %s", name, strings.Join(slices.Compact(all), ", "))
	}
	u.provider, u.why, u.baseURL = v.Dialect, "--vendor "+name, v.BaseURL
	if u.provider == "" {
		u.provider = openAI
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
