package rules

import (
	"strings"
	"testing"

	"github.com/weir-agents/weir/tools"
)

// The rules of the corpus. They allow more than a careful person would, so that
// what is asked is asked for what the line says of it.
var (
	corpusAllow = []string{
		"bash(git status)", "bash(git log *)", "bash(git add *)", "bash(ls)", "bash(ls -l *)", "bash(echo *)", "bash(cat *)", "bash(true)",
		"bash(make * test)", "bash(prexxpost *)", "bash(file a*z)", "bash(id)", "bash(: *)", "bash(cd *)", "bash(test *)",
		"bash([ *)", "bash(read *)", "bash(printf *)", "bash(set *)", "bash(export *)", "bash(unset *)", "bash(shopt *)",
		"bash(env *)", "bash(xargs *)", "bash(find *)", "bash(sh *)", "bash(bash *)", "bash(timeout *)", "bash(sudo *)",
		"bash(nice *)", "bash(command *)", "bash(builtin *)", "bash(exec *)", "bash(eval *)", "bash(source *)", "bash(. *)",
		"bash(trap *)", "bash(alias *)", "bash(python3 *)", "bash(declare *)", "bash(let *)", "bash(time *)", "bash(-- *)",
		"bash(/usr/bin/id)", "bash(sleep *)", "bash(wait *)", "bash(f *)", "bash(x *)", "bash(stdbuf *)", "bash(ionice *)",
		"bash(setsid *)", "bash(nohup *)", "bash(doas *)", "bash(dash *)",
	}
	corpusDeny = []string{"bash(rm *)", "bash(cat secret)", "bash(git push *)", "bash(curl)"}
)

// row is a line, the verdict on it under the rules of the corpus, and a piece of
// the reason.
type row struct {
	line   string
	want   tools.Decision
	reason string
}

func checkCorpus(t *testing.T, rows []row) {
	t.Helper()
	p := policyOf(t, Config{Allow: corpusAllow, Deny: corpusDeny, Interactive: true})
	for _, r := range rows {
		v := bash(t, p, r.line)
		if v.Decision != r.want || !strings.Contains(v.Reason, r.reason) {
			t.Errorf("%q:\n got %v %q\nwant %v %q", r.line, v.Decision, v.Reason, r.want, r.reason)
		}
		if v.Reason == "" || v.By == "" || strings.Contains(v.Reason, "\n") {
			t.Errorf("%q: the verdict %+v lacks a reason of one line", r.line, v)
		}
	}
}

func TestPromise4LinesThatRulesAllow(t *testing.T) {
	var rows []row
	for _, line := range allowedLines {
		rows = append(rows, row{line, tools.Allow, ""})
	}
	checkCorpus(t, rows)
}

var allowedLines = []string{
	"git status", "  git   status  ", "git log", "git log --oneline -n 3", "git log $X", `git log "$(git status)"`, "ls", "ls -l a b",
	`"git" 'status'`, `g\it st""atus`, `$'git' $'\x73tatus'`, "git \\\n status", "git \\\n\\\n\t\\\nstatus", "\\\ngit status", "echo \"a \\\nb\"", "echo a\\\\\nls", "git status # a comment", "# first\ngit status",
	"git status; git log", "git status && ls || true", "git status | cat", "git status |& cat", "git status &", "git status\nls\n\nid",
	"(git status; ls)", "{ git status; ls; }", "! git status", "time git status", "time -p git status",
	"if true; then git status; elif ls; then id; else true; fi", "case $x in a|b) ls;; *) id;; esac",
	"while true; do ls; done", "until true; do ls; done", "for f in a b c; do git add $f; done",
	`for f in *.go; do git add "$f"; done`, "for f; do ls; done", "select f in a b; do ls; done",
	"echo $(git status)", "echo `git status`", `echo "$(git status)"`, "echo \"`git status`\"", "cat <(git status)", "cat >(cat)",
	"echo $(echo $(git status))", `echo "${x:-$(git status)}"`, "echo ${x:-a}", "echo ${x#a} ${x%%b} ${x/a/b} ${#x} ${x^^}",
	"echo ${x:1:2}", "echo ${a[1]} ${a[@]} ${!x*}", "echo ${a[$(id)]}", "echo $((1 + 2)) $[3*4]", "echo $(( $(git status) + 1 ))",
	"for i in 1 2 3; do echo $((i + 1)); done", "for i in {1..3}; do echo $((i)); done", "echo $((x))", "echo $((${#x} + $?))",
	"cat <<EOF\nhi $(git status)\nEOF", "cat <<'EOF'\n$(rm x)\nEOF\n", "cat <<-EOF\n\thi\n\tEOF\nls", "cat <<< hi",
	"git log -n1 <<EOF | cat\nx\nEOF\nid", "git add \"$(cat <<'EOF'\nit's (a) message\nEOF\n)\"",
	"git status > /dev/null", "git status >/dev/null 2>&1", "git status &>/dev/null", "git status 2>>/dev/null", "cat </dev/null",
	"git status >&2", "ls 2>&-", "ls >&/dev/null", "ls >'/dev/null'", "{ ls; id; } 2>/dev/null", "(ls) 2>&1 | cat",
	"[[ -f x ]] && ls", "[[ $x == a* && -n $y ]] || ls", "[[ $x -eq 1 ]] && ls", `[[ "$x" -lt 10 ]] && ls`, "[[ $x =~ ^a.*b$ ]] && ls",
	"[ -f x ] && ls", `test -n "$x"; ls`, `[ "$x" = y ] && ls`, "((1 < 2)) && ls",
	"for ((;;)); do ls; done", "set -euo pipefail; git status", "set -e -- a b", "export PATH", "read line", "read -t 10 x", "printf '%s\\n' $x", "printf '%d %%n %s\\n' 1 n", "printf \"$x\"",
	"make -j test", "make '' test", "prexxpost x", "file abcz", "file az", "file a/b/z", "cat '*' 'a b' \"*\"", "cat ~/x {a,b} *.go",
	"env", "env FOO=bar ls", "xargs ls", "xargs -n 1 ls", "find . -name '*.go'", "find . -exec ls {} \\;", "timeout 5 ls",
	"sh -c 'ls; id'", "sh script.sh", "bash -lc ls", "command ls", "command -v rm", "nice -n 5 ls", "echo a; ls & id",
	"echo $'\\n' 'a\nb'", "echo é ü 漢", "echo }", "echo {} a{b", "echo a#b", "echo \\#x", "echo '#' x", "/usr/bin/id", "cd x && ls",
	"echo \"a\\\"b\" '\\'", "echo !x !!", "echo [a", "printf -- x", "sleep 1 & wait", "if ls; then :; fi",
}
