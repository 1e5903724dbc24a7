package rules

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/weir-agents/weir/tools"
)

// oracle runs lines in the real bash, in an empty folder with nothing on the
// PATH but recorders and the wrappers. It is what the policy is judged by.
type oracle struct {
	bash string
	bin  string
	dir  string
	log  string
}

func newOracle(t testing.TB, wrappers ...string) *oracle {
	t.Helper()
	o := &oracle{bin: t.TempDir(), dir: t.TempDir(), log: filepath.Join(t.TempDir(), "log")}
	var err error
	if o.bash, err = exec.LookPath("bash"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ok", "bad"} {
		script := "#!" + o.bash + "\necho " + name + " >>'" + o.log + "'\necho \"${1-7}\"\n"
		if err := os.WriteFile(filepath.Join(o.bin, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range append(wrappers, "cat") {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(o.bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

// run returns what was recorded and the files the line made.
func (o *oracle) run(t testing.TB, line string) (log string, files []string) {
	t.Helper()
	_ = os.Remove(o.log)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, o.bash, "-c", line)
	cmd.Dir, cmd.Env, cmd.WaitDelay = o.dir, []string{"PATH=" + o.bin, "LC_ALL=C.UTF-8"}, time.Second
	_ = cmd.Run() // a line may well end badly
	data, err := os.ReadFile(o.log)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	made, err := os.ReadDir(o.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range made {
		files = append(files, f.Name())
		_ = os.RemoveAll(filepath.Join(o.dir, f.Name()))
	}
	return string(data), files
}

// sample draws the pieces of a line; depth bounds how they nest.
func sample(t *rapid.T, depth int, atoms, shapes []string) string {
	if depth == 0 || rapid.IntRange(0, 3).Draw(t, "kind") == 0 {
		return rapid.SampledFrom(atoms).Draw(t, "atom")
	}
	shape := rapid.SampledFrom(shapes).Draw(t, "shape")
	var b strings.Builder
	for i, piece := range strings.Split(shape, "@") {
		if i > 0 {
			b.WriteString(sample(t, depth-1, atoms, shapes))
		}
		b.WriteString(piece)
	}
	return b.String()
}

var (
	oracleAtoms = []string{
		"ok", "ok a", "bad", "bad x", "'bad'", "echo 'a[$(bad)]'", "ok $x", "echo \"it's\"", "cat </dev/null", "ok \\", "ok # c", "ok # c \\", "echo ${x:-'}bad}",
		"b''ad", "o\\\nk", "bad\\\n", "ok `bad`", "ok $'a\\'b'", "ok \"`bad`\"", "{bad,x}", "ok=bad", "ok 7", "ok 'a b'", "$bad", "ok {bad,x}", "ok '", "\"", "ok ~",
		"true", "test -v 'a[$(bad)]'", "ok ${x@P}", "ok $((x))", "ok $((_))", "ok a{", "ok }", "ok >f", "ok 2>&1", "ok <<< a", "ok >&f", "((1))", "[[ -n x ]]", "",
		"declare -i x", "read o x <<< '-v a[$(bad)]'", "test $o $x", "test \"$o\" \"$x\"", "printf $x .", "read -aPATH <<< .",
	}
	oracleShapes = []string{
		"@; @", "@ && @", "@ || @", "@ | @", "@ & @", "@\n@", "(@)", "{ @; }", "! @", "time @", "if @; then @; fi", "for x in @; do @; done", "case @ in @) @;; esac",
		"ok $(@)", "ok `@`", "ok \"$(@)\"", "ok \"`@`\"", "ok ${x:-$(@)}", "ok \"${x:-$(@)}\"", "ok ${x:-@}", "ok $(( $(@) ))", "ok $((@))", "ok ${x[@]}", "ok <(@)", "ok <<E\n@\nE\n@",
		"ok <<'E'\n@\nE\n", "ok <<-E\n\t@\n\tE\n@", "ok <<E\n$(@)\nE\n", "ok '@'", "ok \"@\"", "ok # @\n@", "ok $'@'", "ok @", "@ #@", "eval '@'", "[[ @ -eq 1 ]]", "f() { @; }; f",
		"x=@ ok", "ok $(ok <<E\n@\nE\n)", "ok \"$(cat <<'E'\n@\nE\n)\"", "until @; do @; done", "ok <<E $(@\n)\n@\nE\n@", "ok $(@ # @\n)", "`@`", "ok <<E\\\n@\nE\n", "ok @ <<E; @\n@\nE",
		"for x in 'a[$(bad)]'; do @; done", "(( @ ))", "ok ${x/@/@}", "ok ${#@}", "ok $[@]", "read x <<< '@'; @", "ok \"$\\\n(@)\"", "set -- '@'; @", "shopt -s extglob\n@", "ok @(@)", "[[ a =~ @ ]]",
	}
)

// Whatever an allow covers runs nothing but allowed commands in the real bash,
// and makes no file.
func TestPromise4AllowedLinesRunOnlyAllowedCommands(t *testing.T) {
	o := newOracle(t)
	p := policyOf(t, Config{Allow: []string{"bash(ok *)", "bash(echo *)", "bash(cat *)", "bash(true)", "bash(test *)", "bash(read *)", "bash(set *)", "bash(shopt *)", "bash(eval *)", "bash(declare *)", "bash(printf *)"}})
	covered := 0
	rapid.Check(t, func(r *rapid.T) {
		for range 5 {
			line := sample(r, 3, oracleAtoms, oracleShapes)
			if at := rapid.IntRange(0, 2*len(line)).Draw(r, "where it goes on"); at < len(line) {
				line = line[:at] + "\\\n" + line[at:]
			}
			if bash(t, p, line).Decision != tools.Allow {
				continue
			}
			covered++
			if log, files := o.run(t, line); strings.Contains(log, "bad") || len(files) > 0 {
				r.Fatalf("%q is allowed, but ran %q and made %q", line, log, files)
			}
		}
	})
	if covered < 20 {
		t.Errorf("only %d lines were allowed at all", covered)
	}
}

// soup is what the tokens of a shell are boiled in.
var soup = []string{
	"ok ", "bad ", "ok", "bad", "'", "\"", "`", "$(", ")", "${x:-", "}", "\\", "\n", " ", "#", " #", "<<E", "<<'E'", "\nE\n", ";", "&", "|", "&&", "$((", "))", "((", "(", "{ ", "; }",
	"[[ ", " ]]", "case x in ", "x) ", ";;", " esac", "$'", "$\"", "<(", "[", "]", "$x", "!", "time ", "=", "a[", "]=", "<<<", ">&2", ">/dev/null", "1", "if ", "; then ", "; fi", "*", "\t", "$", "\\\n", "~", "-",
}

// The same of any tokens in any order, which is where parsers differ.
func TestPromise4AllowedSoupRunsOnlyAllowedCommands(t *testing.T) {
	o := newOracle(t)
	p := policyOf(t, Config{Allow: []string{"bash(ok *)", "bash(-)", "bash(E)", "bash(x)", "bash(1)"}})
	rapid.Check(t, func(r *rapid.T) {
		for range 20 {
			line := "ok " + strings.Join(rapid.SliceOfN(rapid.SampledFrom(soup), 1, 9).Draw(r, "tokens"), "")
			if !strings.Contains(line, "bad") || bash(t, p, line).Decision != tools.Allow {
				continue
			}
			if log, files := o.run(t, line); strings.Contains(log, "bad") || len(files) > 0 {
				r.Fatalf("%q is allowed, but ran %q and made %q", line, log, files)
			}
		}
	})
}

var (
	wrapperAtoms  = []string{"bad", "bad x", "'bad' x", "ok", "ok bad", "echo bad", "$x", "\"$x\"", "b\\ad", "./bad", "-n", "-", "--", "5", "A=b", "-S", "-c", "\\;", "{}", "true"}
	wrapperShapes = []string{
		"env @", "env -i PATH=$PATH @", "env -S '@'", "env -u X @", "env -uX @", "env --unset X @", "env --uns=X @", "env - PATH=$PATH @", "xargs @", "xargs -n 1 @", "xargs -I% @ %",
		"echo a | xargs @", "echo bad | xargs -I% @", "timeout 5 @", "timeout -k 1 @", "timeout -s KILL 5 @", "nohup @", "nice @", "nice -n 5 @", "nice -5 @", "stdbuf -oL @", "setsid -w @",
		"command @", "command -p @", "command -v @", "exec @", "exec -a n @", "eval '@'", "eval @", "eval \"@\"", "sh -c '@'", "bash -c '@'", "bash -ec '@'", "bash -euo pipefail -c '@'", "bash -euoc pipefail '@'",
		"bash -c -e '@'", "bash -c -- '@'", "bash -O extglob -c '@'", "bash --norc -c \"@\"", "sh -c '\"$@\"' _ @", "sh -c '$0' @", "dash -c '@' @", "find . -exec @ \\;", "find . -exec @ {} +", "find . -maxdepth 0 -exec sh -c '@' \\;",
		"time @", "time -- @", "time -p @", "@; @", "@ @", "ok $(@)", "{ @; }", "builtin @", "ionice -c 3 @", "trap '@' EXIT", "! @", "@ &",
	}
)

// A deny holds behind wrappers as the real programs read their options: what
// bypass lets through under a deny never runs the command.
func TestDeniedCommandsDoNotRunBehindWrappers(t *testing.T) {
	o := newOracle(t, "env", "xargs", "timeout", "nohup", "nice", "stdbuf", "setsid", "sh", "bash", "dash", "find", "ionice")
	p := policyOf(t, Config{Mode: Bypass, Deny: []string{"bash(bad *)"}})
	passed, ran := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		for range 5 {
			line := sample(r, 3, wrapperAtoms, wrapperShapes)
			if bash(t, p, line).Decision != tools.Allow {
				continue
			}
			passed++
			log, _ := o.run(t, line)
			if strings.Contains(log, "bad") {
				r.Fatalf("%q passes, but ran %q", line, log)
			}
			ran += strings.Count(log, "ok")
		}
	})
	if passed < 20 || ran == 0 {
		t.Errorf("only %d lines passed, which ran %d commands", passed, ran)
	}
}

// The recorders see what they must: without this the tests above prove nothing.
func TestTheOracleSeesWhatRuns(t *testing.T) {
	o := newOracle(t, "env", "sh")
	for _, line := range []string{"bad", "ok $(bad)", "env bad", "sh -c bad", "x='a[$(bad)]'; ok $((x))", "ok `bad`", "ok <<E\n$(bad)\nE"} {
		if log, _ := o.run(t, line); !strings.Contains(log, "bad") {
			t.Errorf("%q: %q", line, log)
		}
	}
	if _, files := o.run(t, "ok > f"); len(files) != 1 {
		t.Errorf("made %q", files)
	}
}

// Every line that the corpus calls allowed is one that bash can read.
func TestAllowedLinesParseInBash(t *testing.T) {
	o := newOracle(t)
	for _, line := range allowedLines {
		if out, err := exec.Command(o.bash, "-n", "-c", line).CombinedOutput(); err != nil {
			t.Errorf("%q: %v %s", line, err, out)
		}
	}
}

func FuzzPromise4AllowedLinesRunOnlyAllowedCommands(f *testing.F) {
	for _, line := range append(oracleAtoms, oracleShapes...) {
		f.Add(strings.ReplaceAll(line, "@", "bad"))
		f.Add(strings.ReplaceAll(line, "@", "ok"))
	}
	o := newOracle(f)
	p := policyOf(f, Config{Allow: []string{"bash(ok *)", "bash(echo *)"}})
	f.Fuzz(func(t *testing.T, line string) {
		if bash(t, p, line).Decision != tools.Allow {
			return
		}
		if log, files := o.run(t, line); strings.Contains(log, "bad") || len(files) > 0 {
			t.Errorf("%q is allowed, but ran %q and made %q", line, log, files)
		}
	})
}

func FuzzReadingALineEnds(f *testing.F) {
	for _, line := range append(append(oracleAtoms, oracleShapes...), wrapperShapes...) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		l := readLine(line)
		for _, c := range append(l.cmds, l.hidden...) {
			if len(c.words) == 0 {
				t.Errorf("%q holds a command without words", line)
			}
		}
	})
}
