package tools

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBashRunsACommand(t *testing.T) {
	k := newKit(t, Config{})
	k.write("sub/f", "")
	for _, c := range []struct {
		args args
		want Result
	}{
		{args{"command": "echo out; echo err >&2; echo out2"}, Result{Text: "out\nerr\nout2"}},
		{args{"command": "true"}, Result{Text: "(no output)"}},
		{args{"command": "echo a; exit 3"}, Result{Kind: Failed, Text: "a\nexit 3"}},
		{args{"command": "kill -9 $$"}, Result{Kind: Failed, Text: "(no output)\nexit 137 (killed)"}},
		{args{"command": "pwd"}, Result{Text: k.dir}},
		{args{"command": "cat <<< $'two\\nlines'"}, Result{Text: "two\nlines"}},
		{args{"command": "echo \"[$0 $1 $#]\""}, Result{Text: "[/bin/bash  0]"}},
		{args{"command": "printf 'a\\033[31mred\\033[0m\\033]0;title\\007b\\xff\\000'"}, Result{Text: "aredb\uFFFD\uFFFD"}},
		{args{"command": "pwd", "cwd": "sub"}, Result{Text: k.dir + "/sub"}},
		{args{"command": "pwd", "cwd": "none"}, Result{Kind: Failed, Text: "the command could not be started: cwd none: no such file"}},
		{args{"command": " "}, Result{Kind: BadArgument, Text: "the command is empty"}},
		{args{"command": "a\x00b"}, Result{Kind: BadArgument, Text: "a command cannot hold a NUL byte"}},
		{args{"command": "true" + strings.Repeat(" ", commandBytesMax-4)}, Result{Text: "(no output)"}},
		{args{"command": "true" + strings.Repeat(" ", commandBytesMax-3)}, Result{Kind: BadArgument, Text: "the command has 131072 bytes, and the system takes at most 131071; write it to a file and run that"}},
		{args{"command": "sleep 300", "timeout_ms": 20}, Result{Kind: TimedOut, Text: "(no output)\ntimed out after 20ms; ended with all it had started that could be found"}},
		{args{"command": "[ -t 0 ] || [ -t 1 ] || (: < /dev/tty) 2>/dev/null || echo no terminal"}, Result{Text: "no terminal"}},
	} {
		if d := cmp.Diff(c.want, k.call("bash", c.args)); d != "" {
			t.Errorf("%v: %s", c.args, d)
		}
	}
}

// What is wrong is the folder, which the command may have removed itself.
func TestBashInAWorkspaceThatIsGone(t *testing.T) {
	k := newKit(t, Config{})
	k.call("bash", args{"command": "rm -r " + k.dir})
	want := "the command could not be started: the workspace " + k.dir + ": no such file or directory; a person must make it again"
	if got := k.refuse("bash", args{"command": "true"}); got != want {
		t.Errorf("got %q", got)
	}
}

func TestBashKeepsTheWorkingDirectory(t *testing.T) {
	k := newKit(t, Config{})
	k.write("a/b/f", "")
	steps := []struct{ command, want string }{
		{"cd a/b", "(no output)"},
		{"pwd; cd ..; exit 1", k.dir + "/a/b\nexit 1"},
		{"pwd; cd /tmp", k.dir + "/a\nthat directory is outside the workspace; the next command starts in the workspace root"},
		{"pwd; cd a/b", k.dir},
		{"rm -r ../b", "(no output)"},
		{"pwd", k.dir + "\nthe working directory is gone; this ran in the workspace root"},
		{"trap 'echo bye' EXIT; cd a", "bye"},
		{"pwd; (cd a; eval \"$(trap -p | cut -d\\' -f2)\")", k.dir}, // What is ended before its exec says it, too.
		{"pwd; set -e; false; cd a", k.dir + "\nexit 1"},
		{"pwd", k.dir},
	}
	for _, s := range steps {
		if got := k.call("bash", args{"command": s.command}).Text; got != s.want {
			t.Errorf("%s: got %q, want %q", s.command, got, s.want)
		}
	}
	k.want("bash", args{"command": "cd a"})
	if err := os.RemoveAll(k.path("a")); err != nil {
		t.Fatal(err)
	}
	want := k.dir + "\nthe working directory is gone; this ran in the workspace root"
	if got := k.want("bash", args{"command": "pwd"}); got != want {
		t.Errorf("got %q", got)
	}
	if other := k.callIn(t.Context(), NewScope(), "bash", args{"command": "pwd"}); other.Text != k.dir {
		t.Errorf("another session is in %q", other.Text)
	}
}

