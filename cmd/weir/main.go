// Command weir is an agent for the command line: it asks a model, runs the
// tools that the model calls, and shows the answer as it comes.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"syscall"

	"github.com/weir-agents/weir/bench"
	"github.com/weir-agents/weir/cmd/weir/internal/config"
	"github.com/weir-agents/weir/cmd/weir/internal/edit"
	"github.com/weir-agents/weir/cmd/weir/internal/stdio"
	"github.com/weir-agents/weir/tools/sandbox"
)

func main() {
	if handled, code := sandbox.Main(os.Args[1:]); handled { // it was the helper of a command
		os.Exit(code)
	}
	sigs := watchSignals()
	std, err := stdio.Take()
	if err != nil {
		fmt.Fprintln(os.Stderr, "weir:", err)
		os.Exit(exitFailed)
	}
	a := &app{std: std, env: os.Getenv, signals: sigs}
	code := a.main(os.Args[1:])
	std.Flush()
	os.Exit(code)
}

// app is one run of the program.
type app struct {
	std     *stdio.Streams
	env     environ
	signals *signals
	flags   *flags
	args    []string
	command string
	given   given
	config  *config.Settings
	trust   *config.TrustStore
	// tell shows a warning where a talk is on the screen; nil while none is.
	tell func(text string)
}

// main runs the command that args name and returns the exit code.
func (a *app) main(args []string) int {
	args = usual(args)
	a.args = args
	if len(args) > 0 && args[0] == "bench" {
		return a.bench(args[1:])
	}
	var err error
	a.flags, a.command, a.given, err = parse(args, a.std.Out, nil)
	if errors.Is(err, errHelp) {
		_, err = a.std.Out.Write(nil) // the error of an earlier write, if there was one
		return a.fail(err)
	}
	if err != nil {
		return a.fail(err)
	}
	switch a.command { // these go without the configuration
	case "doctor": // or read it themselves
		return a.doctor(args)
	case "sim":
		return a.fail(a.sim(a.flags.Sim))
	case "version":
		return a.fail(a.version())
	case "completion":
		return a.fail(a.completion(a.flags.Completion))
	}
	return a.configured(args)
}

// configured runs a command that goes by the configuration.
func (a *app) configured(args []string) int {
	talks := a.command == "turn" && !a.flags.prompted && a.std.InTerminal
	if err := a.configure(args, talks); err != nil {
		return a.fail(err)
	}
	switch a.command {
	case "tools":
		return a.fail(a.listTools(a.flags.ListTools))
	case "config":
		return a.fail(a.printConfig())
	default:
		a.tellRefused()
		code, err := a.turns()
		if err != nil {
			return a.fail(err)
		}
		return code
	}
}

// bench is the instrument, which reads its own flags. A signal ends it with what
// it has measured; a second one ends it at once.
func (a *app) bench(args []string) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var got atomic.Int32
	a.signals.during(func(n syscall.Signal) {
		got.Store(int32(n))
		a.signals.during(nil)
		cancel()
	})
	code := bench.Run(ctx, args, bench.Host{Out: a.std.Out, Err: a.std.Err, ErrTerminal: a.std.ErrTerminal, ErrColumns: errColumns, Env: a.env})
	if n := got.Load(); n != 0 && code != exitOK {
		return exitSignal + int(n)
	}
	return code
}

func errColumns() int {
	columns, _ := edit.Size(os.Stderr)
	return columns
}

// fail says what err is in one line and returns its exit code, 0 for none. A
// reader that has left needs no word.
func (a *app) fail(err error) int {
	if err == nil {
		return exitOK
	}
	code := errorCode(err)
	err = a.placed(err)
	if code != exitClosed && !errors.Is(err, stdio.ErrGaveUp) {
		a.warn(err.Error())
	}
	if f := (fault{}); errors.As(err, &f) {
		_, _ = a.std.Err.Write(f.stack) // nobody is left to tell
	}
	return code
}

// color reports whether a stream that is a terminal may have colour.
func (a *app) color(terminal bool) bool {
	return terminal && a.env("NO_COLOR") == "" && a.env("TERM") != "dumb"
}
