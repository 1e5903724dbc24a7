package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCompletionOfCommandsAndPaths(t *testing.T) {
	c := completer{
		root:     tree(t, map[string]string{"docs/a.md": "", "docs/b.md": "", "do": "", ".hidden": "", "with blank": ""}),
		commands: []string{"/model", "/mode", "/own"},
	}
	for before, want := range map[string][]string{
		"/mo": {"/model", "/mode"}, "/o": {"/own"}, "/nope": nil, "see /mo": nil, "@do": {"@do", "@docs/"}, "see @docs/": {"@docs/a.md", "@docs/b.md"},
		"@": {"@do", "@docs/"}, "@.h": {"@.hidden"}, "@nowhere/": nil, "word": nil, "": nil,
		"@" + c.root + "/docs/a": {"@" + c.root + "/docs/a.md"},
	} {
		if diff := cmp.Diff(want, c.complete(before)); diff != "" {
			t.Errorf("%q:\n%s", before, diff)
		}
	}
}

// TestCompletionGoesByTheFolderThatIsWorkedIn has a command of the person's own
// too, and the folder is another than that of the process.
func TestCompletionGoesByTheFolderThatIsWorkedIn(t *testing.T) {
	t.Parallel()
	home := tree(t, map[string]string{".config/weir/commands/polish.md": "Polish it."})
	d := onDesktop(t, home, "--script", scriptFile(t, `{"steps": ["fine"]}`), "--cwd", tree(t, map[string]string{"remarks.md": "so"}))
	d.sees(t, "weir> ")
	d.types(t, "/pol\t")
	d.sees(t, "weir> /polish ")
	d.types(t, "@rem\t")
	d.sees(t, "weir> /polish @remarks.md ")
	d.types(t, ctrlC)
	d.sees(t, "weir> ")
	d.types(t, ctrlD)
	d.leaves(t, 0)
}

func TestACommandOfThePersonsOwn(t *testing.T) {
	t.Parallel()
	d := onDesktop(t, t.TempDir(), "--script", scriptFile(t, `{"steps": ["fine"]}`))
	d.sees(t, "weir> ")
	d.types(t, "!printf 'a\\033[2Jb\\n'; exit 3"+enter)
	d.holds(t, `a\x1b[2Jb`)
	d.sees(t, "exit status 3\nweir> ")
	d.types(t, "! "+enter)
	d.sees(t, "◇ ! runs what stands behind it, as in !ls; a blank before it makes it a prompt\nweir> ")
	mark := fmt.Sprintf("weirmark%d_own", os.Getpid())
	d.types(t, "!echo begun; sleep 1000; : "+mark+enter)
	d.holds(t, "\n  begun") // while it runs
	d.types(t, ctrlC)
	d.holds(t, "\n  canceled")
	d.sees(t, "weir> ")
	gone(t, mark)
	d.types(t, ctrlD)
	d.leaves(t, 0)
}

func TestCommandsOfATalk(t *testing.T) {
	t.Parallel()
	d := onDesktop(t, t.TempDir(), "--mode", "accept-edits", "--script",
		scriptFile(t, `{"models": ["lamp", "lantern"], "steps": [{"blocks": [{"call": "write_file", "arguments": {"path": "new.txt", "content": "one\n"}}]}, "fine"]}`))
	d.sees(t, "weir> ")
	d.types(t, "/undo"+enter)
	d.holds(t, "nothing to undo")
	d.types(t, "/metrics"+enter)
	d.holds(t, "no turn has ended yet")
	d.types(t, "go"+enter)
	d.sees(t, "● fine\nweir> ")
	d.types(t, "/metrics"+enter)
	d.holds(t, "session: 1 turn, 2 steps, 0 retries")
	d.types(t, "/diff"+enter)
	d.holds(t, "what was written in this session:\n  --- a/new.txt\n  +++ b/new.txt\n  @@ -0,0 +1 @@\n  +one\n")
	if strings.Contains(d.out.text(), "m+one") {
		t.Error("a diff has colour in spite of NO_COLOR")
	}
	d.types(t, "/undo"+enter)
	d.holds(t, "taken back:\n  new.txt")
	if _, err := os.Stat(d.cmd.Dir + "/new.txt"); err == nil {
		t.Error("the file is still there")
	}
	d.types(t, "/model"+enter)
	d.holds(t, "the model is lamp; /model NAME takes another:\n  lamp\n  lantern")
	d.types(t, "/model lantern"+enter)
	d.holds(t, "the model is lantern from the next step on")
	d.types(t, "/status"+enter)
	d.holds(t, " of 128.0k, ")
	d.types(t, "/model gpt-4"+enter)
	d.holds(t, "the model is gpt-4 from the next step on")
	d.types(t, "/status"+enter)
	d.holds(t, " of 8.2k, ")
	d.types(t, "/model lantern"+enter)
	d.sees(t, "◇ the model is lantern from the next step on\nweir> ")
	d.types(t, "/mode plan"+enter)
	d.holds(t, "the mode is plan from now on")
	d.types(t, "/mode nope"+enter)
	d.holds(t, `mode "nope"`)
	d.types(t, "/status"+enter)
	d.holds(t, "model lantern\n  mode plan\n  folder ")
	d.holds(t, "window about ")
	d.types(t, "/tools"+enter)
	d.holds(t, "read_file    read_only")
	d.types(t, "/clear"+enter)
	d.holds(t, "a new session")
	d.types(t, "/compact"+enter)
	d.holds(t, "nothing to compact")
	d.sees(t, "begin a new session\nweir> ") // it is said once
	d.types(t, "/exit now"+enter)
	d.holds(t, "/exit takes no argument")
	d.types(t, "/exit"+enter)
	d.leaves(t, 0)
}

// TestACommandDuringATurnLeavesItsStatusAlone looks at the status after a
// command that takes time has ended.
func TestACommandDuringATurnLeavesItsStatusAlone(t *testing.T) {
	t.Parallel()
	d := onDesktop(t, t.TempDir(), "--script", scriptFile(t, stalls))
	d.sees(t, "weir> ")
	d.types(t, "go"+enter)
	d.holds(t, "● Half an answer")
	d.types(t, "/status"+enter)
	d.holds(t, "window about ")
	d.types(t, "/metrics"+enter)
	d.holds(t, "this turn: running for ")
	d.holds(t, "2s · step 1 · ")
	d.types(t, ctrlC)
	d.sees(t, "weir> ")
	d.types(t, ctrlD)
	d.leaves(t, 130)
}
