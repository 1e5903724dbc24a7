package sandbox

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func TestExitCodesAndOutputPassThrough(t *testing.T) {
	eachKind(t, func(t *testing.T, a *arena) {
		for _, code := range []int{0, 1, 7, 127, 255} {
			if _, got := a.run(fmt.Sprintf("exit %d", code)); got != code {
				t.Errorf("exit %d became %d", code, got)
			}
		}
		var stdout, stderr bytes.Buffer
		cmd := a.wrapped(a.command(`echo out; echo err >&2; cat`))
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader("in"), &stdout, &stderr
		if err := cmd.Run(); err != nil || stdout.String() != "out\nin" || stderr.String() != "err\n" {
			t.Errorf("%v: %q, %q", err, stdout.String(), stderr.String())
		}
		const size = 5_000_000
		large, err := a.wrapped(a.command(fmt.Sprintf(`head -c %d /dev/zero`, size))).Output()
		if err != nil || len(large) != size {
			t.Errorf("%d bytes of %d, %v", len(large), size, err)
		}
		_, code := a.run(`kill -TERM $$`)
		if want := []int{128 + int(syscall.SIGTERM), -1}; !slices.Contains(want, code) {
			t.Errorf("killed by a signal: exit %d", code)
		}
	})
}

func TestArgumentsStayAsTheyAre(t *testing.T) {
	eachKind(t, func(t *testing.T, a *arena) {
		args := []string{"", " ", "--", "-c", `'"\$(id)"'`, "a\nb", "\xff\xfe", "$HOME `id` *", "__sandbox", "ü"}
		cmd := exec.Command("/usr/bin/printf", append([]string{"%s\\0"}, args...)...)
		cmd.Dir, cmd.Env = a.root, []string{"A=\xff b"}
		out, err := a.wrapped(cmd).Output()
		if err != nil || string(out) != strings.Join(args, "\x00")+"\x00" {
			t.Errorf("%v: %q", err, out)
		}
		a.ok(`bash -c "bash -c 'printf %s \"\$0\"' 'x  y'"`, "x  y")
		env := a.wrapped(a.command("env -0"))
		before := slices.Clone(env.Env)
		out, err = env.Output()
		if err != nil {
			t.Fatal(err)
		}
		for _, pair := range before {
			if !strings.HasPrefix(pair, "TMPDIR=") && !strings.Contains("\x00"+string(out), "\x00"+pair+"\x00") {
				t.Errorf("%s is missing", pair)
			}
		}
		name := a.root + "/odd \xff name"
		if err := os.Mkdir(name, 0o755); err != nil {
			t.Fatal(err)
		}
		odd := a.command("pwd")
		odd.Dir = name
		if out, err := a.wrapped(odd).Output(); err != nil || string(out) != name+"\n" {
			t.Errorf("%v: %q", err, out)
		}
	})
}

// The bash tool hears of the last working folder through a descriptor.
func TestDescriptorsPassThrough(t *testing.T) {
	eachKind(t, func(t *testing.T, a *arena) {
		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer reader.Close()
		cmd := a.command(`trap 'pwd -P >&199' EXIT; cd .git`)
		cmd.ExtraFiles = make([]*os.File, 197)
		cmd.ExtraFiles[196] = writer
		if out, err := a.wrapped(cmd).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		if err := writer.Close(); err != nil {
			t.Fatal(err)
		}
		if said, err := io.ReadAll(reader); err != nil || string(said) != a.root+"/.git\n" {
			t.Errorf("%v: %q", err, said)
		}
	})
}

// victim is a process of the same user, with a secret in its environment.
func victim(t *testing.T) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("/bin/cat")
	cmd.Env = []string{"KEY=canary-secret"}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
			t.Error("the victim did not live to its end: ", err)
		}
	})
	return cmd
}

func TestOtherProcessesAreOutOfReach(t *testing.T) {
	eachKind(t, func(t *testing.T, a *arena) {
		var scripts []string
		for _, pid := range []int{victim(t).Process.Pid, os.Getpid()} {
			for _, script := range []string{
				`tr '\0' '\n' < /proc/%d/environ | grep .`, `cat /proc/%d/mem`, `echo x > /proc/%d/mem`,
				`readlink /proc/%d/fd/0`, `cat /proc/%d/maps | grep .`, `cat /proc/%d/root` + a.base + `/token`,
				`echo x > /proc/%d/cwd/weir-was-here`, `"$PROBE" probe ptrace %d`, `kill -9 %d`, `kill -STOP %d`,
			} {
				if strings.HasPrefix(script, "kill") && a.sandbox.seen.Landlock < signalABI && a.kind != Bubblewrap {
					continue // It says that it leaves this open.
				}
				scripts = append(scripts, fmt.Sprintf(script, pid))
			}
		}
		a.refused(scripts...)
	})
}

