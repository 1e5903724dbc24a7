package rules

import (
	"testing"

	"github.com/weir-agents/weir/tools"
)

func TestPromise4LinesThatRulesDeny(t *testing.T) {
	var rows []row
	for _, line := range deniedLines {
		rows = append(rows, row{line, tools.Deny, "the rule bash("})
	}
	checkCorpus(t, rows)
}

// Each line runs one of `rm *`, `cat secret`, `git push *` and `curl` somewhere.
var deniedLines = []string{
	"rm x", "rm", "/bin/rm x", "./rm x", "../a/rm x", `\rm x`, "'rm' x", `r"m" x`, "$'rm' x", "$'\\x72m' x", "rm $X", "rm -rf / ; ls", "ls; rm x",
	"ls && rm x", "ls\nrm x", "ls | rm x", "ls & rm x", "(rm x)", "{ rm x; }", "! rm x", "time rm x", "time -p rm x", "time -- rm x", "time -- ! rm x",
	"coproc rm x", "coproc N { rm x; }", "if rm x; then :; fi", "for x in a; do rm x; done", "for x in $(rm x); do :; done", "case a in a) rm x;; esac",
	"while :; do rm x; done", "f() { rm x; }", "f() { rm x; }; f", "A=b rm x", "A=$(rm x)", "A=(`rm x`)", "a[$(rm x)]=1", "export A=$(rm x)",
	"declare -a x=($(rm x))", "rm x > out", "> out rm x", "ls > $(rm x)", "ls 2>&$(rm x)", "cat <<E\n$(rm x)\nE", "cat <<< $(rm x)", "cat <<< `rm x`",
	"cat <(rm x)", "tee >(rm x)", "echo $(rm x)", "echo `rm x`", `echo "$(rm x)"`, `echo "${x:-$(rm x)}"`, "echo ${x:-`rm x`}", "echo $(( $(rm x) ))",
	"echo $[ $(rm x) ]", "(( $(rm x) ))", "echo ${a[$(rm x)]}", "echo ${a:$(rm x)}", "[[ $(rm x) ]]", "[[ a =~ $(rm x) ]]", "let x=$(rm x)",
	"echo ${x/$(rm x)/}", "echo $(echo $(rm x))", "select x in $(rm x); do :; done", "for ((; $(rm x); )); do :; done", "${ rm x;}",
	"env rm x", "/usr/bin/env rm x", "env -i A=b rm x", "env -u X rm x", "env -uX rm x", "env --unset X rm x", "env --uns=X rm x", "env - rm x", "env -C / rm x",
	"env -S 'rm x'", "env -S 'A=b rm' x", "env '-Srm x'", "env -iS 'rm x'", "env --split-string='rm x'", `env -S '"rm" x'`, "env A=\"$B\" rm x", "env -- rm x",
	"env --split 'env rm x'", "env -S 'env -S env' -S 'rm x'", "env -i env -i rm x", "sudo rm x", "sudo -u root rm x", "sudo -uroot -n rm x", "sudo --user root rm x", "sudo A=b rm x", "sudo -E -- rm x",
	"sudo -s rm x", "doas rm x", "doas -u root rm x", "xargs rm", "xargs rm x", "xargs -0 -n 1 rm", "xargs -I{} rm {}", "xargs -I {} sh -c 'rm {}'", "xargs --max-args=1 rm",
	"xargs -i rm {}", "xargs -P4 -a f rm", "ls | xargs rm", "timeout 5 rm x", "timeout -k 1 5 rm x", "timeout -s KILL 5s rm x", "timeout --signal=KILL 5 rm x",
	"timeout --foreground 5 rm x", "nohup rm x", "nohup -- rm x", "nice rm x", "nice -n 5 rm x", "nice -5 rm x", "nice --adjustment 5 rm x", "nice -n5 rm x", "ionice rm x",
	"ionice -c 3 rm x", "ionice -c3 -n 1 rm x", "stdbuf -oL rm x", "stdbuf -o L rm x", "stdbuf --output=L rm x", "setsid rm x", "setsid -w rm x", "command rm x",
	"command -p rm x", "command -- rm x", "builtin rm x", "exec rm x", "exec -a n rm x", "exec -cl rm x", `\time rm x`, "/usr/bin/time -f %e rm x", "command time -o f rm x",
	"eval rm x", "eval 'rm x'", "eval 'ls; rm' x", "eval -- rm x", `eval "eval 'rm x'"`, "sh -c 'rm x'", "bash -c 'rm x'", "dash -c 'rm x'", "/bin/sh -c 'rm x'",
	"sh -ec 'rm x'", "bash -euo pipefail -c 'rm x'", "bash -euoc pipefail 'rm x'", "bash -c -e 'rm x'", "bash -c -- 'rm x'", "bash --norc -c 'rm x'", "bash -O extglob -c 'rm x'",
	"bash +x -c 'rm x'", "bash --rcfile f -c 'rm x'", "sh -c 'sh -c \"rm x\"'", "sh -c 'echo $(rm x)'", "sh -c \"rm $X\"", "sh -c 'ls\nrm x' a b", "sh -c $'rm x'",
	"find . -exec rm {} \\;", "find . -exec rm {} +", "find . -execdir rm x ';'", "find . -ok rm x \\;", "find . -okdir rm x \\;", "find . -exec ls {} \\; -exec rm {} \\;",
	"find . -exec sh -c 'rm x' _ {} \\;", "find . -exec env rm {} +", "find . -exec ls + rm \\; -exec rm x \\;", "find . -exec rm x",
	"sudo env -i nice -n 1 timeout 5 sh -c 'exec rm x'", "trap 'rm x' EXIT", "trap -- 'rm x' 0", "cat secret", "cat $'secret'", "env cat secret", "xargs cat secret",
	"cat 'sec'\"ret\"", "git push", "git push -f", "git push $X", "curl", "echo $(curl)", "git $X; curl", "rm x # \\", "ls ${x:='$(a)'}; rm x", "rm x\r",
	"ls; rm x; ls", "ls &&\nrm x", "ls |\nrm x", "ls \\\n; rm x", "r\\\nm x", "time sudo rm x",
}

// What looks like a denied command and is none.
func TestLinesADenyLeavesAlone(t *testing.T) {
	rows := []row{
		{"echo rm x", tools.Allow, ""},
		{"cat secret2", tools.Allow, ""},
		{"cat a secret", tools.Allow, ""},
		{"echo 'rm x'", tools.Allow, ""},
		{"cat <<'E'\n$(rm x)\nE", tools.Allow, ""},
		{"echo \\$(ls", tools.Ask, "parsed"},
		{"rmdir x", tools.Ask, "no rule"},
		{"curl x", tools.Ask, "no rule"},
		{"command -v rm", tools.Allow, ""},
		{"timeout 5 echo rm", tools.Allow, ""},
		{"find . -name rm", tools.Allow, ""},
		{"env rm=x ls", tools.Allow, ""},
		{"sudo -u rm ls", tools.Allow, ""},
		{"exec -a rm ls", tools.Allow, ""},
		{"xargs echo rm", tools.Allow, ""},
		{"sh rm", tools.Allow, ""},
		{"bash -c ls rm", tools.Allow, ""},
	}
	checkCorpus(t, rows)
}
