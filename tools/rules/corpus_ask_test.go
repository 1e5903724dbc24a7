package rules

import (
	"strings"
	"testing"

	"github.com/weir-agents/weir/tools"
)

func TestLinesThatAreAsked(t *testing.T) {
	var rows []row
	for _, r := range askedLines {
		rows = append(rows, row{r[0], tools.Ask, r[1]})
	}
	checkCorpus(t, rows)
}

// Each line with what the reason must name.
var askedLines = [][2]string{
	// No rule, or not quite one.
	{"whoami", "no rule allows `whoami`"}, {"git stash", "`git stash`"}, {"git status -s", "`git status -s`"},
	{"ls; whoami", "`whoami`"}, {"ls\nwhoami", "`whoami`"}, {"lsof", "`lsof`"}, {"./ls", "`./ls`"}, {"/bin/ls", "`/bin/ls`"},
	{"GIT status", "`GIT status`"}, {"git 'status '", "`git 'status '`"}, {"'git status'", "'git status'"}, {"", "without a command"},
	{"# nothing", "without a command"}, {"[[ -f x ]]", "without a command"}, {"git\u00a0status", "no rule allows"},
	{"make -j 4 test", "no rule allows"}, {"file ab", "no rule allows"}, {"ls -l -a | tee f", "`tee f`"},
	// Expansions where a rule has no last star.
	{"git $X", "`$X` is an expansion"}, {"git stat*", "`stat*` is an expansion"}, {"make $J test", "`$J` is an expansion"},
	{"make {a,b} test", "`{a,b}` is an expansion"}, {"make ~ test", "`~` is an expansion"}, {"make $((1)) test", "`$((1))`"},
	{"make $(ls) test", "`$(ls)`"}, {"make `ls` test", "`ls`"}, {"make x=~/a test", "`x=~/a`"}, {"make [ab] test", "`[ab]`"},
	// Every place a command can hide in.
	{"ls && whoami", "whoami"}, {"ls || whoami", "whoami"}, {"ls | whoami", "whoami"}, {"ls |& whoami", "whoami"}, {"ls & whoami", "whoami"},
	{"(whoami)", "whoami"}, {"{ whoami; }", "whoami"}, {"! whoami", "whoami"}, {"time whoami", "whoami"}, {"if ls; then whoami; fi", "whoami"},
	{"if whoami; then ls; fi", "whoami"}, {"if ls; then ls; elif whoami; then ls; fi", "whoami"}, {"if ls; then ls; else whoami; fi", "whoami"},
	{"while whoami; do ls; done", "whoami"}, {"until ls; do whoami; done", "whoami"}, {"for x in $(whoami); do ls; done", "whoami"},
	{"for x in a; do whoami; done", "whoami"}, {"for ((i; 1; 1)); do whoami; done", "whoami"}, {"case x in a) whoami;; esac", "whoami"},
	{"case $(whoami) in a) ls;; esac", "whoami"}, {"case x in $(whoami)) ls;; esac", "whoami"}, {"echo $(whoami)", "whoami"},
	{"echo `whoami`", "whoami"}, {`echo "$(whoami)"`, "whoami"}, {`echo "${x:-$(whoami)}"`, "whoami"}, {"echo ${x/$(whoami)/b}", "whoami"},
	{"echo ${x:$(whoami)}", "whoami"}, {"echo ${a[$(whoami)]}", "whoami"}, {"echo $(( $(whoami) ))", "whoami"}, {"echo $[ $(whoami) ]", "whoami"},
	{"(( $(whoami) )) && ls", "whoami"}, {"cat <(whoami)", "whoami"}, {"cat >(whoami)", "whoami"}, {"cat <<E\n$(whoami)\nE", "whoami"},
	{"cat <<E\n`whoami`\nE", "whoami"}, {"cat <<E\n$(( $(whoami) ))\nE", "whoami"}, {"cat <<< $(whoami)", "whoami"},
	{"[[ -n $(whoami) ]] && ls", "whoami"}, {"ls > /dev/null$(whoami)", "redirection"}, {"echo a'b'$(whoami)", "whoami"},
	// Never covered.
	{"A=b ls", "the assignment `A=b`"}, {"A=b", "the assignment `A=b`"}, {"A+=b ls", "assignment"}, {"a[1]=b", "assignment"}, {"a=(b c)", "assignment"},
	{"echo ${x:=a}", "the assignment `${x:=a}`"}, {"echo ${x=a}", "assignment"}, {"echo $((x = 1))", "assignment"}, {"echo $((x++))", "assignment"},
	{"echo $((--x))", "assignment"}, {"echo $((x += 1))", "assignment"}, {"((x = 1)) && ls", "assignment"}, {"for ((i = 0; i < 3; i++)); do ls; done", "assignment"},
	{"export A=b", "assignment"}, {`export "A=b"`, "assignment"}, {"export $x", "assignment"}, {`\export A=b`, "assignment"}, {"declare x=1", "assignment"},
	{"command export PATH=/x; ls", "assignment"}, {"let x=1", "arithmetic of let"}, {"'let' x=1", "let, which assigns"}, {"coproc ls", "coproc"},
	{"ls {fd}>/dev/null", "assignment"}, {"printf -v x y", "printf -v"}, {"read PATH", "set by read"}, {"read $x", "set by read"},
	{"for PATH in /x; do ls; done", "loop variable PATH"}, {"for LD_PRELOAD in /x; do ls; done", "LD_PRELOAD"}, {"for https_proxy in x; do ls; done", "https_proxy"},
	{"ls > out", "the redirection `> out`"}, {"ls >> out", "redirection"}, {"ls &> out", "redirection"}, {"ls >| out", "redirection"}, {"cat < in", "redirection"},
	{"ls <> f", "redirection"}, {"ls >& out", "redirection"}, {"ls 2> $x", "redirection"}, {"ls >&$x", "redirection"}, {"> /dev/null/../../etc/x ls", "redirection"},
	{"(ls) > out", "redirection"}, {"for x in a; do ls; done > out", "redirection"}, {"ls > /dev/null > out", "redirection"}, {"[[ -f x ]] > out", "redirection"},
	{"ls > /dev/nul?", "redirection"}, {"ls > /dev/tcp/h/1", "redirection"}, {"bash <<E\nls\nE", "runs `bash`"}, {"cat <<E | sh\nls\nE", "runs `sh`"},
	{"python3 <<< 'x'", "runs `python3`"}, {"env python3.11 - <<E\nx\nE", "runs `python3.11`"}, {"xargs $x <<< a", "the words of xargs"}, {"{ sh; } <<E\nls\nE", "runs `sh`"},
	{"f() { ls; }; f", "function"}, {"function f { ls; }; f", "function"}, {"alias ls=id", "the command alias"}, {"eval ls", "the command eval"},
	{"source x", "the command source"}, {". x", "the command ."}, {"trap ls EXIT", "the command trap"}, {"command eval ls", "the command eval"},
	{"builtin source x", "the command source"}, {"'eval' ls", "the command eval"}, {"$X status", "the command word `$X`"}, {"$(echo ls)", "the command word"},
	{"l{s,} -l", "the command word"}, {"~/ls", "the command word"}, {"/bin/l? x", "the command word"}, {`"$X"`, "the command word"}, {"g$X status", "the command word"},
	{"ls\r", "the control character U+000D"}, {"echo a\x1b[2J", "U+001B"}, {"echo \x00", "U+0000"}, {"echo \u0085", "U+0085"}, {"echo \u202els", "U+202E"},
	{"echo a\u200bb", "U+200B"}, {"echo \ufeff", "U+FEFF"}, {"echo \u2066a", "U+2066"}, {"ls # a \\\nwhoami", "comment that ends in a backslash"},
	{"echo ${x:-'a'}", "a quote inside"}, {`echo "${x:-"a"}"`, "a quote inside"}, {`echo ${x:-\}}`, "a quote inside"}, {"echo ${x:-`ls`}", "a quote inside"},
	{"echo $(ls # x\n)", "a comment in a substitution"}, {`echo $"a"`, "translated"}, {"echo `ls \\`id\\``", "inside `…`"}, {"echo \"`echo \"a\"`\"", "a quote inside"},
	{`ls \`, "a backslash at the end"}, {"shopt -s extglob", "shopt with options"}, {"set -k; ls A=b", "of set"}, {"set -o posix; ls", "of set"},
	{"cat <<$x\na\n$x", "cannot be parsed"}, {"cat <<E\\OF\na\nEOF", "here-document"}, {"cat <<EOF \"\nx\"\na\nEOF", "here-document"}, {"cat <<E\na\\\nE\nE", "here-document"},
	{"for x in a; { ls; }", "a loop in braces"}, {"[[ a =~ (a|b) ]] && ls", "regular expression"}, {"echo @(a|b)", "extended glob"},
	{"time -- ls", "time --"}, {"a=b[", "assignment"}, {"echo `echo a\\\\b`", "inside `…`"}, {"ls[ x ]", ""}, {`a\=b`, "command word"},
	{"ls | time id", "behind a pipe"}, {"ls | ! id", ""}, {"read -t 10 LINES", "set by read"},
	{"echo " + strings.Repeat("$(echo ", 300) + strings.Repeat(")", 300), "nests too deeply"},
	// Cannot be parsed.
	{"ls (", "cannot be parsed"}, {"ls 'a", "cannot be parsed"}, {"if ls; then", "cannot be parsed"}, {"ls )", "cannot be parsed"},
	{"cat <<E\n", "cannot be parsed"}, {"ls;; ls", "cannot be parsed"}, {"echo ${x", "cannot be parsed"}, {"ls " + strings.Repeat("a", 70_000), "longer than"},
	// Evaluated once more by bash.
	{"echo $(( $(echo 'a[$(whoami)]') ))", "evaluates what `echo 'a[$(whoami)]'` prints"}, {"for x in 'a[$(whoami)]'; do echo $((x)); done", "variable x in arithmetic"},
	{"echo $((BASH_REMATCH))", "variable BASH_REMATCH"}, {"echo 'a[$(whoami)]'; echo $((_))", "variable _"}, {"set -- 'a[$(whoami)]'; echo $(($1))", "operand `$1`"},
	{"[[ 'a[$(whoami)]' -eq 1 ]] && ls", "operand"}, {"[[ -v a[x] ]] && ls", "variable name"}, {"test -v 'a[$(whoami)]'", "variable name"}, {"echo ${!x}", "indirection"},
	{"echo ${x@P}", "the expansion `${x@P}`"}, {"read x; echo $((x))", "beside read"}, {"unset 'a[$(whoami)]'", "set by unset"},
	{"for x in $(ls); do echo ${y:x}; done", "variable x in arithmetic"}, {"[ $a 'x[$(whoami)]' ]", "a text with a subscript"},
	// A wrapper whose command cannot be read, though a rule covers it.
	{"env $X", "the words of env"}, {"xargs $X", "the words of xargs"}, {"timeout $T ls", "the words of timeout"}, {"sh -c \"$X\"", "the script of sh"},
	{"sh -c 'ls ('", "the script of sh cannot be read"}, {"sh -c '$X a'", "holds an expansion"}, {`sh -c '"$@"' _ rm x`, "holds an expansion"}, {"xargs sh -c", "the script of sh"},
	{"xargs -I% sh -c 'ls %'", "the script of sh"}, {"find . -exec {} \\;", "holds an expansion"}, {"find . $X", "may be any words"}, {"env --what ls", "the words of env"},
	{"env -S 'a\\_b'", "the words of env"}, {"sudo -s", "the shell of sudo"}, {"nice \"$X\" ls", "the words of nice"}, {"command $X", "the words of command"},
	{"timeout 5 env $X", "the words of env"}, {"bash -c", "is not there"}, {`find . "$E" ls {} \;`, "what find runs"}, {"find . -exec ls", "the end of what find runs"},
	{"exec $X", "the words of exec"}, {"xargs -I{} {}", "holds an expansion"}, {"xargs env", "the words of env"},
}