func TestBashEnvironment(t *testing.T) {
	k := newKit(t, Config{
		Env: []string{
			"PATH=" + os.Getenv("PATH"), "TZ=Asia/Tokyo", "LANG=C.UTF-8", "TERM=xterm", "TOKENIZERS_PARALLELISM=true", "KEYBOARD=de",
			"OPENAI_API_KEY=canary1", "GH_TOKEN=canary2", "AWS_REGION=canary3", "PGPASSWORD=canary4", "MY_SECRET_THING=canary5",
			"DATABASE_URL=postgres://u:canary6@host/db", "odd=sk-canary7", "EXTRA=canary8", "BASH_FUNC_ls%%=() { echo canary9; }",
			"BASH_ENV=/canary10", "PROMPT_COMMAND=echo canary11", "GIT_ASKPASS=canary12",
		},
		SecretEnv: []string{"EXTRA"},
	})
	got := k.want("bash", args{"command": "env; date +%Z; type -t ls"})
	has(t, got, "TZ=Asia/Tokyo\n", "LANG=C.UTF-8\n", "TERM=dumb\n", "GIT_TERMINAL_PROMPT=0\n", "TOKENIZERS_PARALLELISM=true\n", "KEYBOARD=de\n", "\nJST\nfile")
	if strings.Contains(got, "canary") {
		t.Errorf("a secret is there: %s", got)
	}
}

// A plain sh does the same, but for line numbers.
func TestPlainShell(t *testing.T) {
	k := newKit(t, Config{Shell: "/bin/sh"})
	k.write("a/f", "")
	k.want("bash", args{"command": "cd a"})
	if got := k.want("bash", args{"command": "pwd; echo $0"}); got != k.dir+"/a\n/bin/sh" {
		t.Errorf("got %q", got)
	}
}

// The shell gets the command that was approved, byte for byte, and an error in
// it is told as the shell tells it.
func TestPromise5BashRunsExactlyTheCommand(t *testing.T) {
	k := newKit(t, Config{})
	const command = `tr '\0' '|' < /proc/$$/cmdline; trap; bash -c trap; echo "${BASH_ENV-none}"`
	if got, want := k.want("bash", args{"command": command}), "/bin/bash|-c|"+command+`|trap -- '{ pwd -P; printf "\0"; } >&199 2>/dev/null' EXIT`+"\nnone"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	has(t, k.refuse("bash", args{"command": "echo ("}), "/bin/bash: -c: line 1: syntax error near unexpected token", "exit 2")
}

// B008, B010: input is empty, whichever way a command asks for it.
func TestB008B010InputIsEmpty(t *testing.T) {
	k := newKit(t, Config{})
	for command, want := range map[string]string{
		"cat":                      "(no output)",
		`read x; echo "[$x]"`:      "[]",
		"cat /dev/stdin":           "(no output)",
		"seq 2 | cat < /dev/stdin": "1\n2",
		"seq 2 | cat":              "1\n2",
		"cat - & wait; echo e":     "e",
	} {
		if got := k.want("bash", args{"command": command}); got != want {
			t.Errorf("%s: got %q, want %q", command, got, want)
		}
	}
}

// B013: both streams are drained at once.
func TestB013FullErrorPipe(t *testing.T) {
	k := newKit(t, Config{})
	got := k.want("bash", args{"command": `head -c 1M /dev/zero | tr '\0' e >&2; echo done`})
	if !strings.HasSuffix(got, "eee"+"done") {
		t.Errorf("got …%q", got[len(got)-50:])
	}
}

// B014: the shell has no job control, so it waits for nobody.
func TestB014NoJobControl(t *testing.T) {
	k := newKit(t, Config{})
	if got := k.want("bash", args{"command": "case $- in *[im]*) echo $-;; esac; shopt -q login_shell && echo login; true"}); got != "(no output)" {
		t.Errorf("got %q", got)
	}
}

