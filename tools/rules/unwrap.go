package rules

import (
	"slices"
	"strings"
)

// opaque notes options of a wrapper that are not understood.
func (l *line) opaque(name string) {
	l.obscure("the words of " + name + " before the command it runs cannot be read")
}

func (l *line) unwrapPlain(name string, args []word, depth int) {
	given, rest, ok := wrapperOptions[name].scan(args)
	if !ok {
		l.opaque(name)
		return
	}
	switch {
	case name == "command" && has(given, "v", "V"): // only tells
		return
	case name == "timeout" && len(rest) > 0: // the duration
		rest = rest[1:]
	case name == "sudo" || name == "doas":
		rest, ok = skipAssignments(rest)
		if !ok {
			l.opaque(name)
			return
		}
		if len(rest) == 0 && has(given, "s", "i", "shell", "login") {
			l.obscure("what the shell of " + name + " runs cannot be read")
		}
	}
	l.runs(name, rest, depth)
}

// skipAssignments cuts off words such as A=b.
func skipAssignments(args []word) ([]word, bool) {
	for len(args) > 0 && strings.Contains(args[0].text, "=") {
		if args[0].many {
			return args, false
		}
		args = args[1:]
	}
	return args, true
}

func (l *line) unwrapEnv(name string, args []word, depth int) {
	// A lone - is -i; -S puts the words of its value in front of the rest and
	// starts anew.
	for range nestingMax {
		given, rest, ok := wrapperOptions["env"].scan(args)
		if len(rest) > 0 && rest[0].text == "-" {
			args = rest[1:]
			continue
		}
		if ok && splits(given) {
			var words []word
			if words, ok = splitString(given[len(given)-1].value); ok {
				args = append(words, rest...)
				continue
			}
		}
		if ok {
			rest, ok = skipAssignments(rest)
		}
		if ok {
			l.runs(name, rest, depth)
			return
		}
		break
	}
	l.opaque(name)
}

// splitString splits the value of env -S at blanks outside quotes. It says no
// to the escapes and expansions that env has of its own.
func splitString(value word) ([]word, bool) {
	text, ok := value.static()
	if !ok || strings.ContainsAny(text, `\$#`) {
		return nil, false
	}
	var words []word
	var now strings.Builder
	open, quote := false, byte(0)
	for i := range len(text) {
		c := text[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			now.WriteByte(c)
		case c == '\'' || c == '"':
			quote, open = c, true
		case strings.IndexByte(" \t\n\r\v\f", c) >= 0:
			if open {
				words = append(words, fixed(now.String()))
			}
			now.Reset()
			open = false
		default:
			now.WriteByte(c)
			open = true
		}
	}
	if open {
		words = append(words, fixed(now.String()))
	}
	return words, quote == 0
}

func (l *line) unwrapXargs(name string, args []word, depth int) {
	given, rest, ok := wrapperOptions[name].scan(args)
	if !ok {
		l.opaque(name)
		return
	}
	if len(rest) == 0 {
		return // echo
	}
	rest = slices.Clone(rest)
	replace := ""
	for _, o := range given {
		switch o.name {
		case "I", "J":
			replace = o.value.text
			if o.value.dynamic {
				l.opaque(name)
				return
			}
		case "i", "replace":
			replace = o.value.text
			if replace == "" {
				replace = "{}"
			}
		}
	}
	if replace == "" {
		// The input may also be empty.
		if !rest[0].dynamic {
			l.hidden = append(l.hidden, simple{words: slices.Clone(rest)})
		}
		rest = append(rest, unknown("the input of xargs"))
	}
	fill(rest, replace)
	l.runs(name, rest, depth)
}

// fill marks the words that a wrapper replaces.
func fill(words []word, mark string) {
	for i, w := range words {
		if at := strings.Index(w.text, mark); mark != "" && at >= 0 {
			if !w.dynamic || at < w.prefix {
				words[i].prefix = at
			}
			words[i].dynamic = true
		}
	}
}

func (l *line) unwrapFind(name string, args []word, depth int) {
	runs, ends := 0, 0
	for i := 0; i < len(args); i++ {
		switch args[i].text {
		case ";", "+":
			ends++
		case "-exec", "-execdir", "-ok", "-okdir":
			from := i + 1
			end := from
			for end < len(args) && !(args[end].text == ";" || args[end].text == "+" && args[end-1].text == "{}") {
				end++
			}
			words := slices.Clone(args[from:end])
			fill(words, "{}")
			l.runs("find", words, depth)
			runs++
			if end == len(args) {
				l.obscure("the end of what find runs is not there")
				return
			}
			i, ends = end, ends+1
		default:
			if args[i].many && strings.ContainsAny(args[i].text, "$`") {
				l.obscure("what find runs cannot be read: " + excerpt(args[i].src) + " may be any words")
			}
		}
	}
	if ends > runs {
		l.obscure("what find runs cannot be read")
	}
}

func (l *line) unwrapEval(name string, args []word, depth int) {
	if len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	whole := word{}
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i] = a.text
		whole.dynamic = whole.dynamic || a.dynamic
	}
	whole.text = strings.Join(texts, " ")
	whole.src = whole.text
	l.script(name, whole, depth)
}

func (l *line) unwrapTrap(name string, args []word, depth int) {
	given, rest, ok := wrapperOptions[name].scan(args)
	switch {
	case !ok:
		l.opaque(name)
	case len(rest) > 1 && len(given) == 0:
		l.script(name, rest[0], depth)
	}
}

// unwrapShell reads sh -c SCRIPT. Options may stand between -c and the script;
// o and O take a word each, also inside a cluster.
func (l *line) unwrapShell(name string, args []word, depth int) {
	runs := false
	for len(args) > 0 {
		w := args[0]
		if w.dynamic && (w.many || w.prefix == 0 || strings.ContainsAny(w.text[:1], "-+")) {
			if runs || w.many || len(args) > 1 {
				l.script(name, w, depth)
			}
			return
		}
		text := w.text
		switch {
		case text == "--" || text == "-":
			args = args[1:]
			if runs && len(args) > 0 {
				l.script(name, args[0], depth)
			}
			return
		case strings.HasPrefix(text, "--"):
			args = args[1:]
			if text == "--rcfile" || text == "--init-file" {
				args = args[min(1, len(args)):]
			}
			continue
		case len(text) < 2 || text[0] != '-' && text[0] != '+':
			if runs {
				l.script(name, w, depth)
			}
			return
		}
		runs = runs || text[0] == '-' && strings.Contains(text, "c")
		take := 1 + strings.Count(text, "o") + strings.Count(text, "O")
		args = args[min(take, len(args)):]
	}
	if runs {
		l.obscure("the script of " + name + " is not there")
	}
}
