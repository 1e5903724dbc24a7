package rules

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// options says how a wrapper's own options are told from the command it runs.
type options struct {
	flags    string // letters without an argument
	valued   string // letters with an argument, attached or the next word
	optional string // letters with an argument only if attached
	// long names options without an argument; `name=` must have one, attached
	// or the next word; `name?` may have one, attached.
	long string
	// digits says that `-5` is an option.
	digits bool
	// splits says that -S puts words in front of those behind it.
	splits bool
}

// option is one that was given; value is only meaningful where it takes one.
type option struct {
	name  string
	value word
}

var wrapperOptions = map[string]options{
	"env": {
		flags: "i0v", valued: "uCSPa", long: "ignore-environment null unset= chdir= split-string= debug block-signal? " +
			"default-signal? ignore-signal? list-signal-handling argv0= help version",
		splits: true,
	},
	"sudo": {
		flags: "ABbEHKklNnPSsVvi", valued: "aCcDgpRrTtUu", long: "askpass auth-type= background bell close-from= login-class= " +
			"chdir= preserve-env? group= set-home help login remove-timestamp reset-timestamp list no-update " +
			"non-interactive preserve-groups prompt= chroot= role= stdin shell type= command-timeout= other-user= " +
			"user= version validate",
	},
	"doas": {flags: "Lns", valued: "aCu"},
	"xargs": {
		flags: "0oprtx", valued: "adEILnPsJR", optional: "eil", long: "null arg-file= delimiter= eof? replace? max-lines? " +
			"max-args= open-tty max-procs= process-slot-var= interactive no-run-if-empty max-chars= show-limits " +
			"verbose exit help version",
	},
	"timeout": {flags: "vfp", valued: "ks", long: "kill-after= signal= preserve-status foreground verbose help version"},
	"nohup":   {long: "help version"},
	"nice":    {valued: "n", long: "adjustment= help version", digits: true},
	"ionice":  {flags: "thV", valued: "cnpPu", long: "class= classdata= pid= pgid= uid= ignore help version"},
	"stdbuf":  {valued: "ioe", long: "input= output= error= help version"},
	"setsid":  {flags: "cfwhV", long: "ctty fork wait help version"},
	"command": {flags: "pvV"},
	"builtin": {},
	"exec":    {flags: "cl", valued: "a"},
	"time":    {flags: "apqvV", valued: "fo", long: "append format= output= portability quiet verbose help version"},
	"eval":    {},
	"trap":    {flags: "lpP"},
}

var obsoleteNice = regexp.MustCompile(`^-[-+]?[0-9]+$`)

// scan cuts a wrapper's own options off. It says no if an option is not known
// or a word in their place holds an expansion.
func (o options) scan(args []word) (given []option, rest []word, ok bool) {
	for len(args) > 0 {
		w := args[0]
		if w.dynamic && (w.many || w.prefix == 0 || w.text[0] == '-') {
			return nil, args, false
		}
		text := w.text
		switch {
		case text == "--":
			return given, args[1:], true
		case o.digits && obsoleteNice.MatchString(text):
			args = args[1:]
			continue
		case len(text) < 2 || text[0] != '-':
			return given, args, true
		}
		args = args[1:]
		var found []option
		if name, isLong := strings.CutPrefix(text, "--"); isLong {
			found, args, ok = o.scanLong(name, args)
		} else {
			found, args, ok = o.scanShort(text[1:], args)
		}
		if !ok {
			return nil, args, false
		}
		given = append(given, found...)
		if o.splits && splits(found) {
			return given, args, true
		}
	}
	return given, nil, true
}

