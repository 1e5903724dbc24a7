package tools

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weir-agents/weir/tools/internal/stage"
)

// running reports which of the processes are.
func running(pids []int) []int {
	var alive []int
	for _, pid := range pids {
		if _, ok := stage.Read(pid); ok {
			alive = append(alive, pid)
		}
	}
	return alive
}

// spawners are commands that leave something running, in the ways there are.
var spawners = map[string]string{
	"plain":          "sleep 600 & echo $! >> pids",
	"setsid":         "setsid sleep 600 & echo $! >> pids",
	"closed":         "(sleep 600 >/dev/null 2>&1 & echo $! >> pids)",
	"setsid closed":  "setsid sleep 600 >/dev/null 2>&1 < /dev/null & echo $! >> pids",
	"nohup":          "nohup sleep 600 >/dev/null 2>&1 & echo $! >> pids",
	"cleared":        "env -i sleep 600 & echo $! >> pids",
	"cleared setsid": "env -i setsid sleep 600 & echo $! >> pids",
	"disowned":       "sleep 600 & echo $! >> pids; disown",
	"stubborn":       `(trap "" TERM HUP INT; echo $BASHPID >> pids; while :; do sleep 600 & echo $! >> pids; wait; done) &`,
	"fifty":          "for i in $(seq 50); do sleep 600 & echo $! >> pids; done",
}

// escapes leave something running that has given up all by which a search could
// find it. A stage still holds it.
var escapes = map[string]string{
	"escaped":               "env -i setsid -f sh -c 'echo $$ >> pids; exec sleep 600' >/dev/null 2>&1 </dev/null",
	"escaped twice":         "env -i setsid -f sh -c '(setsid -f sh -c \"echo \\$\\$ >> pids; exec sleep 600\")' >/dev/null 2>&1 </dev/null",
	"daemon":                "(env -i setsid sh -c 'sh -c \"echo \\$\\$ >> pids; exec sleep 600\" & exit' >/dev/null 2>&1 </dev/null &)",
	"stubborn daemon":       "env -i setsid -f sh -c 'trap \"\" TERM HUP INT; echo $$ >> pids; while :; do sleep 1; done' >/dev/null 2>&1 </dev/null",
	"asks its stage to end": "env -i setsid -f sh -c 'echo $$ >> pids; exec sleep 600' >/dev/null 2>&1 </dev/null; for s in TERM INT HUP QUIT USR1 TSTP PIPE; do kill -$s $PPID; done",
}

// untilTold waits for the first of pids, which may be written by somebody else.
const untilTold = "\nuntil [ -s pids ]; do :; done; "

// eachWay runs a test without a stage and with one.
func eachWay(t *testing.T, test func(t *testing.T, exe string, commands map[string]string)) {
	t.Run("searched", func(t *testing.T) { test(t, "", spawners) })
	t.Run("staged", func(t *testing.T) {
		all := maps.Clone(spawners)
		maps.Copy(all, escapes)
		test(t, itself(t), all)
	})
}

func (k *kit) pids() []int {
	k.t.Helper()
	var ids []int
	for _, f := range strings.Fields(k.content("pids")) {
		id, err := strconv.Atoi(f)
		if err != nil {
			k.t.Fatal(err)
		}
		ids = append(ids, id)
	}
	return ids
}

// B007, B011: a background process delays nothing, is named, and ends with the
// session or with a cancel of its turn.
func TestB007B011BackgroundProcess(t *testing.T) { eachWay(t, backgroundProcess) }

func backgroundProcess(t *testing.T, exe string, commands map[string]string) {
	for name, command := range commands {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t, Config{Exe: exe, Env: []string{"KIT=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}})
			k.write("pids", "")
			r := k.call("bash", args{"command": command + untilTold + "echo said"})
			has(t, r.Text, "said", "still running in the background: pid", "(job 1)")
			if !r.OK() || len(running(r.Background)) == 0 {
				t.Fatalf("%+v", r)
			}
			for _, pid := range k.pids() {
				if !strings.Contains(fmt.Sprint(r.Background), strconv.Itoa(pid)) && len(running([]int{pid})) > 0 {
					t.Errorf("%d is not named in %v", pid, r.Background)
				}
			}
			k.scope.EndTurn("another")
			if len(running(r.Background)) == 0 {
				t.Error("another turn's cancel ended it")
			}
			if len(name)%2 == 0 {
				k.scope.EndTurn("t1")
			} else {
				k.scope.Close()
			}
			if left := running(append(k.pids(), r.Background...)); len(left) > 0 {
				t.Errorf("%v live on", left)
			}
		})
	}
}

// B001, B002: after a cancel nothing the command started runs, so nothing of it
// writes.
func TestB001B002CancelEndsEverything(t *testing.T) { eachWay(t, cancelEndsEverything) }

func cancelEndsEverything(t *testing.T, exe string, commands map[string]string) {
	for name, command := range commands {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t, Config{Exe: exe})
			k.write("pids", "")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			k.onLive = func(all string) {
				if strings.Contains(all, "ready") {
					cancel()
				}
			}
			r := k.callIn(ctx, k.scope, "bash", args{"command": command + untilTold + "echo ready; while :; do echo x >> log; done"})
			if r.Kind != Canceled || len(r.Background) > 0 {
				t.Errorf("%+v", r)
			}
			if left := running(k.pids()); len(left) > 0 {
				t.Errorf("%v live on", left)
			}
		})
	}
}

func openHandles(t *testing.T) int {
	t.Helper()
	handles, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(handles)
}

