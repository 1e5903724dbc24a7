package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"
)

// kind is what a key's value must be.
type kind int

const (
	text kind = iota
	choice
	flag
	count
	amount
	duration
	texts // a list; the highest layer that has one sets it
	rules // a list; every layer adds to it
)

// key is a setting by the name of its flag.
type key struct {
	name    string
	kind    kind
	choices []string // of a choice, the strictest first
	env     []string // variables, the first that is set counts
	// narrow says how a project that is not trusted may use it.
	narrow narrowing
	// person is the first choice, by index, that no project may take; 0 is none.
	person int
}

// narrowing is a use of a key that can only take something away.
type narrowing int

const (
	never    narrowing = iota
	adds               // further refusals
	lowers             // a smaller limit; 0 is none
	stricter           // an earlier choice
	fewer              // a part of the list
)

// keys are the settings, in the order they are printed.
var keys = []key{
	{name: "vendor", kind: text},
	{name: "provider", kind: choice, choices: []string{"openai", "anthropic", "script"}, env: []string{"WEIR_PROVIDER"}},
	{name: "base-url", kind: text, env: []string{"OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"}},
	{name: "model", kind: text, env: []string{"WEIR_MODEL"}},
	{name: "script", kind: text},
	{name: "no-probe", kind: flag},
	{name: "no-stream", kind: flag},
	{name: "fallback-model", kind: texts},
	{name: "context-tokens", kind: count, env: []string{"WEIR_CONTEXT_TOKENS"}},
	{name: "thinking", kind: choice, choices: []string{"off", "summary"}},
	{name: "system", kind: text},
	{name: "append-system", kind: text},
	{name: "output-format", kind: choice, choices: []string{"text", "json", "jsonl"}},
	{name: "deltas", kind: choice, choices: []string{"none", "text", "tools"}},
	{name: "quiet", kind: flag},
	{name: "verbose", kind: flag},
	{name: "max-steps", kind: count, narrow: lowers},
	{name: "max-tokens-total", kind: count, narrow: lowers},
	{name: "max-cost", kind: amount, narrow: lowers},
	{name: "price", kind: text},
	{name: "timeout", kind: duration, narrow: lowers},
	{name: "attempts", kind: count, narrow: lowers},
	{name: "connect-timeout", kind: duration},
	{name: "first-byte-timeout", kind: duration},
	{name: "idle-timeout", kind: duration},
	{name: "mode", kind: choice, choices: []string{"read-only", "plan", "ask", "accept-edits", "bypass"}, narrow: stricter, person: 4},
	{name: "allow", kind: rules},
	{name: "deny", kind: rules, narrow: adds},
	{name: "sandbox", kind: choice, choices: []string{"on", "auto", "off"}, narrow: stricter, person: 2},
	{name: "tools", kind: texts, narrow: fewer},
	{name: "parallel", kind: count, narrow: lowers},
	{name: "eager", kind: flag},
	{name: "strict-arguments", kind: flag},
	{name: "add-dir", kind: texts},
}

// FlagsOnly are the flags of a turn that no file can set.
var FlagsOnly = []string{"prompt", "cwd"}

func keyOf(name string) (key, bool) {
	at := slices.IndexFunc(keys, func(k key) bool { return k.name == name })
	if at < 0 {
		return key{}, false
	}
	return keys[at], true
}

// read checks a value of a file and returns it as flags are written.
func (k key) read(value any) ([]string, error) {
	list, isList := value.([]any)
	if k.kind == texts || k.kind == rules {
		if !isList {
			return nil, fmt.Errorf("%s must be a list of texts, such as [\"one\", \"two\"]", k.name)
		}
		out := make([]string, len(list))
		for i, one := range list {
			s, ok := one.(string)
			if !ok {
				return nil, fmt.Errorf("%s holds something that is no text", k.name)
			}
			out[i] = s
		}
		return out, nil
	}
	one, err := k.scalar(value)
	return []string{one}, err
}

func (k key) scalar(value any) (string, error) {
	s, isText := value.(string)
	b, isBool := value.(bool)
	n, isInt := value.(int64)
	f, isFloat := value.(float64)
	switch {
	case k.kind == text && isText:
		return s, nil
	case k.kind == choice && isText:
		if !slices.Contains(k.choices, s) {
			return "", fmt.Errorf("%s is %q, must be one of %q", k.name, s, k.choices)
		}
		return s, nil
	case k.kind == flag && isBool:
		return strconv.FormatBool(b), nil
	case k.kind == count && isInt && n >= 0:
		return strconv.FormatInt(n, 10), nil
	case k.kind == amount && isInt && n >= 0:
		return strconv.FormatInt(n, 10), nil
	case k.kind == amount && isFloat && f >= 0 && !math.IsInf(f, 1):
		return strconv.FormatFloat(f, 'g', -1, 64), nil
	case k.kind == duration && isText:
		d, err := time.ParseDuration(s)
		if err != nil || d < 0 {
			return "", fmt.Errorf("%s is %q, must be a duration, such as \"90s\"", k.name, s)
		}
		return s, nil
	}
	return "", fmt.Errorf("%s must be %s", k.name, map[kind]string{
		text: "a text", choice: "a text", flag: "true or false", count: "a whole number of 0 or more",
		amount: "a number of 0 or more", duration: `a duration as a text, such as "90s"`,
	}[k.kind])
}

// narrowed returns what is left of have when a project asks for want, and
// whether want only takes away.
func (k key) narrowed(have, want []string) ([]string, bool) {
	switch k.narrow {
	case adds:
		return append(slices.Clone(have), want...), true
	case lowers:
		h, w := k.size(have), k.size(want)
		if w > 0 && (h == 0 || w <= h) {
			return want, true
		}
	case stricter:
		if len(have) == 1 && slices.Index(k.choices, want[0]) <= slices.Index(k.choices, have[0]) {
			return want, true
		}
	case fewer:
		if len(have) == 0 || slices.Equal(want, []string{"none"}) {
			return want, len(want) > 0
		}
		part := slices.DeleteFunc(slices.Clone(want), func(s string) bool { return !slices.Contains(have, s) })
		if len(part) == 0 {
			part = []string{"none"}
		}
		return part, len(want) > 0
	}
	return have, false
}

// size is a limit as a number; 0 is no limit.
func (k key) size(value []string) float64 {
	if len(value) == 0 {
		return 0
	}
	if k.kind == duration {
		d, _ := time.ParseDuration(value[0]) // 0 where it is empty: no limit
		return float64(d)
	}
	n, _ := strconv.ParseFloat(value[0], 64) // likewise
	return n
}
