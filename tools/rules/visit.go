package rules

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// visitor walks the tree of a line once. It collects the simple commands and
// refuses whatever is not certainly read as bash reads it.
type visitor struct {
	l *line
	// stack holds the nodes above the one visited.
	stack []syntax.Node
	// evaluates holds the nodes that bash evaluates as arithmetic.
	evaluates map[syntax.Node]bool
	// evaluating counts those on the stack.
	evaluating int
	// timed holds the commands of a `time`.
	timed map[syntax.Node]bool

	facts
}

func newVisitor(l *line) *visitor {
	return &visitor{
		l: l, evaluates: map[syntax.Node]bool{}, timed: map[syntax.Node]bool{},
		facts: facts{loops: map[string]bool{}},
	}
}

func (v *visitor) visit(n syntax.Node) bool {
	if n == nil {
		top := len(v.stack) - 1
		if v.evaluates[v.stack[top]] {
			v.evaluating--
		}
		v.stack = v.stack[:top]
		return true
	}
	if len(v.stack) >= depthMax {
		v.l.notRead("it nests too deeply to be read")
		return false
	}
	v.node(n)
	v.stack = append(v.stack, n)
	if v.evaluates[n] {
		v.evaluating++
	}
	return true
}

// within reports whether a node above the visited one satisfies is.
func (v *visitor) within(is func(syntax.Node) bool) bool { return slices.ContainsFunc(v.stack, is) }

func isSubstitution(n syntax.Node) bool {
	switch n.(type) {
	case *syntax.CmdSubst, *syntax.ProcSubst:
		return true
	}
	return false
}

func isQuoted(n syntax.Node) bool { _, ok := n.(*syntax.DblQuoted); return ok }

func isBackquoted(n syntax.Node) bool { s, ok := n.(*syntax.CmdSubst); return ok && s.Backquotes }

func (v *visitor) node(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.CallExpr:
		v.call(n)
	case *syntax.DeclClause:
		v.declaration(n)
	case *syntax.LetClause:
		v.l.refuse("let, which assigns,")
		v.l.obscure("the arithmetic of let is not read")
		v.add(fixed("let"), unknown(slice(v.l.src, n)))
	case *syntax.Stmt:
		v.statement(n)
	case *syntax.Comment:
		v.comment(n)
	case *syntax.Redirect:
		v.redirect(n)
	case *syntax.FuncDecl:
		v.l.refuse("a function")
	case *syntax.CoprocClause:
		v.l.refuse("coproc, which assigns,")
	case *syntax.BinaryCmd:
		v.pipe(n)
	case *syntax.TimeClause:
		if n.Stmt != nil && n.Stmt.Cmd != nil {
			v.timed[n.Stmt.Cmd] = true
		}
	case *syntax.ForClause:
		v.loop(n)
	case *syntax.CaseClause:
		if n.Braces {
			v.l.refuse("a case in braces")
		}
		for _, item := range n.Items {
			v.comments(item.Comments)
		}
	default:
		v.wordPart(n)
	}
}

// wordPart is node for what stands in words, arithmetic and tests.
func (v *visitor) wordPart(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.ParamExp:
		v.parameter(n)
	case *syntax.CmdSubst:
		v.substitution(n)
	case *syntax.ArithmExp:
		v.arithmetic(n.X)
	case *syntax.ArithmCmd:
		v.arithmetic(n.X)
	case *syntax.CStyleLoop:
		v.arithmetic(n.Init)
		v.arithmetic(n.Cond)
		v.arithmetic(n.Post)
	case *syntax.UnaryTest:
		v.unaryTest(n)
	case *syntax.BinaryTest:
		v.binaryTest(n)
	case *syntax.DblQuoted:
		if n.Dollar {
			v.l.refuse(`text translated by $"…"`)
		}
	case *syntax.ExtGlob:
		v.l.refuse("the extended glob " + excerpt(slice(v.l.src, n)))
		v.l.notRead("an extended glob is not read")
	case *syntax.Assign: // told by the command it belongs to
	case *syntax.File, *syntax.Subshell, *syntax.Block, *syntax.IfClause, *syntax.WhileClause,
		*syntax.WordIter, *syntax.CaseItem, *syntax.TestClause, *syntax.ParenTest,
		*syntax.Word, *syntax.Lit, *syntax.SglQuoted, *syntax.ProcSubst,
		*syntax.BinaryArithm, *syntax.UnaryArithm, *syntax.ParenArithm:
		// What they hold is visited by itself.
	default:
		v.l.notRead("the construct " + excerpt(slice(v.l.src, n)) + " is not known")
	}
}

