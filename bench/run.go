package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
)

// command are the arguments of a run.
type command struct {
	Scenario []string `arg:"" optional:"" help:"What to measure; default everything. Or: compare A.json B.json, or targets A.json."`
	Short    bool     `help:"Small sizes and two rounds: shows that it works."`
	Rounds   int      `default:"5" placeholder:"N" help:"How often each subject is measured; default 5."`
	Subjects []string `placeholder:"LIST" help:"Subjects to measure, separated by commas; default all."`
	JSON     string   `name:"json" placeholder:"FILE" help:"Write the results there, - for standard output in the place of the table."`
	HTML     string   `name:"html" placeholder:"FILE" help:"Write a page with plots there."`
	Profile  string   `name:"cpuprofile" placeholder:"FILE" help:"Write where this process's time went there, for go tool pprof; it costs a little of it."`
	Here     bool     `help:"Serve in this process: simpler to profile, but the server's cost is in the numbers."`

	BaseURL  string  `name:"base-url" placeholder:"URL" help:"Ask this server, which speaks Chat Completions, in the place of the simulated one. The key is that of OPENAI_API_KEY. Every answer costs what the server takes for it."`
	Model    string  `placeholder:"NAME" help:"Which model of that server; default the first that it lists."`
	Prompt   string  `default:"Describe a lighthouse in about a hundred words." placeholder:"TEXT" help:"What to ask that server; a number is put behind it."`
	Requests int     `default:"10" placeholder:"N" help:"Questions to that server by round and subject; default 10."`
	Rate     float64 `default:"1" placeholder:"N" help:"Questions a second to that server in the open loop; default 1."`
	Streams  []int   `default:"1,8" placeholder:"LIST" help:"How many answers of that server to read at once; default 1,8."`
}

// serving is what Run is called with in the process of the server.
const serving = "serve"

// usageError is a mistake of the caller.
type usageError string

// Error implements error.
func (e usageError) Error() string { return string(e) }

func usage(format string, args ...any) error { return usageError(fmt.Sprintf(format, args...)) }

// Host is what a run has of the program around it.
type Host struct {
	Out, Err io.Writer
	// ErrTerminal says that Err is a terminal: progress is then a bar.
	ErrTerminal bool
	// ErrColumns tells how wide that terminal is now; nil: 80 columns.
	ErrColumns func() int
	// Env looks a variable of the environment up; nil: there are none.
	Env func(name string) string
}

// Run is `weir bench`: it measures what args say and prints a table to h.Out;
// progress goes to h.Err. It returns the exit code: 0, 1 if a measurement
// failed or ctx ended before all was measured, 2 for wrong usage, 141 where the
// reader of h.Out has left. What was measured before an end is printed and written. It starts the server by the program's own file with
// the arguments `bench serve`, which must lead back here.
func Run(ctx context.Context, args []string, h Host) int {
	if len(args) == 1 && args[0] == serving {
		return h.told(Serve(os.Stdin, h.Out))
	}
	var c command
	helped := false
	_, err := newParser(&c, kong.Writers(h.Out, h.Err), kong.Exit(func(int) { helped = true })).Parse(args)
	switch {
	case helped:
		return 0
	case err != nil:
		return h.told(usage("%s", err))
	case c.begins("compare"):
		return h.told(c.compare(h.Out))
	case c.begins("targets"):
		return h.told(c.targets(h.Out))
	default:
		return h.told(c.run(ctx, h))
	}
}

func newParser(c *command, more ...kong.Option) *kong.Kong {
	parser, err := kong.New(c, append(more, kong.Name("weir bench"), kong.Description("Measure weir and its baselines.\n\n"+list()))...)
	if err != nil {
		panic("bench: the flags do not fit together: " + err.Error())
	}
	return parser
}

// CommandLine describes what Run takes, for a shell that completes it.
func CommandLine() *kong.Application { return newParser(&command{}).Model }

// told says what err is and returns its exit code.
func (h Host) told(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, syscall.EPIPE):
		return 128 + int(syscall.SIGPIPE) // a reader that has left needs no word
	}
	fmt.Fprintf(h.Err, "weir bench: %v\n", err)
	if _, wrong := errors.AsType[usageError](err); wrong {
		return 2
	}
	return 1
}

