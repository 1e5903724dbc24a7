package rules

import (
	"fmt"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"
)

// Limits of a command line; one beyond them is not read, so never allowed.
const (
	lineBytesMax = 64 << 10
	nestingMax   = 16   // wrappers and scripts inside one another
	depthMax     = 1000 // nodes of the syntax tree inside one another
)

// simple is a simple command, its first word the command.
type simple struct {
	words []word
	// evaluated says that bash evaluates what the command prints.
	evaluated bool
}

// line is what a command line does, as far as it can be read.
type line struct {
	src  string
	cmds []simple // every simple command that is written in it
	// hidden is what its wrappers run, for a deny.
	hidden []simple
	// never says why no rule allows the line; empty if one may.
	never string
	// blind says why a deny cannot be sure of what a wrapper runs.
	blind string
	// unread says why a deny cannot be sure of the line itself.
	unread string
}

// readLine reads a command line. It runs nothing and looks at no file.
func readLine(src string) *line { return readNested(src, 0) }

func readNested(src string, depth int) *line {
	l := &line{src: src}
	if len(src) > lineBytesMax {
		l.notRead(fmt.Sprintf("the command is longer than %d bytes, so it is not read", lineBytesMax))
		return l
	}
	if depth > nestingMax {
		l.notRead(fmt.Sprintf("commands inside one another deeper than %d are not read", nestingMax))
		return l
	}
	l.findInvisible()
	l.findContinued()
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true))
	file, err := parser.Parse(strings.NewReader(src), "")
	if err != nil {
		l.notRead("the command cannot be parsed as bash would (" + Show(err.Error()) + ")")
		return l
	}
	if strings.HasSuffix(src, `\`) {
		l.refuse("a backslash at the end")
	}
	v := newVisitor(l)
	syntax.Walk(file, v.visit)
	v.finish()
	for _, s := range l.cmds {
		if s.words[0].dynamic && l.unread == "" {
			l.unread = "the command word " + excerpt(s.words[0].src) + " holds an expansion"
		}
		l.unwrap(s.words, depth)
	}
	return l
}

// findInvisible refuses what a person cannot see.
func (l *line) findInvisible() {
	for _, r := range l.src {
		switch {
		case unicode.Is(unicode.Cc, r) && r != '\n' && r != '\t':
			l.refuse(fmt.Sprintf("the control character %U", r))
		case unicode.Is(unicode.Cf, r):
			l.refuse(fmt.Sprintf("the invisible format character %U", r))
		}
	}
}

// findContinued looks for lines that a backslash continues in the middle of
// something. Bash takes the backslash and the newline out before it looks for
// `$(`, `${` and `((`, also inside double quotes, and the parser does not.
// Behind a blank or a newline nothing can be put together so.
func (l *line) findContinued() {
	for at := 0; ; at++ {
		i := strings.Index(l.src[at:], "\\\n")
		if i < 0 {
			return
		}
		at += i
		before := strings.TrimRight(l.src[:at], `\`)
		switch odd := (at-len(before))%2 == 0; {
		case !odd: // a backslash that is quoted itself
		case len(before) < at, before != "" && !strings.HasSuffix(before, " ") && !strings.HasSuffix(before, "\t") && !strings.HasSuffix(before, "\n"):
			l.notRead("a line that goes on in the middle of a word is not read")
			return
		}
	}
}

// refuse notes a construct that no rule covers. The first one is told.
func (l *line) refuse(what string) {
	if l.never == "" {
		l.never = what + " is never covered by a rule"
	}
}

// refuseBecause is refuse with the whole reason.
func (l *line) refuseBecause(why string) {
	if l.never == "" {
		l.never = why
	}
}

func (l *line) notRead(why string) {
	l.refuseBecause(why)
	if l.unread == "" {
		l.unread = why
	}
}

// obscure notes that what a wrapper runs cannot be read.
func (l *line) obscure(why string) {
	if l.blind == "" {
		l.blind = why
	}
}