// add notes a simple command.
func (v *visitor) add(words ...word) {
	v.l.cmds = append(v.l.cmds, simple{words: words, evaluated: v.evaluating > 0})
}

func (v *visitor) call(n *syntax.CallExpr) {
	for _, a := range n.Assigns {
		v.l.refuse("the assignment " + excerpt(slice(v.l.src, a)))
	}
	if len(n.Args) == 0 {
		return
	}
	words := make([]word, len(n.Args))
	for i, w := range n.Args {
		words[i] = readWord(w, v.l.src)
	}
	if v.timed[n] && words[0].text == "--" {
		// To bash these are words of time itself; the parser takes the first
		// for the command.
		v.l.notRead("what follows `time --` is not read")
		words = words[1:]
		for len(words) > 0 && words[0].text == "!" {
			words = words[1:]
		}
		if len(words) == 0 {
			return
		}
	}
	v.command(words)
	v.add(words...)
}

func (v *visitor) statement(n *syntax.Stmt) {
	if n.Coprocess || n.Disown {
		v.l.notRead("an operator of another shell is not read")
	}
	v.comments(n.Comments)
}

// pipe refuses keywords that bash knows only at the start of a pipeline; behind
// a `|` they are programs or mistakes.
func (v *visitor) pipe(n *syntax.BinaryCmd) {
	_, timed := n.Y.Cmd.(*syntax.TimeClause)
	if (n.Op == syntax.Pipe || n.Op == syntax.PipeAll) && (timed || n.Y.Negated) {
		v.l.refuse("the keyword " + excerpt(slice(v.l.src, n.Y)) + " behind a pipe")
	}
}

func (v *visitor) comments(list []syntax.Comment) {
	for i := range list {
		v.comment(&list[i])
	}
}

// comment refuses those that some shells end elsewhere.
func (v *visitor) comment(n *syntax.Comment) {
	if strings.HasSuffix(strings.TrimRight(n.Text, "\n"), `\`) {
		v.l.refuse("a comment that ends in a backslash")
	}
	if v.within(isSubstitution) {
		v.l.refuse("a comment in a substitution")
	}
}

func (v *visitor) substitution(n *syntax.CmdSubst) {
	if n.TempFile || n.ReplyVar {
		v.l.notRead("`${ …;}` is not read")
	}
	if !n.Backquotes {
		return
	}
	inside := strings.Trim(slice(v.l.src, n), "`")
	if strings.ContainsAny(inside, "`\\") || v.within(isBackquoted) {
		v.l.refuse("a backslash or a backquote inside `…`")
	}
	if v.within(isQuoted) && strings.ContainsAny(inside, `'"`) {
		v.l.refuse("a quote inside \"`…`\"")
	}
}

// parameter refuses what shells end elsewhere, and what bash evaluates again.
func (v *visitor) parameter(n *syntax.ParamExp) {
	src := slice(v.l.src, n)
	if n.Dollar.IsValid() && !n.Short {
		inside := strings.TrimPrefix(src, "${")
		if strings.ContainsAny(inside, "'\"\\`\n") {
			v.l.refuse("a quote inside " + excerpt(src))
		}
		if strings.Contains(strings.ReplaceAll(inside, "${", ""), "{") {
			v.l.refuse("a brace inside " + excerpt(src))
		}
	}
	switch {
	case n.Excl && n.Names == 0:
		v.l.refuse("the indirection " + excerpt(src))
	case n.Param == nil || n.Flags != nil || n.NestedParam != nil || n.IsSet || n.Width || len(n.Modifiers) > 0,
		n.Split != 0 || n.GlobSubst != 0 || n.RcExpand != 0:
		v.l.notRead("the expansion " + excerpt(src) + " is not known")
	}
	if n.Index != nil && !wholeArray(n.Index) {
		v.arithmetic(n.Index)
	}
	if n.Slice != nil {
		v.arithmetic(n.Slice.Offset)
		v.arithmetic(n.Slice.Length)
	}
	if n.Exp != nil {
		v.operator(n.Exp, src)
	}
}

func (v *visitor) operator(e *syntax.Expansion, src string) {
	switch e.Op {
	case syntax.AssignUnset, syntax.AssignUnsetOrNull:
		v.l.refuse("the assignment " + excerpt(src))
	case syntax.OtherParamOps:
		if e.Word == nil || !slices.Contains([]string{"Q", "U", "u", "L"}, e.Word.Lit()) {
			v.l.refuse("the expansion " + excerpt(src))
		}
	}
}

// wholeArray reports whether a subscript is `@` or `*`.
func wholeArray(x syntax.ArithmExpr) bool {
	w, ok := x.(*syntax.Word)
	return ok && (w.Lit() == "@" || w.Lit() == "*")
}
