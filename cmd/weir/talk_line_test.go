package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/weir-agents/weir/cmd/weir/internal/edit"
	"github.com/weir-agents/weir/cmd/weir/internal/render"
)

// heard is what a talk says to a line.
func heard(t *testing.T, k *talk, l line) string {
	t.Helper()
	var out bytes.Buffer
	k.desk = &plainDesk{Writer: &out, keys: edit.NewTypewriter(nil)}
	k.sink = &screenSink{w: &out, screen: render.Screen{}}
	if err := k.line(l, true); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestALineAnswersOnlyTheQuestionItWasTypedFor hands a talk lines of before its
// question, and of one that is closed.
func TestALineAnswersOnlyTheQuestionItWasTypedFor(t *testing.T) {
	const late = "◇ \"y\" came when its question was closed, so it answers nothing\n"
	const mark = "◇ ! runs what stands behind it, as in !ls; a blank before it makes it a prompt\n"
	trusts := func() *talk { return &talk{trusting: true, turner: turner{question: 2}} }
	asks := func() *talk { return &talk{turner: turner{question: 2, asking: make([]openQuestion, 1)}} }
	plans := func() *talk { return &talk{planning: true, turner: turner{question: 2}} }
	idle := func() *talk { return &talk{turner: turner{question: 2}} }
	for _, c := range []struct {
		talk func() *talk
		line line
		want string
		open bool
	}{
		{trusts, line{text: "y"}, trustPrompt, true},
		{asks, line{text: "!"}, mark, true},
		{plans, line{text: "!"}, mark, false},
		{plans, line{text: " "}, planPrompt, true},
		{trusts, line{text: "y", question: 1}, late + trustPrompt, true},
		{asks, line{text: "y", question: 1}, late + allow, true},
		{asks, line{text: "", question: 1}, allow, true},
		{plans, line{text: "y", question: 1}, late + planPrompt, true},
		{plans, line{text: "", question: 1}, planPrompt, true},
		{idle, line{text: "y", question: 2}, late, false},
		{idle, line{text: "!", question: 2}, mark, false},
	} {
		k := c.talk()
		if got := heard(t, k, c.line); got != c.want || (k.open() != 0) != c.open {
			t.Errorf("%+v: %q, open %v", c.line, got, k.open())
		}
	}
}

// twice asks for two commands, one after the other.
const twice = `{"steps": [{"blocks": [{"call": "bash", "arguments": {"command": "touch a"}}]}, ` +
	`{"blocks": [{"call": "bash", "arguments": {"command": "touch b"}}]}, "Done."]}`

// TestOneAnswerTypedTwiceAllowsOneCall types it before the second question is
// there, on each kind of terminal.
func TestOneAnswerTypedTwiceAllowsOneCall(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env, args []string
		enter     string
	}{
		"a console":         {[]string{"NO_COLOR=1"}, nil, enter},
		"a simple terminal": {[]string{"TERM=dumb"}, nil, "\n"},
		"one prompt":        {[]string{"NO_COLOR=1"}, []string{"-p", "go"}, "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			d := onDesktopWith(t, t.TempDir(), c.env, append(c.args, "--script", scriptFile(t, twice))...)
			if c.args == nil {
				d.sees(t, "weir> ")
				d.types(t, "go"+c.enter)
			}
			d.sees(t, allow)
			d.types(t, "y"+c.enter+"y"+c.enter)
			d.holds(t, "  touch b\n")
			d.sees(t, allow)
			d.types(t, "n"+c.enter)
			d.holds(t, "● Done.")
			if _, err := os.Stat(filepath.Join(d.cmd.Dir, "b")); err == nil {
				t.Error("the second command ran")
			}
			if _, err := os.Stat(filepath.Join(d.cmd.Dir, "a")); err != nil {
				t.Error(err)
			}
			if c.args == nil {
				d.types(t, ctrlD)
			}
			d.leaves(t, 3)
		})
	}
}

// TestWhatWasTypedBeforeTheTalkBeganDoesNotAnswerTheQuestionForTrust types it
// while the program begins, and finds it in the line behind the prompt.
func TestWhatWasTypedBeforeTheTalkBeganDoesNotAnswerTheQuestionForTrust(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{".weir/config.toml": "max-steps = 3\n"})
	d := onDesktop(t, t.TempDir(), "--script", scriptFile(t, `{"steps": ["fine"]}`), "--cwd", dir)
	d.types(t, "y"+enter)
	d.sees(t, trustPrompt)
	d.types(t, "n"+enter)
	d.sees(t, "weir> y")
	d.types(t, ctrlC)
	d.sees(t, "weir> ")
	d.types(t, ctrlD)
	d.leaves(t, 0)
}
