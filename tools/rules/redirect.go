package rules

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

var (
	descriptor = regexp.MustCompile(`^([0-9]+-?|-)$`)
	delimiter  = regexp.MustCompile(`^[A-Za-z0-9_]+$`)
)

// redirect refuses all but /dev/null, descriptors and here-documents.
func (v *visitor) redirect(n *syntax.Redirect) {
	src := slice(v.l.src, n)
	if n.N != nil && strings.Trim(n.N.Value, "0123456789") != "" {
		v.l.refuse("the assignment by " + excerpt(src))
	}
	target := readWord(n.Word, v.l.src)
	null := !target.dynamic && target.text == "/dev/null"
	switch n.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		v.input = true
		v.hereDocument(n)
	case syntax.WordHdoc:
		v.input = true
	case syntax.DplIn, syntax.DplOut:
		if target.dynamic || !descriptor.MatchString(target.text) && (!null || n.N != nil) {
			v.l.refuse("the redirection " + excerpt(src))
		}
	case syntax.RdrOut, syntax.AppOut, syntax.RdrIn, syntax.RdrInOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
		if !null {
			v.l.refuse("the redirection " + excerpt(src))
		}
	default:
		v.l.notRead("the redirection " + excerpt(src) + " is not known")
	}
}

// hereDocument finds the body line by line, as bash does, and refuses the line
// if the parser has found another one.
func (v *visitor) hereDocument(n *syntax.Redirect) {
	what := "the here-document " + excerpt(slice(v.l.src, n.Word)) + ", whose end shells may find elsewhere,"
	word := readWord(n.Word, v.l.src)
	raw := !word.plain
	end := n.Word.End().Offset()
	newline := strings.IndexByte(v.l.src[end:], '\n')
	if word.dynamic || !delimiter.MatchString(word.text) || newline < 0 || v.within(isBackquoted) {
		v.l.refuse(what)
		return
	}
	if quote := strings.Replace(slice(v.l.src, n.Word), word.text, "", 1); !slices.Contains([]string{"", "''", `""`}, quote) {
		v.l.refuse(what)
		return
	}
	from := int(end) + newline + 1
	at := from
	for {
		text, rest, more := strings.Cut(v.l.src[at:], "\n")
		found := text
		if n.Op == syntax.DashHdoc {
			found = strings.TrimLeft(text, "\t")
		}
		if found == word.text {
			v.l.compareBody(n, from, at+len(text), what)
			return
		}
		if !more || !raw && strings.HasSuffix(text, `\`) {
			v.l.refuse(what)
			return
		}
		at = len(v.l.src) - len(rest)
	}
}

// compareBody refuses a here-document that the parser has not found from from
// to to, which is behind the delimiter.
func (l *line) compareBody(n *syntax.Redirect, from, to int, what string) {
	if n.Hdoc == nil { // empty: the delimiter is the first line
		if strings.Contains(l.src[from:to], "\n") {
			l.refuse(what)
		}
		return
	}
	if int(n.Hdoc.Pos().Offset()) != from || int(n.Hdoc.End().Offset()) != to {
		l.refuse(what)
	}
}

// interpreters run what they read. A version behind the name does not matter.
var interpreters = strings.Fields(`
	sh bash rbash dash ash zsh ksh mksh csh tcsh busybox toybox pwsh powershell xonsh elvish python pypy ipython
	perl ruby irb nodejs deno bun ts-node tsx php lua luajit tclsh awk gawk mawk nawk vim nvim emacs Rscript julia
	octave guile racket sbcl clisp ghci runghc groovy kotlin jshell erl elixir iex gdb lldb psql mysql mariadb
	sqlite sqlite3 mongo mongosh gmake ssh nsenter chroot unshare docker podman kubectl crontab tmux gnuplot
	osascript`)

// ambiguous are interpreters whose names are common as other words too; they
// count as the command, or behind a wrapper.
var ambiguous = strings.Fields(`
	. source eval at batch ed ex vi expect fish m4 make node nu parallel R scala scheme screen script sed su swift
	wish java`)

// interpreted refuses a here-document or here-string in a line in which a word
// names an interpreter, or in which a wrapper runs one that cannot be read.
func (v *visitor) interpreted() {
	for _, s := range v.l.cmds {
		wraps := wrapper(path.Base(s.words[0].text)) != nil
		for i, w := range s.words {
			name := path.Base(w.text)
			if is(interpreters, name) || (i == 0 || wraps) && is(ambiguous, name) {
				v.l.refuse("a here-document or here-string in a line that runs " + excerpt(name))
			}
			if wraps && w.dynamic {
				v.l.refuse("a here-document or here-string for what " + excerpt(w.src) + " may run")
			}
		}
	}
}

// is reports whether name, or name less a version, is in list.
func is(list []string, name string) bool {
	return slices.Contains(list, name) || slices.Contains(list, strings.TrimRight(name, "0123456789.-"))
}
