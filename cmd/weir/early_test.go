package main

import (
	"bytes"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/weir-agents/weir/cmd/weir/internal/stdio"
	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider/script"
)

// deaf is a sink that shows nothing.
type deaf struct{}

func (deaf) Event(pipeline.Event) error { return nil }
func (deaf) Note(string, bool) error    { return nil }
func (deaf) Under(string) error         { return nil }
func (deaf) Changes(string) error       { return nil }

// TestASignalBeforeThePromptIsAccepted signals as soon as a turn listens, which
// often is before the session has its prompt: the turn must not go on then.
func TestASignalBeforeThePromptIsAccepted(t *testing.T) {
	steps, err := script.Parse([]byte(`{"select":"sequence","loop":true,"steps":[{"blocks":[{"gate":"never"},{"text":"hi"}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	p, err := pipeline.New(script.New(steps), pipeline.Config{Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var said bytes.Buffer
	a := &app{std: &stdio.Streams{Out: stdio.NewOutput(&said), Err: stdio.NewOutput(&said)}, signals: &signals{}}
	defer a.std.Out.Close()
	defer a.std.Err.Close()
	for i := range 100 {
		session, err := p.Open("")
		if err != nil {
			t.Fatal(err)
		}
		go func() { // Ends when the turn listens.
			for !a.signals.listens() {
				runtime.Gosched()
			}
			a.signals.got(syscall.SIGTERM)
		}()
		codes := make(chan int, 1)
		go func() {
			turn := &turner{app: a, session: session, sink: deaf{}}
			code, _, _ := turn.run("go")
			codes <- code
		}()
		select {
		case code := <-codes:
			if code != exitSignal+int(syscall.SIGTERM) {
				t.Fatalf("turn %d: exit code %d", i, code)
			}
		case <-time.After(patience):
			t.Fatalf("turn %d goes on after the signal", i)
		}
		session.Close()
	}
}

func (s *signals) listens() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.act != nil
}
