package main

import (
	"bytes"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// Help is what --help says behind the flags' introduction: calls to begin with.
func (*flags) Help() string {
	return `To begin with:

    weir                                    talk; /help there lists the commands
    weir -p 'What does this folder hold?'   one answer
    weir -p 'Explain @README.md'            about a file, or a picture
    weir -p 'Explain this' <README.md       about standard input
    echo 'Say hello' | weir -p -            the prompt from elsewhere
    weir -p 'Count to three' -q             the answer alone
    weir -p hi --output-format jsonl        every event as a line of JSON
    weir --base-url http://localhost:11434  a server of your own
    weir doctor                             what is missing here

Without a key or a server a built-in demo plays, so that all of it can be tried.`
}

// helpTail stands behind the flags.
const helpTail = `Environment (flags win over it, it wins over files):
  OPENAI_API_KEY, ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN
                            The key of a vendor; it also decides whom to ask.
  OPENAI_BASE_URL, ANTHROPIC_BASE_URL
                            Another server that speaks the vendor's dialect.
  WEIR_PROVIDER, WEIR_MODEL, WEIR_CONTEXT_TOKENS
                            The flags of these names.
  NO_COLOR, TERM=dumb       Plain text.
  XDG_CONFIG_HOME, XDG_STATE_HOME
                            In the place of ~/.config and ~/.local/state.

Files:
  ~/.config/weir/config.toml
                            Yours: flags without dashes, such as
                            model = "NAME". weir config shows what holds.
  .weir/config.toml         The folder's: until you trust the folder it can
                            only take away.
  AGENTS.md, CLAUDE.md      Told to the model, from the folder and those above.
  ~/.local/state/weir       What you typed, and which folders you trust.

Exit codes:
  0    The turn was completed.
  1    The model or the network failed.
  2    Wrong usage or configuration.
  3    Completed, but something was denied.
  4    A limit ended it.
  130  Ctrl-C; any other signal is 128 and its number.
`

// printHelp is the flag library's, but that the command can be left out, and
// with what stands behind the flags.
func printHelp(o kong.HelpOptions, ctx *kong.Context) error {
	if n := ctx.Selected(); n != nil && !n.Hidden {
		return kong.DefaultHelpPrinter(o, ctx)
	}
	var b bytes.Buffer
	out := ctx.Stdout
	ctx.Stdout = &b
	err := kong.DefaultHelpPrinter(o, ctx)
	ctx.Stdout = out
	if err != nil {
		return err
	}
	text := strings.Replace(b.String(), "weir <command> [flags]", "weir [<command>] [flags]", 1)
	flags, last, _ := strings.Cut(text, "\nRun ")
	_, err = io.WriteString(out, flags+"\n"+helpTail+"\nRun "+last)
	return err
}
