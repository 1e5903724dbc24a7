package config

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/tools"
)

const tuned = `[vendors.gate]
base-url = "http://gate"
organization = "org-1"
project = "proj-1"
give-thinking = true
betas = ["a", "b"]
[vendors.gate.headers]
X-Title = "harbor"
X-Api-Key = "canary-1"
Authorization = "Bearer canary-2"
[vendors.gate.extra]
user = "mate"
provider = {order = ["x"], api_key = "canary-3", limit = 1.5}
`

// What a vendor is sent is read with its types and printed without its secrets.
func TestWhatAVendorIsSentIsReadAndPrintedWithoutSecrets(t *testing.T) {
	in := house(t, tuned, "")
	s := load(t, in)
	v := s.Vendors["gate"]
	if v.Headers["X-Api-Key"] != "canary-1" || string(v.Extra["provider"]) != `{"api_key":"canary-3","limit":1.5,"order":["x"]}` || !v.GiveThinking {
		t.Errorf("%+v", v)
	}
	got := map[string]string{}
	for _, set := range s.All() {
		if name, ok := strings.CutPrefix(set.Name, "vendors.gate."); ok {
			got[name] = set.Parts[0].Text
			if from := in.short(set.Parts[0].From); from != "USER/config.toml:1" {
				t.Errorf("%s: from %s", name, from)
			}
		}
	}
	want := map[string]string{
		"base-url": "http://gate", "organization": "org-1", "project": "proj-1", "betas": "a, b", "give-thinking": "true",
		"headers.X-Title": "harbor", "headers.X-Api-Key": Mask, "headers.Authorization": Mask,
		"extra.user": `"mate"`, "extra.provider": `{"api_key":"` + Mask + `","limit":1.5,"order":["x"]}`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestPromise9NamesOfSecretsAreTheSameEverywhere has each name as a header in what
// is printed, in what providers never repeat, and as a variable that commands and
// hooks do not get. The lists of the two leaves cannot be one.
func TestPromise9NamesOfSecretsAreTheSameEverywhere(t *testing.T) {
	for _, name := range []string{
		"Authorization", "Proxy-Authorization", "X-Api-Key", "X-Auth", "X-Access-Token", "X-Tokens", "Client-Secret", "Cookie", "X-Password", "X-Passwd",
		"X-Passphrase", "X-Pwd", "X-Signature", "X-Sig", "X-Credential", "X-Credentials", "X-Amz-Security-Token",
	} {
		if !provider.NamesSecret(name) {
			t.Errorf("a provider may repeat %s", name)
		}
		if got := (Tuning{Headers: map[string]string{name: "canary"}}).print(); !slices.Contains(got, [2]string{"headers." + name, Mask}) {
			t.Errorf("%s is printed: %v", name, got)
		}
		variable := strings.ToUpper(strings.ReplaceAll(name, "-", "_")) + "=canary"
		if left := tools.WithoutSecrets([]string{variable, strings.ToLower(variable)}, nil); left != nil {
			t.Errorf("commands get %v", left)
		}
	}
	for _, name := range []string{"X-Title", "User-Agent", "Accept", "X-Request-Id"} {
		if provider.NamesSecret(name) {
			t.Errorf("%s is taken for a secret", name)
		}
	}
}

func TestMistakesInWhatAVendorIsSentAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"[vendors.a]\nhedaers = {}":                       `2: unknown key "vendors.a.hedaers"; did you mean vendors.a.headers?`,
		"[vendors.a]\ngive-thinkin = true":                `2: unknown key "vendors.a.give-thinkin"; did you mean vendors.a.give-thinking?`,
		"[vendors.a]\nheaders = {X = \"a\\ncanary\"}":     "1: vendor a: headers: the value of X has line breaks or control characters",
		"[vendors.a]\nheaders = {\"X Y\" = \"canary\"}":   `1: vendor a: headers: "X Y" is no name of a header`,
		"[vendors.a]\nextra = {x = nan}":                  "1: vendor a: extra.x has no form in JSON",
		"[vendors.a]\nheaders = {X = 1}":                  "2: ",
		"[vendors.a]\nbetas = \"one\"":                    "2: ",
		"[vendors.a]\nheaders = {X = {Y = \"canary\"}}\n": `2: unknown key "vendors.a.headers.X.Y"`,
	} {
		_, err := Load(house(t, text, ""))
		if err == nil || !strings.Contains(err.Error(), FileName+":"+want) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