func (o options) scanShort(letters string, args []word) ([]option, []word, bool) {
	var found []option
	for i, c := range letters {
		name, after := string(c), letters[i+len(string(c)):]
		switch {
		case strings.Contains(o.flags, name):
			found = append(found, option{name: name})
			continue
		case strings.Contains(o.optional, name):
			return append(found, option{name, fixed(after)}), args, true
		case !strings.Contains(o.valued, name):
			return nil, args, false
		case after != "":
			return append(found, option{name, fixed(after)}), args, true
		case len(args) == 0 || args[0].many:
			return nil, args, false
		}
		return append(found, option{name, args[0]}), args[1:], true
	}
	return found, args, true
}

// scanLong takes `name` or `name=value`; a name may be shortened as long as it
// means one option.
func (o options) scanLong(text string, args []word) ([]option, []word, bool) {
	name, value, attached := strings.Cut(text, "=")
	var match []string
	for _, known := range strings.Fields(o.long) {
		bare := strings.TrimRight(known, "=?")
		if bare == name {
			match = []string{known}
			break
		}
		if strings.HasPrefix(bare, name) {
			match = append(match, known)
		}
	}
	if len(match) != 1 {
		return nil, args, false
	}
	bare := strings.TrimRight(match[0], "=?")
	switch {
	case attached || strings.HasSuffix(match[0], "?"):
		return []option{{bare, fixed(value)}}, args, true
	case !strings.HasSuffix(match[0], "="):
		return []option{{name: bare}}, args, true
	case len(args) == 0 || args[0].many:
		return nil, args, false
	}
	return []option{{bare, args[0]}}, args[1:], true
}

// splits reports whether the last option puts words in front of those behind
// it, as -S of env does.
func splits(found []option) bool {
	return len(found) > 0 && slices.Contains([]string{"S", "split-string"}, found[len(found)-1].name)
}

// has reports whether one of the options was given.
func has(given []option, names ...string) bool {
	return slices.ContainsFunc(given, func(o option) bool { return slices.Contains(names, o.name) })
}

// wrapper returns how to read what the command of that base name runs, nil if
// it is none that a deny looks through.
func wrapper(name string) func(l *line, name string, args []word, depth int) {
	switch name {
	case "env":
		return (*line).unwrapEnv
	case "xargs":
		return (*line).unwrapXargs
	case "find":
		return (*line).unwrapFind
	case "eval":
		return (*line).unwrapEval
	case "trap":
		return (*line).unwrapTrap
	case "sh", "bash", "dash":
		return (*line).unwrapShell
	case "sudo", "doas", "timeout", "nohup", "nice", "ionice", "stdbuf", "setsid", "command", "builtin", "exec", "time":
		return (*line).unwrapPlain
	}
	return nil
}

// unwrap adds what a command runs, if it is a wrapper, to what is hidden.
func (l *line) unwrap(words []word, depth int) {
	if len(words) == 0 || words[0].dynamic {
		return
	}
	name := path.Base(words[0].text)
	inside := wrapper(name)
	if inside == nil {
		return
	}
	if depth >= nestingMax {
		l.obscure("wrappers deeper than " + name + " are not read")
		return
	}
	inside(l, name, words[1:], depth+1)
}

// runs notes a command that a wrapper runs.
func (l *line) runs(wrapper string, words []word, depth int) {
	if len(words) == 0 {
		return
	}
	if words[0].dynamic {
		l.obscure("what " + wrapper + " runs cannot be read: " + excerpt(words[0].src) + " holds an expansion")
		return
	}
	l.hidden = append(l.hidden, simple{words: words})
	l.unwrap(words, depth)
}

// script notes a text that a wrapper runs as a command line.
func (l *line) script(wrapper string, text word, depth int) {
	if text.dynamic {
		l.obscure("the script of " + wrapper + " holds the expansion " + excerpt(text.src))
	}
	inner := readNested(text.text, depth)
	l.hidden = append(append(l.hidden, inner.cmds...), inner.hidden...)
	if inner.unread != "" {
		l.obscure("the script of " + wrapper + " cannot be read: " + inner.unread)
	}
	if inner.blind != "" {
		l.obscure(inner.blind)
	}
}