// B019: output in one endless line costs no more memory than any other.
func TestPromise16B019OneHugeLine(t *testing.T) {
	k := newKit(t, Config{SpillDir: t.TempDir(), SpillBytesMax: 1 << 20})
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	r := k.call("bash", args{"command": `head -c 60M /dev/zero | tr '\0' x`})
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 16<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
	if !r.Truncated || len(r.Text) > outputMax+500 {
		t.Errorf("truncated %v, %d bytes", r.Truncated, len(r.Text))
	}
	has(t, r.Text, "bytes cut, the first 1048576 bytes in ", "(the limit of a spill file is 1048576 bytes)")
}

// B020: endless output neither delays the timeout nor fills the live view or
// the disk.
func TestPromise16B020EndlessOutput(t *testing.T) {
	dir := t.TempDir()
	k := newKit(t, Config{SpillDir: dir, SpillBytesMax: 1 << 20})
	r := k.call("bash", args{"command": "yes", "timeout_ms": 300})
	if r.Kind != TimedOut || !r.Truncated || len(r.Text) > outputMax+500 {
		t.Errorf("%s, truncated %v, %d bytes", r.Kind, r.Truncated, len(r.Text))
	}
	if n := k.live.Len(); n < outputMax || n > outputLiveMax+64<<10 {
		t.Errorf("%d bytes live", n)
	}
	has(t, k.live.String()[k.live.Len()-100:], "more output is not shown live")
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	if info, err := files[0].Info(); err != nil || info.Size() != 1<<20 || info.Mode() != 0o600 {
		t.Errorf("%v, %v, %v", info.Size(), info.Mode(), err)
	}
}

// The whole of a long output is in a file that the model can read.
func TestLongOutputCanBeReadBack(t *testing.T) {
	k := newKit(t, Config{SpillDir: t.TempDir() + "/made/here"})
	got := k.want("bash", args{"command": "seq 1 20000"})
	_, file, _ := strings.Cut(got, "bytes cut, all in ")
	file, tail, _ := strings.Cut(file, " …\n")
	has(t, got[:20], "1\n2\n3\n")
	if !strings.HasSuffix(tail, "\n20000") {
		t.Errorf("the tail ends with %q", tail[len(tail)-20:])
	}
	has(t, k.want("read_file", args{"path": file, "offset": 10_000, "limit": 1}), "lines 10000-10000 of 20000\n 10000\t10000")
	has(t, k.refuse("write_file", args{"path": file, "content": ""}), "may be read but not written")
}

// B109: a full disk does not keep a command from running, and is named.
func TestB109SpillDiskFull(t *testing.T) {
	dir := t.TempDir()
	k := newKit(t, Config{})
	b := &builtin{ws: k.ws, cfg: Config{SpillDir: dir, SpillBytesMax: 1 << 20}, createSpill: func(*Scope, string) (*os.File, error) {
		return os.OpenFile("/dev/full", os.O_RDWR, 0)
	}}
	k.reg, _ = NewRegistry(b.bash())
	r := k.call("bash", args{"command": "seq 1 20000"})
	if !r.OK() || !r.Truncated {
		t.Errorf("%s, truncated %v", r.Kind, r.Truncated)
	}
	has(t, r.Text, "bytes cut, not kept: "+dir+": no space left on device", "\n20000")

	k = newKit(t, Config{SpillDir: "/dev/null/nowhere"})
	has(t, k.want("bash", args{"command": "seq 1 20000"}), "not kept: /dev/null/nowhere: not a folder")
	k = newKit(t, Config{})
	has(t, k.want("bash", args{"command": "seq 1 20000"}), "bytes cut, not kept …")
}

func TestWrapSeesTheCommandBeforeItStarts(t *testing.T) {
	var seen []string
	k := newKit(t, Config{Wrap: func(cmd *exec.Cmd) error {
		seen = append(seen, cmd.Args[len(cmd.Args)-1])
		if strings.Contains(cmd.Args[2], "forbidden") {
			return errors.New("no sandbox")
		}
		cmd.Env = append(cmd.Env, "WRAPPED=yes")
		return nil
	}})
	if got := k.want("bash", args{"command": "echo $WRAPPED"}); got != "yes" {
		t.Errorf("got %q", got)
	}
	has(t, k.refuse("bash", args{"command": "echo forbidden > f"}), "could not be started: no sandbox")
	if _, err := os.Lstat(k.path("f")); err == nil || len(seen) != 2 {
		t.Errorf("it ran: %v, %q", err, seen)
	}
}