// Promise 12: whenever a cancel comes, no process is left, and the next call
// works.
func TestPromise12RandomCancels(t *testing.T) { eachWay(t, randomCancels) }

func randomCancels(t *testing.T, exe string, _ map[string]string) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	marker := t.TempDir()
	k := newKit(t, Config{Exe: exe, Env: []string{"PATH=" + os.Getenv("PATH"), "KIT=" + marker}})
	handles := openHandles(t)
	var wg sync.WaitGroup
	slots := make(chan struct{}, 8)
	for range 200 {
		after := time.Duration(random.IntN(30_000)) * time.Microsecond
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			ctx, cancel := context.WithTimeout(t.Context(), after)
			defer cancel()
			scope := NewScope()
			k.callIn(ctx, scope, "bash", args{"command": "sleep 600 & setsid sleep 600 & (sleep 600 &) & echo; sleep 600"})
			scope.Close()
		})
	}
	wg.Wait()
	left := &family{mark: []byte(marker), known: map[int]uint64{}}
	if members := left.members(t.Context()); len(members) > 0 {
		t.Errorf("%v live on", members)
	}
	if n := openHandles(t); n > handles {
		t.Errorf("%d open files, before %d", n, handles)
	}
	if got := k.want("bash", args{"command": "echo works"}); got != "works" {
		t.Errorf("got %q", got)
	}
}

// A command that deletes its own working directory harms only its own call.
func TestBashDeletesItsOwnFolder(t *testing.T) {
	k := newKit(t, Config{})
	k.write("sub/f", "")
	k.want("bash", args{"command": "cd sub; rm -r ../sub"})
	has(t, k.want("bash", args{"command": "echo on"}), "on")
}

func TestJobs(t *testing.T) {
	k := newKit(t, Config{})
	r := k.call("bash", args{"command": "echo one; read < fifo; echo two; read < fifo; exit 4", "background": true})
	if has(t, r.Text, "job 1 started, pid "); len(r.Background) != 1 {
		t.Fatalf("%+v", r)
	}
	k.want("bash", args{"command": "mkfifo fifo 2>/dev/null; true"})
	has(t, k.refuse("job_output", args{"job": "7"}), `no job "7"; the jobs are 1`)

	r = k.call("bash", args{"command": "mkfifo pipe; echo one; read < pipe; echo two; exit 4", "background": true})
	has(t, r.Text, "job 2 started")
	k.want("bash", args{"command": "until [ -p pipe ]; do :; done; echo > pipe"})
	got := k.want("job_output", args{"job": "2", "wait_ms": 60_000})
	has(t, got, "job 2: ended, exit 4; bytes 0-8 of 8\none\ntwo\n")
	if got = k.want("job_output", args{"job": "2", "offset": 4}); got != "job 2: ended, exit 4; bytes 4-8 of 8\ntwo\n" {
		t.Errorf("got %q", got)
	}
	if got = k.want("job_output", args{"job": "2", "offset": 8}); got != "job 2: ended, exit 4; nothing new, 8 bytes so far\n" {
		t.Errorf("got %q", got)
	}
	has(t, k.want("job_kill", args{"job": "2"}), "ended, exit 4 already")

	r = k.call("bash", args{"command": "sleep 600", "background": true})
	has(t, k.want("job_output", args{"job": "3"}), "job 3: running, pid", "nothing new", "go on with offset 0")
	has(t, k.want("job_kill", args{"job": "3"}), "job 3: ended, exit 143 (terminated)")
	if left := running(r.Background); len(left) > 0 {
		t.Errorf("%v lives on", left)
	}
}

func TestBackgroundJobEndsAtItsTimeout(t *testing.T) {
	k := newKit(t, Config{})
	k.want("bash", args{"command": "sleep 600", "background": true, "timeout_ms": 10})
	has(t, k.want("job_output", args{"job": "1", "wait_ms": 60_000}), "ended, exit 143")
}

func TestJobsAreBounded(t *testing.T) {
	k := newKit(t, Config{})
	for range jobsRunningMax {
		k.want("bash", args{"command": "sleep 600", "background": true})
	}
	has(t, k.refuse("bash", args{"command": "sleep 600", "background": true}), "32 jobs are running already")
	k.scope.Close()
	j := jobsOf(k.scope)
	for range jobsKeptMax {
		k.want("bash", args{"command": "true", "background": true})
		k.call("job_output", args{"job": strconv.Itoa(j.last), "wait_ms": 10_000})
	}
	if n := len(j.list); n > jobsKeptMax {
		t.Errorf("%d jobs are kept", n)
	}
}

// What a job writes beyond what is kept in memory is read from its file.
func TestJobOutputOfAnyLength(t *testing.T) {
	k := newKit(t, Config{SpillDir: t.TempDir()})
	k.want("bash", args{"command": "seq 1 40000", "background": true})
	k.call("job_output", args{"job": "1", "wait_ms": 60_000})
	var got, want strings.Builder
	for i := range 40_000 {
		fmt.Fprintln(&want, i+1)
	}
	for got.Len() < want.Len() {
		r := k.call("job_output", args{"job": "1", "offset": got.Len()})
		_, body, _ := strings.Cut(r.Text, "\n")
		if body == "" || r.Truncated != (got.Len()+len(body) < want.Len()) {
			t.Fatalf("at %d: %v %s", got.Len(), r.Truncated, capped(r.Text, 200))
		}
		got.WriteString(body)
	}
	if got.String() != want.String() {
		t.Error("the pieces are not the output")
	}
}
