package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/weir-agents/weir/cmd/weir/internal/edit"
	"github.com/weir-agents/weir/cmd/weir/internal/render"
	"github.com/weir-agents/weir/cmd/weir/internal/stdio"
	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider"
)

// turns runs a prompt, a talk, or the turns that lines of standard input ask
// for, and returns the exit code of the last turn.
func (a *app) turns() (int, error) {
	f := a.flags
	if f.prompted {
		return a.oneShot()
	}
	if a.std.InTerminal {
		return a.talk()
	}
	return a.lines()
}

func (a *app) style() render.Style {
	return render.Style{
		Color: a.color(a.std.OutTerminal || a.std.ErrTerminal), Attempts: a.flags.Attempts,
		Quiet: a.flags.Quiet, Verbose: a.flags.Verbose,
	}
}

// warn tells on standard error what the person should know before there is a
// session, or in a talk above the line being typed. It is called by the goroutine
// that owns the talk.
func (a *app) warn(text string) {
	if a.tell != nil {
		a.tell(render.Line(text, 0))
		return
	}
	_, _ = fmt.Fprintf(a.std.Err, "weir: %s\n", render.Line(text, 0)) // nobody is left to tell
}

// oneShot runs the turn of -p.
func (a *app) oneShot() (int, error) {
	prompt, more, err := a.prompt()
	if err != nil {
		return 0, err
	}
	attended := a.std.InTerminal && a.std.ErrTerminal && a.flags.Format == "text" && a.flags.Prompt != "-"
	h, err := a.open(attended)
	if err != nil {
		return 0, err
	}
	defer h.close()
	s, err := h.begin()
	if err != nil {
		return 0, err
	}
	t := &turner{app: a, house: h, session: s, sink: newSink(a.std, a.flags.Format, a.style())}
	if attended {
		t.keys = edit.NewTypewriter(a.std.In)
		t.desk = &plainDesk{Writer: a.std.Err, keys: t.keys}
	}
	code, _, err := t.runWith(prompt, more)
	if err == nil {
		err = t.tellPlan("say so with --mode ask or --mode accept-edits")
	}
	return code, err
}

// prompt returns the text of -p, and what standard input puts behind it.
func (a *app) prompt() (prompt, more string, err error) {
	if a.flags.Prompt == "-" {
		text, err := stdio.ReadAll(a.std.In)
		if err == nil && strings.TrimSpace(text) == "" {
			err = usagef("the prompt is empty: standard input had nothing to read")
		}
		return strings.ToValidUTF8(text, "\ufffd"), "", err
	}
	in, err := stdio.ReadContext(a.std.In)
	if err != nil {
		return "", "", err
	}
	if in.Open {
		a.warn("standard input is still open but silent: going on with what has come of it")
	}
	if strings.TrimSpace(in.Text) == "" {
		return a.flags.Prompt, "", nil
	}
	text := strings.ToValidUTF8(in.Text, "\ufffd")
	return a.flags.Prompt, "\n\n<stdin>\n" + strings.TrimSuffix(text, "\n") + "\n</stdin>", nil
}

// impatient is how long after a first signal a second one ends the process at
// once; until then what the turn started is being ended.
const impatient = 2 * time.Second

// turner runs turns of one session one after the other.
type turner struct {
	app     *app
	house   *house
	session *pipeline.Session
	sink    sink
	tally   tally
	metrics metrics
	busy    func() bool // whether a turn runs beside commands; nil if none can

	desk     desk           // where a person is asked; nil if nobody is there
	asking   []openQuestion // calls that wait for consent
	question int            // the number of the question that was shown last
	gone     bool           // nobody is there any more
	keys     *edit.Typewriter
	// looking ends the look at what a question would change; nil while there is
	// none. That of signals reads it too.
	looking atomic.Pointer[context.CancelFunc]
}

// lookAway ends what a question still looks at, from any goroutine.
func (t *turner) lookAway() {
	if cancel := t.looking.Load(); cancel != nil {
		(*cancel)()
	}
}

// interrupt is the signal that canceled a turn, if there was one.
type interrupt struct {
	mu    sync.Mutex
	first syscall.Signal
	at    time.Time
}

// got notes a signal. A second one that comes late ends the process.
func (i *interrupt) got(n syscall.Signal) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.first == 0 {
		i.first, i.at = n, time.Now()
	} else if time.Since(i.at) > impatient {
		os.Exit(exitSignal + int(n))
	}
}

// code returns the exit code the signal makes, 0 if there was none.
func (i *interrupt) code() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.first == 0 {
		return 0
	}
	return exitSignal + int(i.first)
}

// run runs one turn and returns its exit code. A signal cancels the turn and
// makes its code, and signaled is true; the error is that of a caller or of a
// reader that has left.
func (t *turner) run(prompt string, with ...provider.Block) (code int, signaled bool, err error) {
	var sig interrupt
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	t.app.signals.during(func(n syscall.Signal) {
		sig.got(n)
		t.app.std.Hurry()
		t.session.Cancel(pipeline.CancelNow)
		cancel() // A cancel before the prompt is accepted does nothing to it.
		t.lookAway()
	})
	events := t.session.Run(ctx, prompt, with...)
	if t.desk != nil {
		err = t.attended(events)
	} else {
		for e, broken := range events {
			if err = t.saw(told{e, broken}); err != nil {
				break
			}
		}
	}
	t.app.signals.during(nil)
	code = sig.code()
	switch {
	case code != 0:
		return code, true, nil
	case err != nil:
		return 0, false, err
	}
	return exitCode(t.tally.ended.Outcome, len(t.tally.denied) > 0), false, nil
}

// saw takes an event of the turn.
func (t *turner) saw(in told) error {
	if in.err != nil {
		return in.err
	}
	t.tally.add(in.event)
	t.metrics.see(in.event, time.Now())
	return t.sink.Event(in.event)
}
