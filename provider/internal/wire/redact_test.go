package wire

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
)

func TestSecretsAreFoundHoweverTheyAreWritten(t *testing.T) {
	const key = `sk-Can&ary/+7f3a"9c5e`
	basic := func(pair string) string { return base64.StdEncoding.EncodeToString([]byte(pair)) }
	for text, want := range map[string]string{
		"":                           "",
		"fair words":                 "fair words",
		"bad key " + key + ".":       "bad key [key].",
		strings.ToUpper(key):         "[key]",
		"no " + key[:8] + " and":     "no [key] and",
		"no " + key[7:16] + " and":   "no [key] and",
		"no " + key[:7] + " and":     "no sk-Can& and",
		"cut " + key[:4]:             "cut [key]",
		"cut " + key[:5] + "…":       "cut [key]…",
		"cut " + key[:6] + "...":     "cut [key]...",
		"cut " + key[:3]:             "cut sk-",
		"?k=" + url.QueryEscape(key): "?k=[key]",
		"/" + url.PathEscape(key):    "/[key]",
		url.QueryEscape("?k=" + url.QueryEscape(key)): "%3Fk%3D[key]",
		html.EscapeString(key) + "&amp;":              "[key]&amp;",
		`sk\u002dCan\u0026ary\/\u002B7f3a\"9c5e`:      "[key]",
		`sk-Can\u0026amp;ary/+7f3a`:                   "[key]",
		"sk-Can\u200b&ary/\u00ad+7f3":                 "[key]",
		"Basic " + basic(key+":") + " x":              "Basic [key]== x",
		"Basic " + basic("me:"+key):                   "Basic bWU6[key]",
		"Basic " + basic("you:"+key):                  "Basic eW91[key]==",
		"pin 1234, or 12345, at_1234 or (1234)":       "pin [key], or 12345, at_1234 or ([key])",
		"pin%201234, cut 123":                         "pin%20[key], cut 123",
		"Basic " + basic("1234:") + "!":               "Basic [key]=!",
	} {
		if got := newSecrets([]string{key, "1234", ""}).redact(text, true); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
	const own = "after 1234 bytes"
	if got := newSecrets([]string{key, "1234"}).redact(own, false); got != own {
		t.Errorf("our own words became %q", got)
	}
}

// letters are what keys are made of, and what is escaped somewhere.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~+/=&%<>'\"\\ :éß"

func randomOf(rnd *rand.Rand, n int) string {
	all := []rune(letters)
	var b strings.Builder
	for range n {
		b.WriteRune(all[rnd.IntN(len(all))])
	}
	return b.String()
}

// No eight bytes of a key in a row are quoted, and no short key, wherever and
// however it stands and wherever its text was cut.
func TestNoQuoteShowsAPieceOfAKey(t *testing.T) {
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 0))
	forms := map[string]func(string) string{
		"plain": func(s string) string { return s },
		"URL":   url.QueryEscape,
		"path":  url.PathEscape,
		"page":  html.EscapeString,
		"JSON":  func(s string) string { b, _ := json.Marshal(s); return string(b[1 : len(b)-1]) },
		"units": func(s string) string {
			var b strings.Builder
			for _, r := range s {
				fmt.Fprintf(&b, `\u%04x`, r)
			}
			return b.String()
		},
	}
	for range 400 {
		key := strings.TrimSpace(randomOf(rnd, 1+rnd.IntN(60)))
		c := NewClient(Options{Secrets: []string{key}})
		for name, form := range forms {
			written := form(key)
			text := randomOf(rnd, rnd.IntN(400)) + " " + written + " " + randomOf(rnd, rnd.IntN(400))
			if len(key) >= runBytes { // a piece of a short one is none
				text = text[rnd.IntN(len(text)):]
				text = text[:rnd.IntN(len(text)+1)]
			}
			got := c.quote(text, 1+rnd.IntN(600))
			if piece := pieceOf(got, key); piece != "" {
				t.Fatalf("seed %d, %s: %q shows %q of %q", seed, name, got, piece, key)
			}
			if strings.Contains(got, written) && written != key && len(key) >= runBytes {
				t.Fatalf("seed %d, %s: %q shows %q", seed, name, got, written)
			}
		}
	}
}

// pieceOf returns what text shows of key and must not.
func pieceOf(text, key string) string {
	if len(key) < runBytes {
		if key != "" && slicesOf(text, key) {
			return key
		}
		return ""
	}
	for i := range len(key) - runBytes + 1 {
		if piece := key[i : i+runBytes]; strings.Contains(text, piece) {
			return piece
		}
	}
	return ""
}

// slicesOf reports whether key stands in text between blanks.
func slicesOf(text, key string) bool {
	return strings.Contains(" "+text+" ", " "+key+" ")
}

func TestABaseURLTellsItsSecrets(t *testing.T) {
	for base, want := range map[string]string{
		"http://host/v1":                         "",
		"http://harbor-key@host":                 "harbor-key",
		"http://harbor-key:@host":                "harbor-key",
		"http://me:pw@host":                      "pw me:pw",
		"http://harbor-key:x@host":               "x harbor-key:x harbor-key",
		"http://host?api-version=2026-01-01&v=1": "",
		"http://host?sig=ab%2Bc":                 "ab+c",
		"http://host?u=harbor-key":               "harbor-key",
	} {
		b, err := ParseBase(base, "v1")
		if got := strings.TrimSpace(strings.Join(b.Secrets, " ")); got != want || err != nil {
			t.Errorf("%s: %q, want %q: %v", base, got, want, err)
		}
	}
	for _, bad := range []string{"http://me:harbor-key", "http://me:harbor-key@ho st", "http://harbor-key%zz@host", "ftp://harbor-key@h"} {
		if _, err := ParseBase(bad, "v1"); err == nil || strings.Contains(err.Error(), "harbor") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestSecretHeadersAreThoseThatSaySo(t *testing.T) {
	basic := base64.StdEncoding.EncodeToString([]byte("me:harbor-key"))
	for value, want := range map[string]string{
		"harbor-key":        "harbor-key",
		"Bearer harbor-key": "harbor-key",
		"Basic " + basic:    basic + " harbor-key me:harbor-key",
	} {
		got := SecretHeaders(map[string]string{"Proxy-Authorization": value, "Accept": "text/plain"})
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
}
