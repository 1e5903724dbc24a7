package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/weir-agents/weir/cmd/weir/internal/stdio"
)

// parrot is a server that keeps nothing of what it is asked.
func parrot(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, text := range []string{`# Of birds\n\n- one\n- two\n\n` + strings.Repeat("word ", 200), `\n\nThe end.`} {
		_, _ = fmt.Fprintf(w, `data: {"choices":[{"index":0,"delta":{"content":"%s"}}]}`+"\n\n", text)
	}
	_, _ = fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
}

// inside is a talk on a terminal within the process of the test.
type inside struct {
	t      *testing.T
	master *os.File
	rest   []byte
	code   chan int
}

func talkInside(t *testing.T, args ...string) *inside {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(tty, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"HOME": t.TempDir(), "TERM": "xterm-256color"}
	std := &stdio.Streams{
		In: tty, Out: stdio.NewOutput(tty), Err: stdio.NewOutput(tty), Screen: tty, InTerminal: true, OutTerminal: true, ErrTerminal: true,
	}
	t.Cleanup(func() {
		_, _ = master.Close(), tty.Close()
		std.Out.Close()
		std.Err.Close()
	})
	a := &app{std: std, env: func(name string) string { return env[name] }, signals: &signals{}}
	n := &inside{t: t, master: master, code: make(chan int, 1)}
	go func() { n.code <- a.main(append(args, "--cwd", env["HOME"])) }()
	return n
}

// until reads until words have come behind what was read before.
func (n *inside) until(words string) {
	n.t.Helper()
	late := time.AfterFunc(patience, func() { _ = n.master.Close() }) // the read ends with it
	defer late.Stop()
	buf := make([]byte, 64<<10)
	for !bytes.Contains(n.rest, []byte(words)) {
		got, err := n.master.Read(buf)
		if err != nil {
			n.t.Fatalf("no %q: %v\n%q", words, err, n.rest)
		}
		n.rest = append(n.rest, buf[:got]...)
	}
	_, after, _ := bytes.Cut(n.rest, []byte(words))
	n.rest = bytes.Clone(after)
}

func (n *inside) types(keys string) {
	n.t.Helper()
	if _, err := n.master.WriteString(keys); err != nil {
		n.t.Fatal(err)
	}
}

// heap is what is in use once all is collected that can be.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// worked is the time of a processor that the process has used.
func worked(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestTwoThousandTurnsInOneTalkLeaveTheHeapFlat talks for so long in a window
// that holds some of it, and then waits: a talk where nothing goes on does
// nothing. It runs beside no other test.
func TestTwoThousandTurnsInOneTalkLeaveTheHeapFlat(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(parrot))
	defer server.Close()
	n := talkInside(t, "--base-url", server.URL, "--model", "m", "--context-tokens", "8000")
	n.until(promptText)
	var before uint64
	for i := range 2000 {
		if i == 200 {
			before = heap()
		}
		n.types(fmt.Sprintf("go %d", i) + enter)
		n.until("The end.")
		n.until("\r\x1b[J" + promptText)
	}
	if after := heap(); after > before+1<<20 {
		t.Errorf("live heap is %d KiB over that of turn 200", (after-before)>>10)
	}
	began := worked(t)
	<-time.After(time.Second) // what it would do unasked shows only as time goes by
	if took := worked(t) - began; took > 50*time.Millisecond {
		t.Errorf("%v of a processor went in one second of nothing", took)
	}
	n.types(ctrlD)
	if code := <-n.code; code != exitOK {
		t.Errorf("exit code %d", code)
	}
}
