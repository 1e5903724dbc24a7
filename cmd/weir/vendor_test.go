package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/cmd/weir/internal/config"
	"github.com/weir-agents/weir/provider"
)

// What the config file says of a vendor is what its server is sent.
func TestAVendorIsSentWhatItsFileSays(t *testing.T) {
	var head http.Header
	var body map[string]any
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head = r.Header.Clone()
		raw, _ := io.ReadAll(r.Body)
		body = nil
		_ = json.Unmarshal(raw, &body)
		_, _ = io.WriteString(w, `{"error":{"message":"enough"}}`)
	}))
	t.Cleanup(s.Close)
	both := config.Tuning{Headers: map[string]string{"X-Title": "harbor"}, Extra: map[string]json.RawMessage{"user": []byte(`"mate"`)}}
	o, a := both, both
	o.Organization, o.Project, o.GiveThinking = "org-1", "proj-1", true
	a.Betas = []string{"one", "two"}
	vendors := map[string]config.Vendor{"o": {BaseURL: s.URL, Tuning: o}, "a": {BaseURL: s.URL, Dialect: anthropic, Tuning: a}}
	for name, want := range map[string][]string{"o": {"harbor", "org-1", "proj-1", ""}, "a": {"harbor", "", "", "one,two"}} {
		u, err := upstream{model: "m"}.fromVendor(name, vendors, func(string) string { return "" })
		if err != nil {
			t.Fatal(err)
		}
		p, err := client(&flags{}, u)
		if err != nil {
			t.Fatal(err)
		}
		for range p.Stream(t.Context(), provider.Request{Model: "m", Messages: []provider.Message{
			{Role: provider.User, Blocks: []provider.Block{provider.Text{Text: "hi"}}},
			{Role: provider.Assistant, Blocks: []provider.Block{provider.Thinking{Text: "hm"}, provider.Text{Text: "ho"}}},
		}}) {
		}
		got := []string{head.Get("X-Title"), head.Get("OpenAI-Organization"), head.Get("OpenAI-Project"), head.Get("Anthropic-Beta")}
		if d := cmp.Diff(want, got); d != "" || body["user"] != "mate" {
			t.Errorf("%s: %v %s", name, body["user"], d)
		}
		raw, _ := json.Marshal(body)
		if given := strings.Contains(string(raw), `"reasoning_content":"hm"`); given != (name == "o") {
			t.Errorf("%s: thinking given back: %v", name, given)
		}
	}
}

// A vendor's own headers go to its own address, never to another one.
func TestAVendorsSecretsGoToItsAddressOnly(t *testing.T) {
	env := func(name string) string {
		return map[string]string{"OPENAI_API_KEY": "sk-o", "GROQ_API_KEY": "gk"}[name]
	}
	mine := config.Tuning{Headers: map[string]string{"X-Key": "s"}}
	vendors := map[string]config.Vendor{"openai": {Tuning: mine}, "groq": {BaseURL: "http://elsewhere"}}
	for args, want := range map[string]upstream{
		"":                                     {provider: openAI, why: "OPENAI_API_KEY", key: "sk-o", keyName: "OPENAI_API_KEY", model: defaultModels[openAI], tuning: mine},
		"--vendor openai":                      {provider: openAI, why: "--vendor openai", baseURL: presets[openAI].BaseURL, key: "sk-o", keyName: "OPENAI_API_KEY", model: defaultModels[openAI], tuning: mine},
		"--base-url http://h":                  {provider: openAI, why: "OPENAI_API_KEY", baseURL: "http://h", key: "sk-o", keyName: "OPENAI_API_KEY"},
		"--vendor groq":                        {provider: openAI, why: "--vendor groq", baseURL: "http://elsewhere", keyName: "the config file"},
		"--base-url https://api.openai.com/v1": {provider: openAI, why: "OPENAI_API_KEY", baseURL: "https://api.openai.com/v1", key: "sk-o", keyName: "OPENAI_API_KEY", model: defaultModels[openAI], tuning: mine},
	} {
		f, _, _, err := parse(strings.Fields(args), io.Discard, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := chooseUpstream(f, env, vendors, func() (server, bool) { return server{}, false })
		if d := cmp.Diff(want, got, cmp.AllowUnexported(upstream{})); d != "" || err != nil {
			t.Errorf("%q: %v\n%s", args, err, d)
		}
	}
}

func TestWhatIsOfAnotherDialectIsRefused(t *testing.T) {
	vendors := map[string]config.Vendor{"a": {BaseURL: "http://a", Dialect: anthropic, Where: "f:1", Tuning: config.Tuning{Project: "p"}}}
	_, err := upstream{}.fromVendor("a", vendors, func(string) string { return "" })
	if err == nil || err.Error() != "f:1: vendor a: project is for the dialect openai: leave it out" {
		t.Error(err)
	}
}
