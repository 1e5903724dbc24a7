package wire

import (
	"encoding/json"
	"errors"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/weir-agents/weir/provider"
)

const (
	// wordsBytes caps what is quoted of a vendor's words.
	wordsBytes = 2 << 10
	// secretBytes is the length from which a secret is looked for in a text: a
	// dummy such as "ollama" would be found in honest words.
	secretBytes = 8
)

// Fault is what an error object says of itself.
type Fault struct {
	Words   string    // in the vendor's own, not yet fit to be shown
	Type    string    // the vendor's name for it, "" if it told none
	numbers []float64 // of code, status, status_code
	kinds   []string  // type and code in words, lower case
}

// Error returns the fault as the error of a stream that carried it.
func (f Fault) Error() *provider.Error {
	words := f.Words
	if words == "" {
		words = "the provider sent an error without words"
	}
	return &provider.Error{Kind: provider.ProviderError, Message: words, Retryable: f.retryable()}
}

// finalKinds mark an error that the same request will meet again.
var finalKinds = []string{
	"invalid", "authentication", "permission", "not_found", "quota", "billing",
	"context_length", "content_filter", "content_policy", "too_large", "unsupported",
}

func (f Fault) retryable() bool {
	for _, n := range f.numbers {
		if n >= 400 && n <= 499 && n != 408 && n != 409 && n != 429 {
			return false
		}
	}
	return len(f.numbers) > 0 || !f.holds(finalKinds...)
}

// owesMoney reports a refusal that waiting does not mend, whatever its status.
func (f Fault) owesMoney() bool { return f.holds("quota", "billing") }

func (f Fault) holds(words ...string) bool {
	return slices.ContainsFunc(f.kinds, func(kind string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(kind, w) })
	})
}

// FaultOf reads an error: an object, a JSON string, or an object or array that
// holds one.
func FaultOf(raw []byte) Fault {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return Fault{Words: string(raw)}
	}
	f := faultIn(v, 0)
	if f.Words == "" && v != nil {
		f.Words = string(raw)
	}
	return f
}

// faultIn looks through the wrappings that gateways put around an error.
func faultIn(v any, depth int) Fault {
	switch v := v.(type) {
	case string:
		return Fault{Words: v}
	case []any:
		if len(v) > 0 && depth < 4 {
			return faultIn(v[0], depth+1)
		}
	case map[string]any:
		return faultOfObject(v, depth)
	}
	return Fault{}
}

func faultOfObject(o map[string]any, depth int) Fault {
	if depth >= 4 {
		return Fault{}
	}
	if inner, ok := o["error"].(map[string]any); ok {
		return faultIn(inner, depth+1)
	}
	var f Fault
	for _, key := range []string{"message", "error", "detail", "error_description", "msg", "errors", "title"} {
		if f.Words == "" && o[key] != nil {
			f.Words = faultIn(o[key], depth+1).Words
		}
	}
	if meta, ok := o["metadata"].(map[string]any); ok {
		if raw, ok := meta["raw"].(string); ok && raw != "" { // a router quotes its upstream
			f.Words += ": " + raw
		}
	}
	for _, key := range []string{"code", "status", "status_code", "type"} {
		switch member := o[key].(type) {
		case float64:
			if key != "type" {
				f.numbers = append(f.numbers, member)
			}
		case string:
			if n, err := strconv.ParseUint(member, 10, 32); err == nil && key != "type" {
				f.numbers = append(f.numbers, float64(n))
			} else if key == "type" || key == "code" {
				f.kinds = append(f.kinds, strings.ToLower(member))
			}
			if key == "type" {
				f.Type = member
			}
		}
	}
	return f
}

var (
	titled = regexp.MustCompile(`(?is)<(title|h1)[^>]*>(.*?)</(?:title|h1)>`)
	unseen = regexp.MustCompile(`(?is)<(style|script|head)[^>]*>.*?</(?:style|script|head)>`)
	tag    = regexp.MustCompile(`<[^>]*>`)
)

// Words returns what a body that should have been an answer says: of JSON its
// message, of a page its title, else its text.
func Words(body []byte) (string, Fault) {
	text := strings.TrimSpace(string(body))
	if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") || strings.HasPrefix(text, `"`) {
		f := FaultOf([]byte(text))
		return clip(f.Words, refusalBytes), f
	}
	if strings.HasPrefix(text, "<") {
		text = pageWords(text)
	}
	return clip(text, refusalBytes), Fault{}
}

func pageWords(page string) string {
	var parts []string
	for _, m := range titled.FindAllStringSubmatch(page, 2) {
		words := strings.TrimSpace(html.UnescapeString(tag.ReplaceAllString(m[2], " ")))
		if words != "" && !slices.Contains(parts, words) {
			parts = append(parts, words)
		}
	}
	if len(parts) > 0 {
		return strings.Join(parts, ": ")
	}
	return html.UnescapeString(tag.ReplaceAllString(unseen.ReplaceAllString(page, " "), " "))
}

// clip makes foreign text fit to be shown: one line, no control characters, at
// most size bytes and whole characters.
func clip(text string, size int) string {
	text = plain(text)
	if len(text) <= size {
		return text
	}
	return strings.ToValidUTF8(text[:size], "") + "…"
}

// plain makes foreign text one line without control characters.
func plain(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\ufffd")), " ")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
}

// redacted takes the secrets out of e: after its control characters, which may
// stand within one, and before its words are capped, which may cut one in two.
func (c *Client) redacted(e *provider.Error) *provider.Error {
	e.Message = clip(c.redact(plain(e.Message)), wordsBytes)
	e.URL = c.redact(e.URL)
	if e.Err != nil && c.redact(e.Err.Error()) != e.Err.Error() {
		e.Err = errors.New(c.redact(e.Err.Error()))
	}
	return e
}

func (c *Client) redact(text string) string {
	for _, s := range c.opts.Secrets {
		if len(s) < secretBytes {
			continue
		}
		for _, form := range formsOf(s) {
			text = strings.ReplaceAll(text, form, "[key]")
		}
		text = cutTail(text, s)
	}
	return text
}

// cutTail takes the beginning of a secret from the end of a text that was cut
// there before it came here.
func cutTail(text, secret string) string {
	bare, dots := strings.CutSuffix(text, "…")
	for n := len(secret) - 1; n >= secretBytes/2; n-- {
		if rest, ok := strings.CutSuffix(bare, secret[:n]); ok {
			if text = rest + "[key]"; dots {
				text += "…"
			}
			return text
		}
	}
	return text
}

// formsOf returns the ways in which a server may write s: as it is, in a URL or
// a page, and each of them within JSON. Only failures pay for it.
func formsOf(s string) []string {
	unquoted := strings.NewReplacer(`\u0026`, "&", `\u003c`, "<", `\u003e`, ">")
	var all []string
	for _, form := range []string{s, url.QueryEscape(s), url.PathEscape(s), html.EscapeString(s)} {
		quoted, _ := json.Marshal(form) // a string cannot fail
		inner := string(quoted[1 : len(quoted)-1])
		for _, f := range []string{form, inner, unquoted.Replace(inner)} {
			all = append(all, f, strings.ReplaceAll(f, "/", `\/`))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
