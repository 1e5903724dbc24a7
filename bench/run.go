package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// command are the arguments of a run.
type command struct {
	Scenario []string `arg:"" optional:"" help:"What to measure; default everything. Or: compare A.json B.json."`
	Short    bool     `help:"Small sizes and two rounds: shows that it works."`
	Rounds   int      `default:"5" placeholder:"N" help:"How often each subject is measured; default 5."`
	Subjects []string `placeholder:"LIST" help:"Subjects to measure, separated by commas; default all."`
	JSON     string   `name:"json" placeholder:"FILE" help:"Write the results there, - for standard output in the place of the table."`
	Here     bool     `help:"Serve in this process: simpler to profile, but the server's cost is in the numbers."`
}

// serving is what Run is called with in the process of the server.
const serving = "serve"

// Run is `weir bench`: it measures what args say and prints a table to stdout;
// progress goes to stderr. It returns the exit code: 0, 1 if a measurement
// failed, 2 for wrong usage. It starts the server by the program's own file with
// the arguments `bench serve`, which must lead back here.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) == 1 && args[0] == serving {
		if err := Serve(os.Stdin, stdout); err != nil {
			fmt.Fprintf(stderr, "weir bench: %v\n", err)
			return 1
		}
		return 0
	}
	var c command
	helped := false
	parser, err := kong.New(&c, kong.Name("weir bench"), kong.Description("Measure weir and its baselines.\n\n"+list()),
		kong.Writers(stdout, stderr), kong.Exit(func(int) { helped = true }))
	if err != nil {
		panic("bench: the flags do not fit together: " + err.Error())
	}
	_, err = parser.Parse(args)
	if helped {
		return 0
	}
	if err == nil {
		err = c.check()
	}
	if err != nil {
		fmt.Fprintf(stderr, "weir bench: %v\n", err)
		return 2
	}
	if err := c.run(ctx, stdout, stderr); err != nil {
		fmt.Fprintf(stderr, "weir bench: %v\n", err)
		return 1
	}
	return 0
}

func list() string {
	var b strings.Builder
	for _, s := range Scenarios() {
		fmt.Fprintf(&b, "%s: %s.\n\n", s.Name, s.About)
	}
	return b.String()
}

func (c *command) check() error {
	if c.compares() {
		if len(c.Scenario) != 3 {
			return errors.New("compare takes two files: weir bench compare BEFORE.json AFTER.json")
		}
		return nil
	}
	for _, name := range c.Scenario {
		if !slices.ContainsFunc(Scenarios(), func(s Scenario) bool { return s.Name == name }) {
			return fmt.Errorf("no scenario %q; there are %s", name, names(Scenarios(), func(s Scenario) string { return s.Name }))
		}
	}
	for _, name := range c.Subjects {
		if !slices.ContainsFunc(Subjects(), func(s Subject) bool { return s.Name == name }) {
			return fmt.Errorf("no subject %q; there are %s", name, names(Subjects(), func(s Subject) string { return s.Name }))
		}
	}
	if c.Rounds < 1 {
		return fmt.Errorf("--rounds is %d, must be at least 1", c.Rounds)
	}
	return nil
}

func names[T any](all []T, name func(T) string) string {
	var out []string
	for _, v := range all {
		out = append(out, name(v))
	}
	return strings.Join(out, ", ")
}

func (c *command) compares() bool { return len(c.Scenario) > 0 && c.Scenario[0] == "compare" }

func compareFiles(before, after string, w io.Writer) error {
	a, err := Load(before)
	if err != nil {
		return err
	}
	b, err := Load(after)
	if err != nil {
		return err
	}
	return changes(w, Compare(a, b))
}

func (c *command) run(ctx context.Context, stdout, stderr io.Writer) error {
	if c.compares() {
		return compareFiles(c.Scenario[1], c.Scenario[2], stdout)
	}
	o := Options{Rounds: c.Rounds, Subjects: c.Subjects, Short: c.Short}
	if !c.Here {
		program, err := os.Executable()
		if err != nil {
			return fmt.Errorf("find the program's own file: %w; --here serves in this process", err)
		}
		o.Self = []string{program, "bench", serving}
	}
	if c.Short {
		o.Rounds = 2
	}
	o.Progress = func(done, all int, what string) { fmt.Fprintf(stderr, "[%d/%d] %s\n", done+1, all, what) }
	wanted := slices.DeleteFunc(Scenarios(), func(s Scenario) bool {
		return len(c.Scenario) > 0 && !slices.Contains(c.Scenario, s.Name)
	})
	report, err := Measure(ctx, wanted, o)
	if err != nil {
		return err
	}
	if c.JSON == "-" {
		return report.JSON(stdout)
	}
	if c.JSON != "" {
		f, err := os.Create(c.JSON)
		if err != nil {
			return err
		}
		if err := errors.Join(report.JSON(f), f.Close()); err != nil {
			return err
		}
	}
	return report.Table(stdout)
}
