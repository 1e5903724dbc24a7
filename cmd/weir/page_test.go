package main

import (
	"fmt"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// simulated serves a script and returns its address.
func simulated(t *testing.T, script string) string {
	t.Helper()
	server := run(t, nil, nil, "sim", "--script", scriptFile(t, script))
	return strings.TrimSpace(server.out.until(t, "an address", func(text string) bool { return strings.Contains(text, "\n") }))
}

const pageScript = `{"steps": [{"blocks": [{"text": ["# Title\n\nA **bo", {"gate": "one"}, "ld** word.\n\n| a | b |\n|---|---|\n| one | 2 |\n", {"gate": "two"}, "| three | 4 |\n\n` +
	"```go\\nx := 1\\n```" + `\n\nThe ` + "`end`" + `."]}]}], "loop": true}`

const pageText = "● # Title\n\n  A bold word.\n\n  a     │ b\n  ──────┼──\n  one   │ 2\n  three │ 4\n\n    x := 1\n\n  The end."

func TestAnAnswerIsLaidOutAsItStreams(t *testing.T) {
	t.Parallel()
	base := simulated(t, pageScript)
	d := onDesktopWith(t, t.TempDir(), nil, "--base-url", base)
	d.sees(t, "weir> ")
	d.types(t, "go"+enter)
	d.holds(t, "● # Title\n\n  A **bo\n")
	d.types(t, "typed")
	d.holds(t, "weir> typed")
	post(t, base+"/gates/one")
	d.holds(t, "  A bold word.\n\n  a   │ b\n  ────┼──\n  one │ 2\n")
	post(t, base+"/gates/two")
	d.sees(t, pageText+"\nweir> typed")
	if !strings.Contains(d.out.text(), "\x1b[1mbold\x1b[0m") {
		t.Error("nothing is bold")
	}
	d.types(t, ctrlC)
	d.sees(t, "weir> ")
	d.types(t, ctrlD)
	d.leaves(t, 0)
}

// TestAResizeWhileAnAnswerIsOpenRepeatsNothing makes the terminal wider and
// narrower between the pieces of a table.
func TestAResizeWhileAnAnswerIsOpenRepeatsNothing(t *testing.T) {
	t.Parallel()
	base := simulated(t, pageScript)
	d := onDesktopWith(t, t.TempDir(), nil, "--base-url", base)
	d.sees(t, "weir> ")
	d.types(t, "go"+enter)
	d.holds(t, "A **bo")
	for i := range 20 {
		d.resize(t, 100+i%2)
		d.signal(t, syscall.SIGWINCH)
	}
	post(t, base+"/gates/one")
	d.holds(t, "one │ 2")
	for i := range 20 {
		d.resize(t, 100+i%2)
		d.signal(t, syscall.SIGWINCH)
	}
	post(t, base+"/gates/two")
	d.sees(t, "weir> go\n"+pageText+"\nweir> ")
	d.types(t, ctrlD)
	d.leaves(t, 0)
}

// TestABlockThatIsHigherThanTheScreenIsThereOnce streams code and a paragraph of
// more rows than the terminal has, and finds each word of them once, in order,
// on the screen and in what has scrolled away.
func TestABlockThatIsHigherThanTheScreenIsThereOnce(t *testing.T) {
	t.Parallel()
	var words, code, item []string
	for i := range 1200 {
		words = append(words, fmt.Sprintf("w%d", i))
	}
	for i := range 90 {
		code, item = append(code, fmt.Sprintf("c%d", i)), append(item, fmt.Sprintf("i%d", i))
	}
	answer := strings.Join(words, " ") + `\n\n` + "```\\n" + strings.Join(code, `\n`) + "\\n```\\n- one\\n  ```\\n  " + strings.Join(item, `\n  `) + "\\n  ```\\n\\nend"
	script := scriptFile(t, `{"steps": [{"blocks": [{"text": "`+answer+`"}]}]}`)
	d := onDesktopWith(t, t.TempDir(), nil, "--script", script)
	d.sees(t, "weir> ")
	d.types(t, "go"+enter)
	d.sees(t, "  end\nweir> ")
	got := regexp.MustCompile(`\b[wci]\d+\b`).FindAllString(d.screen(t, d.out.text()).Text(), -1)
	if diff := cmp.Diff(append(append(words, code...), item...), got); diff != "" {
		t.Error(diff)
	}
	d.types(t, ctrlD)
	d.leaves(t, 0)
}

// TestPlainTextIsAsTheModelWroteIt has a person ask for no colour, and a
// terminal that knows none.
func TestPlainTextIsAsTheModelWroteIt(t *testing.T) {
	t.Parallel()
	script := scriptFile(t, `{"steps": ["# A\n\n**b** `+"`c`"+`"]}`)
	for _, env := range []string{"NO_COLOR=1", "TERM=dumb"} {
		for _, args := range [][]string{{"--script", script}, {"--script", script, "-p", "go"}} {
			d := onDesktopWith(t, t.TempDir(), []string{env}, args...)
			if len(args) == 2 {
				d.sees(t, "weir> ")
				d.types(t, "go"+enter)
			}
			d.holds(t, "● # A\n\n**b** `c`")
			if strings.Contains(d.out.text(), "m●") || strings.Contains(d.out.text(), "\x1b[1m") {
				t.Errorf("%s: styled: %q", env, d.out.text())
			}
			if len(args) == 2 {
				d.sees(t, "weir> ")
				d.types(t, ctrlD)
			}
			d.leaves(t, 0)
		}
	}
}

// TestAOneShotAnswerIsLaidOutToo shows the same rows without a line to type at.
func TestAOneShotAnswerIsLaidOutToo(t *testing.T) {
	t.Parallel()
	base := simulated(t, pageScript)
	d := onDesktopWith(t, t.TempDir(), nil, "-p", "go", "--base-url", base)
	d.holds(t, "A **bo")
	post(t, base+"/gates/one")
	d.holds(t, "one │ 2")
	post(t, base+"/gates/two")
	d.leaves(t, 0)
	if diff := cmp.Diff(pageText, d.screen(t, d.out.text()).Text()); diff != "" {
		t.Error(diff)
	}
}
