package rules

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// uncovered are commands that change what the words of a line mean.
var uncovered = []string{"alias", "eval", "source", ".", "trap"}

var keywords = strings.Fields("if then else elif fi do done case esac while until for select function in " +
	"{ } ! [[ ]] time coproc")

var declarations = []string{"declare", "typeset", "local", "export", "readonly"}

// command refuses command words no rule covers, and builtins that assign or
// evaluate what they are given.
func (v *visitor) command(words []word) {
	first := words[0]
	name := first.text
	switch {
	case first.dynamic:
		v.l.refuse("the command word " + excerpt(first.src) + ", an expansion,")
		return
	case first.plain && slices.Contains(keywords, name):
		v.l.refuse("the keyword " + name + " as a command")
		return
	case strings.Contains(name, "=") || strings.Contains(name, "[") && name != "[":
		v.l.refuse("the command word " + excerpt(first.src))
		return
	case slices.Contains(uncovered, name):
		v.l.refuse("the command " + name)
		return
	}
	args := words[1:]
	if name == "command" || name == "builtin" {
		_, args, ok := wrapperOptions[name].scan(args)
		if !ok {
			v.l.refuse("what " + name + " runs cannot be read and")
		} else if len(args) > 0 {
			v.command(args)
		}
		return
	}
	for _, a := range args {
		text, fixed := a.static()
		if fixed && strings.Contains(text, "[") && strings.ContainsAny(text, "$`") {
			v.subscript = true
		}
	}
	v.builtin(name, args)
}

func (v *visitor) builtin(name string, args []word) {
	switch name {
	case "read", "mapfile", "readarray", "getopts", "unset":
		v.setter, v.evaluator, v.fills = name, name, true
		for _, a := range args {
			v.namesVariable(name, a)
		}
	case "printf":
		v.prints(args)
	case "wait":
		for _, a := range args {
			if maybeOption(a) || strings.HasPrefix(a.text, "-") && strings.Contains(a.text, "p") {
				v.l.refuse("wait -p, which assigns,")
			}
		}
	case "test", "[":
		v.evaluator = name
		v.testsVariable(args)
	case "set":
		v.setter = name
		v.options(args)
	case "shopt", "enable", "hash":
		if len(args) > 0 && strings.HasPrefix(args[0].text, "-") || slices.ContainsFunc(args, isDynamic) {
			v.l.refuse("the command " + name + " with options, which changes how bash reads or finds commands,")
		}
	case "let":
		v.l.refuse("let, which assigns,")
	default:
		if slices.Contains(declarations, name) {
			v.declares(name, args)
		}
	}
}

func isDynamic(w word) bool { return w.dynamic }

// maybeOption reports whether an expansion may make an option of the word.
func maybeOption(w word) bool { return w.dynamic && (w.prefix == 0 || w.text[0] == '-') }

// counts finds the conversion by which printf sets a variable to how many bytes
// it has written so far.
var counts = regexp.MustCompile(`%[-#'+ 0-9.*$]*[hjlLqtvz]*n`)

// prints refuses the ways in which printf assigns: -v, and %n in the format. A
// format that an expansion makes may hold either.
func (v *visitor) prints(args []word) {
	if len(args) > 0 && strings.HasPrefix(args[0].text, "-v") {
		v.l.refuse("printf -v, which assigns,")
	}
	if len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	switch {
	case len(args) == 0:
	case args[0].dynamic && (args[0].many || len(args) > 1):
		v.l.refuse("printf with the format " + excerpt(args[0].src) + ", which may assign,")
	case counts.MatchString(strings.ReplaceAll(args[0].text, "%%", "")):
		v.l.refuse("printf %n, which assigns,")
	}
}

// namesVariable takes the argument of a builtin that sets the variable named. A
// name may also stand behind the letters of options, as in -raPATH.
func (v *visitor) namesVariable(name string, a word) {
	text, ok := a.static()
	bad := !ok || strings.Contains(text, "[") || influential(text)
	for i := range text {
		bad = bad || text[0] == '-' && influential(text[i:])
	}
	if bad {
		v.l.refuse("the variable " + excerpt(a.src) + " set by " + name)
	}
	if (name == "mapfile" || name == "readarray") && strings.HasPrefix(text, "-") && strings.Contains(text, "C") {
		v.l.refuse(name + " -C, which runs a command,")
	}
}

func (v *visitor) testsVariable(args []word) {
	for i, a := range args {
		// What an expansion makes may be -v, and the next word its variable.
		if a.many || i > 0 && a.dynamic && maybeOption(args[i-1]) {
			v.splits = a.src
		}
		if a.text != "-v" && a.text != "-R" || i+1 == len(args) {
			continue
		}
		if text, ok := args[i+1].static(); !ok || !variable.MatchString(text) {
			v.l.refuse("the variable name " + excerpt(args[i+1].src) + ", which bash evaluates,")
		}
	}
}

// options takes those of set that do not change how bash reads the line.
func (v *visitor) options(args []word) {
	for i := 0; i < len(args); i++ {
		text, ok := args[i].static()
		if text == "--" && ok {
			return
		}
		harmless := ok && text != "" && (text[0] != '-' && text[0] != '+' || strings.Trim(text[1:], "efuvxCo") == "")
		if !harmless {
			v.l.refuse("the option " + excerpt(args[i].src) + " of set")
			return
		}
		if text[0] != '-' && text[0] != '+' || !strings.Contains(text, "o") || i+1 == len(args) {
			continue
		}
		i++
		if !slices.Contains(strings.Fields("errexit nounset pipefail xtrace noglob verbose noclobber"), args[i].text) {
			v.l.refuse("the option " + excerpt(args[i].src) + " of set")
		}
	}
}

// declares refuses arguments that assign or could, and attributes by which a
// later value is evaluated (-i) or names another variable (-n).
func (v *visitor) declares(name string, args []word) {
	for _, a := range args {
		text, ok := a.static()
		switch {
		case !ok || strings.ContainsAny(text, "=["):
			v.l.refuse("the assignment by " + name + " " + excerpt(a.src))
		case name != "export" && strings.HasPrefix(text, "-") && strings.ContainsAny(text, "in"):
			v.l.refuse("the attribute " + excerpt(a.src) + " of a variable")
		case variable.MatchString(text):
			v.declared = append(v.declared, text)
		}
	}
}

// declaration reads export and its like, which the parser tells from other
// commands.
func (v *visitor) declaration(n *syntax.DeclClause) {
	words := []word{fixed(n.Variant.Value)}
	for _, a := range n.Args {
		switch {
		case a.Naked && a.Index == nil && a.Value != nil:
			words = append(words, readWord(a.Value, v.l.src))
		case a.Naked && a.Index == nil && a.Name != nil:
			words = append(words, fixed(a.Name.Value))
		default:
			v.l.refuse("the assignment " + excerpt(slice(v.l.src, a)))
			w := fixed(slice(v.l.src, a))
			w.dynamic = strings.ContainsAny(w.text, "$`'\"\\*?[{~")
			words = append(words, w)
		}
	}
	v.declares(n.Variant.Value, words[1:])
	v.add(words...)
}
