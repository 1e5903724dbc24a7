package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// flags are the command line. The flags of a turn may stand before and behind a
// command; which of them it takes is what flagUsed says.
type flags struct {
	Prompt string `short:"p" placeholder:"PROMPT" help:"Answer one prompt, then exit; - reads it from standard input. Other standard input is context."`

	Provider string   `group:"model" placeholder:"openai|anthropic|script" env:"WEIR_PROVIDER" help:"Whom to ask; by default the vendor whose key is set, then a local server, then a built-in demo."`
	Vendor   string   `group:"model" placeholder:"NAME" help:"A server by name: of the config file, or openai, anthropic, ollama, lmstudio, llamacpp, vllm, openrouter, groq, deepseek, mistral, together, xai."`
	BaseURL  string   `group:"model" name:"base-url" placeholder:"URL" help:"Address of the server, with or without /v1."`
	Model    string   `group:"model" placeholder:"NAME" env:"WEIR_MODEL" help:"Which model to ask."`
	Script   string   `group:"model" placeholder:"FILE" help:"Play a script in the place of a model."`
	NoProbe  bool     `group:"model" help:"Do not look for a local server."`
	NoStream bool     `group:"model" help:"Ask for the blocking answer."`
	Fallback []string `group:"model" name:"fallback-model" sep:"none" placeholder:"NAME" help:"Model to try when the attempts are spent (repeatable)."`
	Thinking string   `group:"model" enum:"off,summary" default:"summary" placeholder:"off|summary" help:"Whether to ask for the model's thinking; default summary."`
	System   string   `group:"model" placeholder:"FILE" help:"System prompt in the place of the built-in one."`
	Append   string   `group:"model" name:"append-system" placeholder:"TEXT" help:"Text to add to the system prompt."`

	Format  string `group:"output" name:"output-format" enum:"text,json,jsonl" default:"text" placeholder:"text|json|jsonl" help:"What goes to standard output; default text."`
	Deltas  string `group:"output" enum:"none,text,tools" default:"text" placeholder:"none|text|tools" help:"Which pieces of an answer become events; default text."`
	Quiet   bool   `group:"output" short:"q" help:"Show answers, warnings and failures only."`
	Verbose bool   `group:"output" short:"v" help:"Show steps, live output of tools and what a turn cost."`

	Context   int           `group:"limits" name:"context-tokens" env:"WEIR_CONTEXT_TOKENS" placeholder:"N" help:"Tokens the model takes; default by its name, else 128000. Before it is full the history is made shorter."`
	MaxSteps  int           `group:"limits" default:"50" placeholder:"N" help:"Model requests a turn may take; default 50."`
	MaxTokens int           `group:"limits" name:"max-tokens-total" placeholder:"N" help:"Tokens a turn may use; default no limit."`
	MaxCost   float64       `group:"limits" placeholder:"USD" help:"What a turn may cost; default no limit."`
	Price     string        `group:"limits" placeholder:"IN,OUT" help:"USD for a million tokens in and out, for --max-cost."`
	Timeout   time.Duration `group:"limits" placeholder:"D" help:"How long a turn may take; default no limit."`
	Attempts  int           `group:"limits" default:"4" placeholder:"N" help:"Tries of a step in all; default 4."`
	Connect   time.Duration `group:"limits" name:"connect-timeout" default:"10s" placeholder:"D" help:"Wait for a connection; default 10s."`
	FirstByte time.Duration `group:"limits" name:"first-byte-timeout" default:"5m" placeholder:"D" help:"Wait for an answer to begin; default 5m."`
	Idle      time.Duration `group:"limits" name:"idle-timeout" default:"90s" placeholder:"D" help:"Wait for each further byte; default 90s."`

	Mode     string   `group:"tools" enum:"ask,read-only,accept-edits,plan,bypass" default:"ask" placeholder:"ask|read-only|accept-edits|plan|bypass" help:"What the model may do; default ask. Without a terminal, what would ask is denied."`
	Allow    []string `group:"tools" sep:"none" placeholder:"RULE" help:"Calls that need no question, such as 'bash(go test *)' (repeatable)."`
	Deny     []string `group:"tools" sep:"none" placeholder:"RULE" help:"Calls that are refused in every mode (repeatable)."`
	Sandbox  string   `group:"tools" enum:"auto,on,off" default:"auto" placeholder:"auto|on|off" help:"Whether commands run confined; default auto."`
	Tools    []string `group:"tools" placeholder:"LIST" help:"Tools to offer, separated by commas; none for none."`
	Parallel int      `group:"tools" default:"8" placeholder:"N" help:"Reading calls that run side by side; default 8."`
	Eager    bool     `group:"tools" help:"Start a reading call while the model still streams."`
	Strict   bool     `group:"tools" name:"strict-arguments" help:"Fail the step when the arguments of a call do not fit."`
	Cwd      string   `group:"tools" placeholder:"DIR" help:"Folder to work in; default the current one."`
	AddDir   []string `group:"tools" sep:"none" placeholder:"DIR" help:"Further folder that tools may touch (repeatable)."`

	Turn       struct{}      `cmd:"" default:"1" hidden:""`
	Sim        simCmd        `cmd:"" help:"Play a script as a model server, in both dialects."`
	ListTools  toolsCmd      `cmd:"" name:"tools" help:"List the tools."`
	Version    versionCmd    `cmd:"" help:"Say which build this is."`
	Config     configCmd     `cmd:"" help:"Say what holds and where each value came from."`
	Doctor     struct{}      `cmd:"" help:"Look whether all that a turn needs is there, and say what to do where it is not."`
	Completion completionCmd `cmd:"" help:"Print what makes a shell complete the command line."`
	Bench      benchCmd      `cmd:"" passthrough:"" help:"Measure weir and its baselines."`
	prompted   bool          // -p was given, maybe empty
}

