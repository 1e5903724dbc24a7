package main

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// choose reads args and says whom they would ask.
func choose(t *testing.T, args string, env map[string]string, local ...server) (upstream, error) {
	t.Helper()
	f, _, _, err := parse(strings.Fields(args), io.Discard, nil)
	if err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	return chooseUpstream(f, func(name string) string { return env[name] }, nil, func() (server, bool) {
		if len(local) == 0 {
			return server{}, false
		}
		return local[0], true
	})
}

func TestWhomToAsk(t *testing.T) {
	ollama := server{"Ollama", "http://127.0.0.1:11434/v1", []string{"qwen", "llama"}}
	both := map[string]string{"OPENAI_API_KEY": "sk-o", "ANTHROPIC_API_KEY": "sk-a"}
	type env = map[string]string
	tests := map[string]struct {
		args  string
		env   env
		local []server
		want  upstream
	}{
		"nothing":          {"", nil, nil, upstream{provider: "script", why: "no key is set and no local server was found", model: ""}},
		"nothing wanted":   {"--no-probe", nil, []server{ollama}, upstream{provider: "script", why: "no key is set"}},
		"a local server":   {"", nil, []server{ollama}, upstream{provider: "openai", why: "Ollama on this machine", baseURL: ollama.baseURL, model: "qwen"}},
		"its other model":  {"--model llama", nil, []server{ollama}, upstream{provider: "openai", why: "Ollama on this machine", baseURL: ollama.baseURL, model: "llama"}},
		"a key":            {"", env{"OPENAI_API_KEY": " sk-o\n"}, []server{ollama}, upstream{provider: "openai", why: "OPENAI_API_KEY", key: "sk-o", keyName: "OPENAI_API_KEY", model: "gpt-5.5"}},
		"another key":      {"", env{"ANTHROPIC_API_KEY": "sk-a"}, nil, upstream{provider: "anthropic", why: "ANTHROPIC_API_KEY", key: "sk-a", keyName: "ANTHROPIC_API_KEY", model: "claude-sonnet-5-5"}},
		"a token":          {"", env{"ANTHROPIC_AUTH_TOKEN": "tok"}, nil, upstream{provider: "anthropic", why: "ANTHROPIC_AUTH_TOKEN", key: "tok", keyName: "ANTHROPIC_AUTH_TOKEN", model: "claude-sonnet-5-5"}},
		"both keys":        {"", both, nil, upstream{provider: "openai", why: "OPENAI_API_KEY", key: "sk-o", keyName: "OPENAI_API_KEY", model: "gpt-5.5"}},
		"and a model":      {"--model claude-x", both, nil, upstream{provider: "anthropic", why: "ANTHROPIC_API_KEY", key: "sk-a", keyName: "ANTHROPIC_API_KEY", model: "claude-x"}},
		"and a name":       {"--provider anthropic", both, nil, upstream{provider: "anthropic", why: "--provider or WEIR_PROVIDER", key: "sk-a", keyName: "ANTHROPIC_API_KEY", model: "claude-sonnet-5-5"}},
		"an address":       {"--base-url http://h:1", nil, []server{ollama}, upstream{provider: "openai", why: "--base-url", baseURL: "http://h:1"}},
		"address and key":  {"--base-url http://h:1/v1/", both, nil, upstream{provider: "openai", why: "OPENAI_API_KEY", baseURL: "http://h:1/v1/", key: "sk-o", keyName: "OPENAI_API_KEY"}},
		"address set":      {"", env{"ANTHROPIC_BASE_URL": "http://h:1"}, nil, upstream{provider: "anthropic", why: "ANTHROPIC_BASE_URL", baseURL: "http://h:1"}},
		"address overrode": {"--base-url http://i", env{"OPENAI_BASE_URL": "http://h"}, nil, upstream{provider: "openai", why: "OPENAI_BASE_URL", baseURL: "http://i"}},
		"a vendor":         {"--vendor groq", map[string]string{"GROQ_API_KEY": "gk"}, nil, upstream{provider: "openai", why: "--vendor groq", baseURL: "https://api.groq.com/openai/v1", key: "gk", keyName: "GROQ_API_KEY"}},
		"vendor, address":  {"--vendor groq --base-url http://h", nil, nil, upstream{provider: "openai", why: "--base-url", baseURL: "http://h"}},
		"a script":         {"--script a.json", both, nil, upstream{provider: "script", why: "--script", script: "a.json"}},
		"script by name":   {"--provider script", both, nil, upstream{provider: "script", why: "--provider or WEIR_PROVIDER"}},
	}
	for name, tt := range tests {
		got, err := choose(t, tt.args, tt.env, tt.local...)
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(upstream{})); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
}

