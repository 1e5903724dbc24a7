package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// threeCalls asks for consent to three commands at once.
func threeCalls(t *testing.T) string {
	var calls []string
	for _, file := range []string{"a", "b", "c"} {
		calls = append(calls, `{"call": "bash", "arguments": {"command": "echo `+file+` >`+file+`"}}`)
	}
	return scriptFile(t, `{"steps": [{"blocks": [`+strings.Join(calls, ", ")+`]}, "Done."]}`)
}

// wantFiles fails unless just the files that were allowed are there.
func wantFiles(t *testing.T, dir, want string) {
	t.Helper()
	got := ""
	for _, file := range []string{"a", "b", "c"} {
		if _, err := os.Stat(filepath.Join(dir, file)); err == nil {
			got += file
		}
	}
	if got != want {
		t.Errorf("the commands that ran are %q, want %q", got, want)
	}
}

const together = "more calls wait; y all, a all or n all answers them together\n"

// TestAllQuestionsOfAMessageCanBeAnsweredTogether answers three commands; none is
// allowed that has not been shown.
func TestAllQuestionsOfAMessageCanBeAnsweredTogether(t *testing.T) {
	t.Parallel()
	const rest = "  echo c >c\n◇ that is all that waits; y all allows these "
	for _, c := range []struct {
		answers   []string // and, in turn, what the screen shows then
		ran, note string
		code      int
	}{
		{[]string{"y all", rest + "3", "y all", ""}, "abc", "", 0},
		{[]string{"a all", rest + "3", "a all", ""}, "abc", "", 0},
		{[]string{"v all", rest + "3", "y all", ""}, "abc", "", 0},
		{[]string{"n all: not now", ""}, "", "the user denied this call: not now", 3},
		{[]string{"y", "  1 more waiting; y all, a all or n all answers them together", "n all", ""}, "a", "the user denied this call", 3},
		{[]string{"n", "  1 more waiting; ", "y all", rest + "2", "y all", ""}, "bc", "the user denied this call", 3},
	} {
		d := onDesktop(t, t.TempDir(), "--script", threeCalls(t))
		d.sees(t, "weir> ")
		d.types(t, "go"+enter)
		d.holds(t, together)
		d.holds(t, "3 calls wait for you")
		for i := 0; i < len(c.answers); i += 2 {
			d.types(t, c.answers[i]+enter)
			d.holds(t, c.answers[i+1])
		}
		d.sees(t, "● Done.\nweir> ")
		d.holds(t, c.note)
		d.types(t, ctrlD)
		d.leaves(t, c.code)
		wantFiles(t, d.cmd.Dir, c.ran)
	}
}

// TestASimpleTerminalTakesOneAnswerForAll looks at all questions until the three
// are there.
func TestASimpleTerminalTakesOneAnswerForAll(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{"y all": "abc", "n all": ""} {
		d := onDesktopWith(t, t.TempDir(), []string{"NO_COLOR=1", "TERM=dumb"}, "--script", threeCalls(t))
		d.sees(t, "weir> ")
		d.types(t, "go\n")
		d.holds(t, together+strings.TrimSpace(allow))
		for looks := 1; !strings.Contains(d.out.text(), "these 3"); looks++ {
			d.types(t, "v all\n")
			d.out.until(t, "all questions", func(text string) bool { return strings.Count(text, "that is all that waits") == looks })
		}
		d.types(t, answer+"\n")
		d.sees(t, "● Done.\nweir> ")
		d.types(t, ctrlD)
		d.leaves(t, map[string]int{"y all": 0, "n all": 3}[answer])
		wantFiles(t, d.cmd.Dir, want)
	}
}

// TestACancelShowsNoFurtherQuestion presses what cancels while three calls wait.
func TestACancelShowsNoFurtherQuestion(t *testing.T) {
	t.Parallel()
	for _, key := range []string{ctrlC, escape} {
		d := onDesktop(t, t.TempDir(), "--script", threeCalls(t))
		d.sees(t, "weir> ")
		d.types(t, "go"+enter)
		d.holds(t, "3 calls wait for you")
		d.types(t, key)
		d.sees(t, "◇ canceled\nweir> ")
		if text := d.screen(t, d.out.text()).Text(); strings.Contains(text, "echo b") || !strings.Contains(text, "echo a") {
			t.Errorf("the screen:\n%s", text)
		}
		d.types(t, ctrlD)
		d.leaves(t, 130)
		wantFiles(t, d.cmd.Dir, "")
	}
}

// TestAQuestionThatIsTakenBackEndsItsLine cancels at questions on terminals that
// edit lines by themselves.
func TestAQuestionThatIsTakenBackEndsItsLine(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"-p", "go"}} {
		d := onDesktopWith(t, t.TempDir(), []string{"TERM=dumb"}, append(args, "--script", threeCalls(t))...)
		if args == nil {
			d.sees(t, "weir> ")
			d.types(t, "go\n")
		}
		d.holds(t, together+strings.TrimSpace(allow))
		d.types(t, ctrlC)
		d.holds(t, "[n]o ^C\n✘ bash")
		if args == nil {
			d.sees(t, "weir> ")
			d.types(t, ctrlD)
		}
		d.leaves(t, 130)
	}
}

// TestTheQuestionForTrustStaysWithCtrlC presses it on a simple terminal, where the
// question would be out of sight.
func TestTheQuestionForTrustStaysWithCtrlC(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{".weir/config.toml": "max-steps = 3\n"})
	d := onDesktopWith(t, t.TempDir(), []string{"TERM=dumb"}, "--script", scriptFile(t, `{"steps": ["fine"]}`), "--cwd", dir)
	d.sees(t, trustPrompt)
	d.types(t, ctrlC)
	d.sees(t, trustPrompt+"^C\n◇ press Ctrl-C again to leave, or Ctrl-D\n"+trustPrompt)
	d.types(t, "n\n")
	d.sees(t, "weir> ")
	d.types(t, ctrlD)
	d.leaves(t, 0)
}