type (
	simCmd struct {
		Listen string `default:"127.0.0.1:0" placeholder:"ADDR" help:"Address to listen on; default a free port of loopback."`
	}
	toolsCmd struct {
		JSON bool `help:"As JSON, with descriptions and schemas."`
	}
	versionCmd struct{}
	configCmd  struct {
		Print bool `help:"Print it; there is nothing else to do yet."`
	}
	completionCmd struct {
		Shell string `arg:"" help:"bash, zsh or fish."`
	}
	benchCmd struct {
		Args []string `arg:"" optional:"" help:"See weir bench --help."`
	}
)

// usageError is a mistake of whoever called the program: exit code 2.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

func usagef(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

// errHelp says that help was shown, and that is all that was asked for.
var errHelp = errors.New("help was shown")

// newParser returns a parser of the command line into f. Help goes to w; files
// gives what flags and environment leave open, and may be nil.
func newParser(f *flags, w io.Writer, files kong.Resolver, more ...kong.Option) *kong.Kong {
	options := append(more,
		kong.Name("weir"),
		kong.Description("An agent for the command line. Without -p it talks with you; every line of piped standard input is a turn."),
		kong.Help(printHelp),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true, WrapUpperBound: 100}),
		kong.Writers(w, io.Discard),
		kong.ExplicitGroups([]kong.Group{
			{Key: "model", Title: "Model:"},
			{Key: "output", Title: "Output:"},
			{Key: "limits", Title: "Limits:"},
			{Key: "tools", Title: "Tools:"},
		}),
	)
	if files != nil {
		options = append(options, kong.Resolvers(files))
	}
	parser, err := kong.New(f, options...)
	if err != nil {
		panic("weir: the flags do not fit together: " + err.Error())
	}
	return parser
}

// parse reads the command line. Help goes to w. It returns the name of the
// command, "turn" if there is none.
func parse(args []string, w io.Writer, files kong.Resolver) (f *flags, command string, said given, err error) {
	f = &flags{}
	helped := false
	parser := newParser(f, w, files, kong.Exit(func(int) { helped = true }))
	restrict(parser, args)
	ctx, err := parser.Parse(args)
	if helped {
		return nil, "", said, errHelp
	}
	if errors.As(err, new(*os.PathError)) { // help could not be written
		return nil, "", said, err
	}
	if err != nil {
		return nil, "", said, usagef("%s (weir --help lists all)", explain(err))
	}
	for _, p := range ctx.Path {
		if p.Flag != nil && p.Flag.Name == "prompt" {
			f.prompted = true
		}
	}
	command, _, _ = strings.Cut(ctx.Command(), " ")
	if err := checkUse(ctx, command); err != nil {
		return nil, "", said, err
	}
	return f, command, givenBy(ctx), f.check()
}

// check refuses values out of range, each by its flag's name.
func (f *flags) check() error {
	for _, n := range []struct {
		name  string
		value int
	}{{"--max-steps", f.MaxSteps}, {"--attempts", f.Attempts}, {"--parallel", f.Parallel}} {
		if n.value < 1 {
			return usagef("%s is %d, must be at least 1", n.name, n.value)
		}
	}
	for _, d := range []struct {
		name  string
		value time.Duration
	}{{"--connect-timeout", f.Connect}, {"--first-byte-timeout", f.FirstByte}, {"--idle-timeout", f.Idle}} {
		if d.value <= 0 {
			return usagef("%s is %v, must be more than 0", d.name, d.value)
		}
	}
	switch {
	case !slices.Contains([]string{"", openAI, anthropic, scripted}, f.Provider):
		return usagef("the provider is %q, must be openai, anthropic or script (--provider, WEIR_PROVIDER)", f.Provider)
	case f.Timeout < 0:
		return usagef("--timeout is %v, must not be negative", f.Timeout)
	case f.Context < 0:
		return usagef("--context-tokens is %d, must not be negative", f.Context)
	case f.MaxTokens < 0:
		return usagef("--max-tokens-total is %d, must not be negative", f.MaxTokens)
	case !(f.MaxCost >= 0) || math.IsInf(f.MaxCost, 1): // nor not a number
		return usagef("--max-cost is %g, must be a number of 0 or more", f.MaxCost)
	case f.prompted && strings.TrimSpace(f.Prompt) == "":
		return usagef("the prompt is empty: say something behind -p, or -p - to read it from standard input")
	}
	return nil
}
