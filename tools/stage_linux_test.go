package tools

import (
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"
)

// A command is told the same way with a stage above it and without.
func TestAStageChangesNothingOfACommand(t *testing.T) {
	for _, command := range []string{
		"echo out; echo err >&2", "exit 3", "kill -KILL $$", "kill -TERM $$", "nothing-of-this-name", "cat; echo end",
		"mkdir -p sub; cd sub; pwd", "ls /proc/self/fd | wc -l", "[ $$ = $(ps -o sid= -p $$) ] && echo leads its session",
		"env | grep -v ^WEIR_CALL | sort", "ps -o comm= -p $$; trap", "sleep 600 & kill $!; wait $!",
		"rm -rf ../gone; mkdir gone; cd gone; rmdir ../gone", "trap 'echo asked; exit 4' TERM; kill -TERM 0",
	} {
		var said [2]string
		for i, exe := range []string{"", itself(t)} {
			k := newKit(t, Config{Exe: exe})
			r := k.call("bash", args{"command": command})
			said[i] = strings.ReplaceAll(fmt.Sprintf("%s %v %s", r.Kind, r.Background, r.Text), k.dir, "DIR")
			said[i] += " then " + strings.ReplaceAll(k.call("bash", args{"command": "pwd"}).Text, k.dir, "DIR")
		}
		if said[0] != said[1] {
			t.Errorf("%s\nwithout: %s\nwith:    %s", command, said[0], said[1])
		}
	}
}

func TestAJobBelowAStage(t *testing.T) {
	k := newKit(t, Config{Exe: itself(t)})
	r := k.call("bash", args{"command": "echo $$; exec sleep 600", "background": true})
	if want := fmt.Sprintf("job 1 started, pid %d", r.Background[0]); !strings.HasPrefix(r.Text, want) {
		t.Errorf("%+v", r)
	}
	for !strings.Contains(k.want("job_output", args{"job": "1"}), fmt.Sprintf("\n%d\n", r.Background[0])) {
	}
	has(t, k.want("job_kill", args{"job": "1"}), "job 1: ended, exit 143 (terminated)")
}

// What is started below a stage and cannot be started is the same error.
func TestAShellThatDoesNotExist(t *testing.T) {
	for _, exe := range []string{"", itself(t)} {
		k := newKit(t, Config{Exe: exe, Shell: "/no/such/shell"})
		if got := k.refuse("bash", args{"command": "true"}); got != "the command could not be started: no such file or directory" {
			t.Errorf("got %q", got)
		}
	}
	k := newKit(t, Config{Exe: "/bin/true"})
	has(t, k.refuse("bash", args{"command": "true"}), "could not be started: /bin/true does not look after it: ")
}

// A command may kill its stage. That ends the command and what can be found of
// it, and the result says no more than that, or that it was not looked after if
// the stage had not yet said that it runs.
func TestAStageThatIsKilled(t *testing.T) {
	k := newKit(t, Config{Exe: itself(t)})
	k.write("pids", "")
	r := k.call("bash", args{"command": "setsid sleep 600 & echo $! >> pids; echo $$ >> pids; kill -KILL $PPID; sleep 600"})
	early := "the command could not be started: what looks after it was ended by a signal (killed) before it could say that the command runs, perhaps by the command"
	if r.Kind != Failed || r.Text != "(no output)\nexit 137 (killed)" && r.Text != early {
		t.Errorf("%+v", r)
	}
	if left := running(k.pids()); len(left) > 0 {
		t.Errorf("%v live on", left)
	}
	has(t, k.want("bash", args{"command": "echo works"}), "works")
}

// A command that stops its stage is ended at once with all it has started,
// whenever it does so and however often, and the result says why.
func TestAStageThatIsStopped(t *testing.T) {
	t.Parallel()
	const why = "something in it stopped the process that looks after it, so it was ended"
	for _, command := range []string{
		"kill -STOP $PPID; sleep 600; sleep 600", "kill -STOP $PPID", "kill -STOP $PPID; exit 3", "while :; do kill -STOP $PPID; done",
		escapes["escaped"] + untilTold + "kill -STOP $PPID; sleep 600",
		`trap "" TERM; setsid sleep 600 & echo $! > pids; kill -STOP $PPID; while :; do sleep 1; done`,
	} {
		k := newKit(t, Config{Exe: itself(t)})
		k.write("pids", "")
		r := k.call("bash", args{"command": command})
		if want := (Result{Kind: Failed, Text: "(no output)\n" + why + " with all it had started"}); !reflect.DeepEqual(r, want) {
			t.Errorf("%s: %+v, want %+v", command, r, want)
		}
		if left := running(k.pids()); len(left) > 0 {
			t.Errorf("%s: %v live on", command, left)
		}
		has(t, k.want("bash", args{"command": "echo works"}), "works")
	}
	k := newKit(t, Config{Exe: itself(t)})
	k.want("bash", args{"command": "sleep 600 & kill -STOP $PPID; sleep 600", "background": true})
	has(t, k.want("job_output", args{"job": "1", "wait_ms": 60_000}), "job 1: ended, "+why)
	if got := runs(t.Context(), itself(t), "", "echo out; kill -STOP $PPID; sleep 600"); got != (told{"out\n", "", why}) {
		t.Errorf("%q", got)
	}
}

// A stage that is killed before it can answer is not one that does not work.
func TestAStageThatIsKilledEarly(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		"kill -KILL $$": "what looks after it was ended by a signal (killed) before it could say that the command runs, perhaps by the command",
		"exit 3":        "does not look after it: ",
		// Nor one that does something else.
		"exec 3<&-; sleep 600": "does not look after it: ",
	} {
		k := newKit(t, Config{})
		k.write("stage", "#!/bin/sh\n"+script+"\n")
		if err := os.Chmod(k.path("stage"), 0o700); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("/bin/true")
		cmd.Stdout = &strings.Builder{}
		if err := Run(t.Context(), k.path("stage"), cmd); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", script, err, want)
		}
	}
}

// A stage that Wrap has changed, as a sandbox does, is one of the command.
func TestAStageStartsWhatWrapMade(t *testing.T) {
	k := newKit(t, Config{Exe: itself(t), Wrap: func(cmd *exec.Cmd) error {
		cmd.Args = append([]string{"env", "WRAPPED=yes", cmd.Path}, cmd.Args[1:]...)
		cmd.Path = "/usr/bin/env"
		return nil
	}})
	if got := k.want("bash", args{"command": "echo $WRAPPED"}); got != "yes" {
		t.Errorf("got %q", got)
	}
}