func TestNoRightsAreLeft(t *testing.T) {
	eachKind(t, func(t *testing.T, a *arena) {
		got, _ := a.run(`grep -E '^(CapEff|CapPrm|CapAmb|NoNewPrivs)' /proc/self/status`)
		caps := "0000000000000000"
		if os.Geteuid() == 0 {
			caps = "000000000000001b" // chown, dac_override, fowner, fsetid
		}
		want := fmt.Sprintf("CapPrm:\t%s\nCapEff:\t%s\nCapAmb:\t0000000000000000\nNoNewPrivs:\t1", caps, caps)
		if got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
}

func TestLimitsHold(t *testing.T) {
	eachKind(t, func(t *testing.T, a *arena) {
		a.change(func(c *Config) { c.Limits = Limits{FileBytes: 4096, MemoryBytes: 1 << 32} })
		a.ok(`ulimit -c; ulimit -f; ulimit -v; ulimit -u`, "0\n4\n4194304\n8192")
		a.refused(`head -c 10000 /dev/zero > big`)
	})
}

// keptPipe starts a script with the writing end of a pipe; reading it ends when
// the last process of the script has.
func (a *arena) keptPipe(script string) (cmd *exec.Cmd, left *bufio.Reader) {
	a.t.Helper()
	reader, writer, err := os.Pipe()
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() { _ = reader.Close() }) // Only read from.
	cmd = a.command(script)
	cmd.Stdout = writer
	if err := a.wrapped(cmd).Start(); err != nil {
		a.t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		a.t.Fatal(err)
	}
	return cmd, bufio.NewReader(reader)
}

const leavesTwo = `sleep 600 & setsid sleep 600 & echo started`

func TestWhatIsLeftRunningEndsWithTheCommand(t *testing.T) {
	eachKind(t, func(t *testing.T, a *arena) {
		if a.kind != Bubblewrap {
			return // The caller ends it: see TestAKillReachesThroughTheWrapper.
		}
		cmd, left := a.keptPipe(leavesTwo)
		if out, err := io.ReadAll(left); err != nil || string(out) != "started\n" {
			t.Errorf("%v: %q", err, out)
		}
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
}

func TestWhatIsLeftRunningIsKept(t *testing.T) {
	eachKind(t, func(t *testing.T, a *arena) {
		a.change(func(c *Config) { c.KeepBackground = true })
		if err := syscall.Mkfifo(a.root+"/go", 0o600); err != nil {
			t.Fatal(err)
		}
		cmd, left := a.keptPipe(`(read x < go; echo "$x") & echo started`)
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
		a.write("root/go", "went\n") // Waits for a reader.
		if out, err := io.ReadAll(left); err != nil || string(out) != "started\nwent\n" {
			t.Errorf("%v: %q", err, out)
		}
	})
}

func TestAKillReachesThroughTheWrapper(t *testing.T) {
	eachKind(t, func(t *testing.T, a *arena) {
		for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
			cmd, left := a.keptPipe(`sleep 600 & echo started; sleep 600`)
			if line, err := left.ReadString('\n'); err != nil || line != "started\n" {
				t.Fatal(line, err)
			}
			if err := syscall.Kill(-cmd.Process.Pid, signal); err != nil {
				t.Error(err)
			}
			if _, err := io.ReadAll(left); err != nil { // Returns when all are gone.
				t.Error(err)
			}
			if err := cmd.Wait(); err == nil {
				t.Error("a killed command did well")
			}
		}
	})
}

func TestAllEndsWithTheProgram(t *testing.T) {
	eachKind(t, func(t *testing.T, a *arena) {
		if a.kind != Bubblewrap {
			return
		}
		cmd := exec.Command(executable(t), "probe", "launch", executable(t), a.root, a.sandbox.seen.Bubblewrap)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		left := bufio.NewReader(out)
		if line, err := left.ReadString('\n'); err != nil || line != "started\n" {
			t.Fatal(line, err)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(left); err != nil { // Returns when all are gone.
			t.Error(err)
		}
		if err := cmd.Wait(); err == nil {
			t.Error("a killed program did well")
		}
	})
}