func TestWhomNotToAsk(t *testing.T) {
	const secret = "sk-se\ncret"
	for args, tt := range map[string]struct {
		env  map[string]string
		want string
	}{
		"--provider openai":    {nil, "openai needs a key: set OPENAI_API_KEY, or name another server with --base-url"},
		"--provider anthropic": {nil, "anthropic needs a key: set ANTHROPIC_API_KEY, or name another server with --base-url"},
		"--provider openai --base-url https://api.openai.com/v1": {nil, "openai needs a key: set OPENAI_API_KEY, or name another server with --base-url"},
		"--provider openai --script x":                           {nil, "--script plays a script, so --provider openai does not go with it: leave one out"},
		"--vendor groq":                                          {nil, "vendor groq needs a key: set GROQ_API_KEY"},
		"--vendor nope":                                          {nil, `--vendor is "nope", must be one of anthropic, deepseek, groq, llamacpp, lmstudio, mistral, ollama, openai, openrouter, together, vllm, xai`},
		"--base-url ftp://h":                                     {nil, `--base-url: "ftp://h" is not a URL, such as http://localhost:11434/v1`},
		"--base-url http://":                                     {nil, `--base-url: "http://" is not a URL, such as http://localhost:11434/v1`},
		"--provider anthropic -q":                                {map[string]string{"ANTHROPIC_API_KEY": secret}, "ANTHROPIC_API_KEY holds characters that no key has: set it again without line breaks and quotes"},
	} {
		_, err := choose(t, args, tt.env)
		if err == nil || errorCode(err) != exitUsage || strings.Contains(err.Error(), "cret") {
			t.Fatalf("%s: %v", args, err)
		}
		if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
			t.Errorf("%s:\n%s", args, diff)
		}
	}
}

func TestPrices(t *testing.T) {
	for _, tt := range []struct {
		model, own string
		want       price
		known      bool
	}{
		{"gpt-5", "", price{1.25, 10, 0.125, 1.25}, true},
		{"gpt-5-2025-08-07", "", price{1.25, 10, 0.125, 1.25}, true},
		{"gpt-5-mini-2025-08-07", "", price{0.25, 2, 0.025, 0.25}, true},
		{"claude-sonnet-4-5-20250929", "", price{3, 15, 0.3, 3.75}, true},
		{"gpt-5-pro", "", highPrice, false},
		{"gpt-5.6", "", highPrice, false},
		{"claude-opus-5-5", "", price{4, 20, 0.2, 5}, true},
		{"claude-opus-5-5-pro", "", highPrice, false},
		{"gpt-5", "3, 15", price{3, 15, 3, 3}, true},
	} {
		got, known, err := priceOf(tt.model, tt.own)
		if got != tt.want || known != tt.known || err != nil {
			t.Errorf("%s at %q: %v, %v, %v", tt.model, tt.own, got, known, err)
		}
	}
	for _, model := range defaultModels {
		if _, known, err := priceOf(model, ""); !known || err != nil {
			t.Errorf("the price of %s is not known: %v", model, err)
		}
	}
	for name, p := range knownPrices() {
		if p.in <= 0 || p.out < p.in || p.cacheRead <= 0 || p.cacheRead > p.in || p.cacheWrite < p.in {
			t.Errorf("%s: %+v", name, p)
		}
	}
	for _, own := range []string{"3", "a,b", "1,", "-1,2", "NaN,1", "1,Inf"} {
		if _, _, err := priceOf("m", own); errorCode(err) != exitUsage {
			t.Errorf("%q: %v", own, err)
		}
	}
}

func TestAKeyInABadAddressIsNotRepeated(t *testing.T) {
	for _, base := range []string{"ftp://h/?key=sk-canary", "ftp://sk-canary@h/x", "http:///sk-canary"} {
		if _, err := checkBase(base); err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", base, err)
		}
	}
}
