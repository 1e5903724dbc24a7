// Package rules decides which calls of a model may run: a [tools.Policy] made of
// a mode and of rules such as `bash(git status)` or `read_file(**/.env)`.
//
// A deny rule beats an allow rule, from whichever source. A path outside the
// workspace is denied whatever the rules say. What nothing decides is asked,
// and denied where nobody can be asked.
//
// # Files
//
// A deny on read_file keeps a file out of all that the file tools show: a call
// that names it is denied, grep, glob and list_dir leave it out and count it (by
// [Policy.Denied]), and a change of it shows no diff. That an edit of it was
// done, or did not fit, is still told. A second name made by a hard link is
// another path. And a rule on read_file cannot hold a shell, which reads what
// the user may read: for that deny bash too, or hide the file in the sandbox,
// as the program does with a deny on one plain path.
//
// # Shell commands
//
// A command line is parsed, never searched. A rule allows a line only if the
// parser certainly reads it as bash does and every simple command in it,
// wherever it stands, is allowed; so an allow errs on the side of asking. Three
// things that look harmless are code to bash and are treated so:
//
//   - Arithmetic evaluates the text of a variable, or of what a substitution
//     prints, as an expression again, in which `a[$(id)]` runs id. A variable in
//     arithmetic is read only if the line cannot have set it to such a text, and
//     a command whose output lands there must be allowed by a rule without `*`,
//     or by one for every command.
//   - `${!x}` and `${x@P}` evaluate the value of x again.
//   - Builtins that take a variable's name, such as read or test -v, evaluate a
//     subscript in it.
//
// A deny looks through the wrappers the contract names and at everything that
// could be read; what a wrapper hides makes the line a question.
//
// All of this holds for bash 4.4 or later that is started as `bash -c LINE` with
// the line unchanged, and without BASH_ENV, SHELLOPTS, BASHOPTS and exported
// functions in its environment.
package rules
