package rules

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// facts is what matters to arithmetic anywhere in the line: bash evaluates the
// value of a variable again.
type facts struct {
	// loops says of a loop's variable whether all its values are numbers.
	loops map[string]bool
	// setter is the builtin that may give variables values; empty if none.
	setter string
	// fills says that a builtin may give any variable a value.
	fills bool
	// names are the variables in arithmetic.
	names []string
	// declared are the variables that may become part of the environment.
	declared []string
	// input says a here-document or here-string is there.
	input bool
	// subscript says a quoted text could be a subscript that runs something.
	subscript bool
	// evaluator is the builtin that would evaluate one; empty if none.
	evaluator string
	// splits is a word of test that may become an operator; empty if none does.
	splits string
}

var (
	numeral  = regexp.MustCompile(`^-?(0[xX][0-9a-fA-F]+|[0-9]+(#[0-9a-zA-Z@_]+)?)$`)
	sequence = regexp.MustCompile(`^\{-?[0-9]+\.\.-?[0-9]+(\.\.-?[0-9]+)?\}$`)
	variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// textual are the variables that bash itself sets to texts of the line.
var textual = []string{"_", "REPLY", "MAPFILE", "COPROC", "OPTARG", "DIRSTACK", "PWD", "OLDPWD", "FUNCNAME"}

// arithmetic reads an expression that bash evaluates; nil is an empty one.
func (v *visitor) arithmetic(x syntax.ArithmExpr) {
	if x == nil {
		return
	}
	v.evaluates[x] = true
	v.expression(x)
}

func (v *visitor) expression(x syntax.ArithmExpr) {
	switch x := x.(type) {
	case nil:
	case *syntax.BinaryArithm:
		if x.Op == syntax.Assgn || x.Op >= syntax.AddAssgn && x.Op <= syntax.PowAssgn {
			v.l.refuse("the assignment " + excerpt(slice(v.l.src, x)))
		}
		v.expression(x.X)
		v.expression(x.Y)
	case *syntax.UnaryArithm:
		if x.Op == syntax.Inc || x.Op == syntax.Dec {
			v.l.refuse("the assignment " + excerpt(slice(v.l.src, x)))
		}
		v.expression(x.X)
	case *syntax.ParenArithm:
		v.expression(x.X)
	case *syntax.Word:
		if len(x.Parts) != 1 {
			v.l.refuse("the operand " + excerpt(slice(v.l.src, x)))
			return
		}
		v.operand(x.Parts[0])
	default:
		v.l.notRead("the arithmetic " + excerpt(slice(v.l.src, x)) + " is not known")
	}
}

// operand takes numbers, variables whose values are known to be harmless, and
// substitutions; what those print is held to stricter rules.
func (v *visitor) operand(part syntax.WordPart) {
	switch p := part.(type) {
	case *syntax.Lit:
		if variable.MatchString(p.Value) {
			v.names = append(v.names, p.Value)
			return
		}
		if numeral.MatchString(p.Value) {
			return
		}
	case *syntax.CmdSubst, *syntax.ArithmExp:
		return
	case *syntax.ParamExp:
		if p.Length || p.Param != nil && strings.Contains("#?$!", p.Param.Value) {
			return
		}
		if p.Param != nil && variable.MatchString(p.Param.Value) && p.Exp == nil && p.Repl == nil && p.Slice == nil {
			v.names = append(v.names, p.Param.Value)
			return
		}
	}
	v.l.refuse("the operand " + excerpt(slice(v.l.src, part)) + ", which bash evaluates again,")
}

func (v *visitor) unaryTest(n *syntax.UnaryTest) {
	if n.Op != syntax.TsVarSet && n.Op != syntax.TsRefVar {
		return
	}
	if w, ok := n.X.(*syntax.Word); !ok || !variable.MatchString(w.Lit()) {
		v.l.refuse("the variable name " + excerpt(slice(v.l.src, n.X)) + ", which bash evaluates,")
	}
}

func (v *visitor) binaryTest(n *syntax.BinaryTest) {
	switch n.Op {
	case syntax.TsReMatch:
		if w, ok := n.Y.(*syntax.Word); !ok || strings.ContainsAny(slice(v.l.src, w), "()|<>;& '\"\\") {
			v.l.refuse("the regular expression " + excerpt(slice(v.l.src, n.Y)))
		}
	case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
		for _, side := range []syntax.TestExpr{n.X, n.Y} {
			w, ok := side.(*syntax.Word)
			if !ok || len(w.Parts) != 1 {
				v.l.refuse("the operand " + excerpt(slice(v.l.src, side)))
				continue
			}
			part := w.Parts[0]
			if q, ok := part.(*syntax.DblQuoted); ok && len(q.Parts) == 1 {
				part = q.Parts[0]
			}
			v.evaluates[w] = true
			v.operand(part)
		}
	}
}

// loop reads a for or select: its variable is no assignment, but not every name
// is harmless.
func (v *visitor) loop(n *syntax.ForClause) {
	if n.Braces {
		v.l.refuse("a loop in braces")
	}
	iter, ok := n.Loop.(*syntax.WordIter)
	if !ok {
		return
	}
	name := iter.Name.Value
	if influential(name) {
		v.l.refuse("the loop variable " + name + ", which programs may read from their environment,")
	}
	numbers := iter.InPos.IsValid() && !n.Select
	for _, item := range iter.Items {
		w := readWord(item, v.l.src)
		numbers = numbers && (!w.dynamic && numeral.MatchString(w.text) || sequence.MatchString(w.src))
		if !w.dynamic && strings.Contains(w.text, "[") {
			v.subscript = true
		}
	}
	before, seen := v.loops[name]
	v.loops[name] = numbers && (before || !seen)
}

// influential reports whether setting a variable of this name may change what
// other commands do. By custom the environment's names are in capitals.
func influential(name string) bool {
	capitals := name == strings.ToUpper(name) && name != strings.ToLower(name)
	return len(name) > 1 && capitals && variable.MatchString(name) || strings.HasSuffix(name, "_proxy")
}

// finish judges what needed the whole line.
func (v *visitor) finish() {
	for _, name := range v.names {
		numbers, looped := v.loops[name]
		switch {
		case v.setter != "":
			v.l.refuse("the variable " + name + " in arithmetic beside " + v.setter + ", which may set it to an expression,")
		case looped && !numbers, slices.Contains(textual, name), strings.HasPrefix(name, "BASH"):
			v.l.refuse("the variable " + name + " in arithmetic, whose text bash would evaluate,")
		}
	}
	if v.evaluator != "" && v.subscript {
		v.l.refuse("a text with a subscript beside " + v.evaluator + ", which may evaluate it,")
	}
	if v.splits != "" {
		v.l.refuse("the word " + excerpt(v.splits) + " of test, which may become -v with what it evaluates,")
	}
	for _, name := range v.declared {
		if _, looped := v.loops[name]; looped || v.fills {
			v.l.refuse("the variable " + name + " in the environment, whose value the line sets,")
		}
	}
	if v.input {
		v.interpreted()
	}
}
