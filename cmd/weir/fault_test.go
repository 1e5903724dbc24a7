package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/weir-agents/weir/cmd/weir/internal/stdio"
	"github.com/weir-agents/weir/pipeline"
)

// TestAPanicBesideATalkEndsItAsAnErrorDoes panics in the two goroutines that work
// for a talk: there the runtime would end the process at once, with the terminal
// as it is.
func TestAPanicBesideATalkEndsItAsAnErrorDoes(t *testing.T) {
	k := &talk{jobs: make(chan slashAnswer, 1)}
	if err := k.command("/x", slashAnswer{job: func(context.Context) (string, error) { panic("a job") }}); err != nil {
		t.Fatal(err)
	}
	events := follow(func(func(pipeline.Event, error) bool) { panic("events") }, nil)
	for want, err := range map[string]error{"a job": k.answered(<-k.jobs), "events": (<-events).err} {
		var f fault
		if !errors.As(err, &f) || f.why != want || !strings.Contains(string(f.stack), "fault_test.go") {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, more := <-events; more {
		t.Error("events go on")
	}
}

func TestAFaultIsToldWithItsStack(t *testing.T) {
	var said strings.Builder
	a := &app{std: &stdio.Streams{Err: stdio.NewOutput(&said)}}
	defer a.std.Err.Close()
	if code := a.fail(fault{"oops\x1b", []byte("goroutine 1\n\tmain.go:1\n")}); code != exitFailed {
		t.Errorf("exit code %d", code)
	}
	if got := said.String(); got != "weir: a fault of weir's own: oops\\x1b\ngoroutine 1\n\tmain.go:1\n" {
		t.Errorf("%q", got)
	}
}
