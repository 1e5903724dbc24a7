package main

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/weir-agents/weir/cmd/weir/internal/config"
)

// The providers, as --provider spells them.
const (
	openAI    = "openai"
	anthropic = "anthropic"
	scripted  = "script"
)

// defaultModels are what the vendors are asked for where nobody names one.
var defaultModels = map[string]string{openAI: "gpt-5.5", anthropic: "claude-sonnet-5-5"}

// keyNames are the variables that hold a vendor's key, the first that is set counts.
var keyNames = map[string][]string{
	openAI:    {"OPENAI_API_KEY"},
	anthropic: {"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"},
}

// baseNames are the variables that hold a server's address.
var baseNames = map[string]string{openAI: "OPENAI_BASE_URL", anthropic: "ANTHROPIC_BASE_URL"}

// vendorHosts are the vendors' own addresses, which need a key.
var vendorHosts = map[string]string{openAI: "api.openai.com", anthropic: "api.anthropic.com"}

// environ looks a variable of the environment up; "" is the same as unset.
type environ func(name string) string

// server is a model server found on this machine.
type server struct {
	name    string
	baseURL string
	models  []string // at least one
}

// upstream says whom to ask.
type upstream struct {
	provider string
	why      string // what made it this one
	baseURL  string // empty: the vendor's own
	key      string
	keyName  string // the variable the key came from
	model    string // empty: the first that the server lists
	script   string // file to play; empty with provider script: the demo
	tuning   config.Tuning
}

// demo reports whether nothing better than the built-in demo was found.
func (u upstream) demo() bool { return u.provider == scripted && u.script == "" }

// chooseUpstream decides whom to ask: what the flags name, else the vendor
// whose key or address is set, else a server that probe finds, else the demo.
// probe is called in that case only.
func chooseUpstream(f *flags, env environ, vendors map[string]config.Vendor, probe func() (server, bool)) (upstream, error) {
	u := upstream{model: f.Model, script: f.Script, baseURL: f.BaseURL}
	switch {
	case f.Script != "" && f.Provider != "" && f.Provider != scripted:
		return u, usagef("--script plays a script, so --provider %s does not go with it: leave one out", f.Provider)
	case f.Vendor != "" && f.Script == "" && f.Provider == "" && f.BaseURL == "":
		return u.fromVendor(f.Vendor, vendors, env)
	case f.Script != "":
		u.provider, u.why = scripted, "--script"
	case f.Provider != "":
		u.provider, u.why = f.Provider, "--provider or WEIR_PROVIDER"
	default:
		u.provider, u.why = byEnvironment(f, env)
	}
	if u.provider == "" {
		found, ok := server{}, false
		if !f.NoProbe {
			found, ok = probe()
		}
		if !ok {
			u.provider, u.why = scripted, "no key is set and no local server was found"
			if f.NoProbe {
				u.why = "no key is set"
			}
			return u, nil
		}
		u.provider, u.why, u.baseURL = openAI, found.name+" on this machine", found.baseURL
		if u.model == "" {
			u.model = found.models[0]
		}
		return u, nil
	}
	if u.provider == scripted {
		return u, nil
	}
	return u.at(env, vendors)
}

// byEnvironment names the vendor whose key or address is there, "" for none.
// Where both are, the model's name decides, and then the order of the flag.
func byEnvironment(f *flags, env environ) (name, why string) {
	set := func(name string) string {
		for _, v := range append(slices.Clone(keyNames[name]), baseNames[name]) {
			if env(v) != "" {
				return v
			}
		}
		return ""
	}
	o, a := set(openAI), set(anthropic)
	claude := strings.HasPrefix(f.Model, "claude")
	switch {
	case o != "" && (a == "" || !claude):
		return openAI, o
	case a != "":
		return anthropic, a
	case f.BaseURL != "" && claude:
		return anthropic, "--base-url and the model's name"
	case f.BaseURL != "":
		return openAI, "--base-url"
	default:
		return "", ""
	}
}

// at fills in address, key and model of a vendor or of a server that speaks
// its dialect. What the config file says of a vendor of that name goes to the
// vendor's own address only: it may hold secrets.
func (u upstream) at(env environ, vendors map[string]config.Vendor) (upstream, error) {
	from := "--base-url"
	if u.baseURL == "" {
		from = baseNames[u.provider]
		u.baseURL = env(from)
	}
	own := u.baseURL == ""
	if !own {
		host, err := checkBase(u.baseURL)
		if err != nil {
			return u, usagef("%s: %s", from, err)
		}
		own = host == vendorHosts[u.provider]
	}
	for _, name := range keyNames[u.provider] {
		if key := strings.TrimSpace(env(name)); key != "" {
			u.key, u.keyName = key, name
			break
		}
	}
	if err := u.checkKey(); err != nil {
		return u, err
	}
	if own && u.key == "" {
		return u, usagef("%s needs a key: set %s, or name another server with --base-url", u.provider, keyNames[u.provider][0])
	}
	if !own {
		return u, nil
	}
	v, _ := vendorOf(u.provider, vendors)
	if u.model == "" {
		u.model = cmp.Or(v.Model, defaultModels[u.provider])
	}
	if host, _ := checkBase(v.BaseURL); host != vendorHosts[u.provider] || v.Dialect != u.provider { // another server by that name
		return u, nil
	}
	return u, u.tune(u.provider, v)
}

// checkKey refuses a key that cannot be one, without repeating it.
func (u upstream) checkKey() error {
	if strings.ContainsFunc(u.key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return usagef("%s holds characters that no key has: set it again without line breaks and quotes", u.keyName)
	}
	return nil
}

// checkBase returns the host of a server's address.
func checkBase(base string) (host string, err error) {
	if !strings.Contains(base, "://") {
		base = "http://" + base
	}
	v, err := url.Parse(base)
	if err != nil {
		return "", fmt.Errorf("not a URL, such as http://localhost:11434/v1")
	}
	if (v.Scheme != "http" && v.Scheme != "https") || v.Host == "" {
		// The rest of it may hold a key.
		return "", fmt.Errorf("%q is not a URL, such as http://localhost:11434/v1", v.Scheme+"://"+v.Host)
	}
	return v.Hostname(), nil
}
