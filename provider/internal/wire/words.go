package wire

import (
	"encoding/json"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/weir-agents/weir/provider"
)

// wordsBytes caps what is quoted of a vendor's words.
const wordsBytes = 2 << 10

// oddBytes caps the JSON that stands for the words of an error without any.
const oddBytes = 200

// Fault is what an error object says of itself.
type Fault struct {
	Words   string    // in the vendor's own, not yet fit to be shown
	Type    string    // the vendor's name for it, "" if it told none
	numbers []float64 // of code, status, status_code
	kinds   []string  // type and code in words, lower case
	odd     string    // the error's JSON if it says none of these and is short
}

// Error returns the fault as the error of a stream that carried it.
func (f Fault) Error() *provider.Error {
	words := f.Words
	if words == "" {
		words = "the provider sent an error without words" + f.details()
	}
	return &provider.Error{Kind: provider.ProviderError, Message: words, Retryable: f.retryable()}
}

// details is what an error without words says all the same.
func (f Fault) details() string {
	all := slices.Clone(f.kinds)
	for _, n := range f.numbers {
		all = append(all, strconv.FormatFloat(n, 'f', -1, 64))
	}
	if len(all) == 0 && f.odd != "" {
		all = append(all, f.odd)
	}
	if len(all) == 0 {
		return ""
	}
	return ": " + strings.Join(all, ", ")
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
	return faultIn(v, 0)
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
		f := faultIn(inner, depth+1)
		beside := ownFault(o, depth)
		if len(f.numbers) == 0 { // some gateways put the status there, others that of the answer, or 0
			f.numbers = slices.DeleteFunc(beside.numbers, func(n float64) bool { return n < 400 })
		}
		if f.Words == "" {
			f.Words = beside.Words
		}
		return f
	}
	f := ownFault(o, depth)
	if f.Words == "" && len(f.kinds)+len(f.numbers) == 0 {
		if odd, err := json.Marshal(o); err == nil && len(o) > 0 && len(odd) <= oddBytes {
			f.odd = string(odd)
		}
	}
	return f
}

// ownFault returns what the members of o say but for an error object.
func ownFault(o map[string]any, depth int) Fault {
	var f Fault
	for _, key := range []string{"message", "error", "detail", "error_description", "msg", "errors", "title"} {
		if _, object := o[key].(map[string]any); key == "error" && object {
			continue
		}
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
// message, of a page its title, else its text. They are not yet fit to be shown.
func Words(body []byte) (string, Fault) {
	text := strings.TrimSpace(string(body))
	if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") || strings.HasPrefix(text, `"`) {
		f := FaultOf([]byte(text))
		if f.Words != "" {
			text = f.Words
		}
		return text, f
	}
	if strings.HasPrefix(text, "<") {
		text = pageWords(text)
	}
	return text, Fault{}
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

// clip cuts text to at most size bytes and whole characters.
func clip(text string, size int) string {
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