func list() string {
	var b strings.Builder
	for _, s := range Scenarios() {
		fmt.Fprintf(&b, "%s: %s.\n\n", s.Name, s.About)
	}
	return b.String()
}

// options are what the arguments ask for.
func (c *command) options(ctx context.Context, h Host) (Options, error) {
	o := Options{Rounds: c.Rounds, Subjects: c.Subjects, Short: c.Short}
	for _, name := range c.Scenario {
		if !slices.ContainsFunc(Scenarios(), func(s Scenario) bool { return s.Name == name }) {
			return o, usage("no scenario %q; there are %s", name, names(Scenarios(), func(s Scenario) string { return s.Name }))
		}
	}
	for _, name := range c.Subjects {
		if !slices.ContainsFunc(Subjects(), func(s Subject) bool { return s.Name == name }) {
			return o, usage("no subject %q; there are %s", name, names(Subjects(), func(s Subject) string { return s.Name }))
		}
	}
	if c.Rounds < 1 {
		return o, usage("--rounds is %d, must be at least 1", c.Rounds)
	}
	if c.Short {
		o.Rounds = 2
	}
	switch {
	case c.BaseURL != "":
		e := Endpoint{URL: c.BaseURL, Model: c.Model, Prompt: c.Prompt, Requests: c.Requests, Rate: c.Rate, Streams: c.Streams}
		if h.Env != nil {
			e.Key = strings.TrimSpace(h.Env("OPENAI_API_KEY"))
		}
		e, err := e.check(ctx)
		o.Endpoint = &e
		return o, err
	case c.Model != "":
		return o, usage("--model goes with --base-url")
	case !c.Here:
		program, err := os.Executable()
		if err != nil {
			return o, fmt.Errorf("find the program's own file: %w; --here serves in this process", err)
		}
		o.Self = []string{program, "bench", serving}
	}
	return o, nil
}

func names[T any](all []T, name func(T) string) string {
	var out []string
	for _, v := range all {
		out = append(out, name(v))
	}
	return strings.Join(out, ", ")
}

func (c *command) run(ctx context.Context, h Host) error {
	files, err := c.create()
	if err != nil {
		return err
	}
	defer files.close()
	o, err := c.options(ctx, h)
	if err != nil {
		return err
	}
	stop, err := c.profile()
	if err != nil {
		return err
	}
	defer stop()
	bar := newBar(h)
	o.Progress = bar.show
	wanted := slices.DeleteFunc(Scenarios(), func(s Scenario) bool {
		return len(c.Scenario) > 0 && !slices.Contains(c.Scenario, s.Name)
	})
	if n := Questions(wanted, o); n > 0 {
		fmt.Fprintf(h.Err, "asks %s %d questions; --requests, --rounds, --streams and --subjects make them fewer\n", o.Endpoint.name(), n)
	}
	report := Measure(ctx, wanted, o)
	bar.clear()
	if len(report.Rows) > 0 {
		err = errors.Join(files.write(report), c.print(report, h.Out))
	} else if len(report.Failed) == 0 && report.Incomplete == "" {
		err = usage("nothing to measure: %s", strings.Join(report.Omitted, "; "))
	}
	return errors.Join(err, report.shortcoming())
}

func (c *command) print(r Report, w io.Writer) error {
	if c.JSON == "-" {
		return r.JSON(w)
	}
	return r.Table(w)
}

func (c *command) begins(word string) bool { return len(c.Scenario) > 0 && c.Scenario[0] == word }

func (c *command) targets(w io.Writer) error {
	if len(c.Scenario) != 2 {
		return usage("targets takes one file: weir bench targets REPORT.json")
	}
	r, err := Load(c.Scenario[1])
	if err != nil {
		return err
	}
	return standing(w, r)
}

func (c *command) compare(w io.Writer) error {
	if len(c.Scenario) != 3 {
		return usage("compare takes two files: weir bench compare BEFORE.json AFTER.json")
	}
	a, err := Load(c.Scenario[1])
	if err != nil {
		return err
	}
	b, err := Load(c.Scenario[2])
	if err != nil {
		return err
	}
	return changes(w, a, b)
}
