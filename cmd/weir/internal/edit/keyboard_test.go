package edit

import (
	"io"
	"os"
	"runtime"
	"testing"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"
)

// typist is a person at a terminal.
type typist struct{ master, tty *os.File }

func newTypist(t *testing.T) *typist {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = tty.Close(), master.Close() })
	return &typist{master, tty}
}

// types waits until the terminal has the keys.
func (p *typist) types(t *testing.T, keys string, typed func() int64) {
	t.Helper()
	want := typed() + int64(len(keys))
	if _, err := p.master.WriteString(keys); err != nil {
		t.Fatal(err)
	}
	for typed() != want {
		runtime.Gosched()
	}
}

// TestALineBelongsToTheQuestionItWasTypedFor has questions come and go while
// keys wait in the terminal, since nobody takes the first line.
func TestALineBelongsToTheQuestionItWasTypedFor(t *testing.T) {
	const pasteOf, behind = "\x1b[200~y", "\x1b[201~"
	type step struct {
		question int // asked, if no keys
		keys     string
	}
	for name, c := range map[string]struct {
		steps []step
		want  []Sent
	}{
		"the next question":           {[]step{{1, ""}, {0, "y\r"}, {2, ""}, {0, "n\r"}}, []Sent{{"y", 1}, {"n", 2}}},
		"keys that nobody has read":   {[]step{{0, "go\r"}, {0, "y\r"}, {1, ""}, {0, "n\r"}}, []Sent{{"go", 0}, {"y", 0}, {"n", 1}}},
		"half a line":                 {[]step{{0, "go\r"}, {1, ""}, {0, "y"}, {2, ""}, {0, "\r"}}, []Sent{{"go", 0}, {"", 2}}},
		"half a prompt":               {[]step{{0, "go\ry"}, {1, ""}, {0, "\r"}, {0, ""}, {0, "es\r"}}, []Sent{{"go", 0}, {"", 1}, {"yes", 0}}},
		"an answer to what is closed": {[]step{{0, "go\r"}, {1, ""}, {0, "y\r"}, {0, ""}, {0, "next\r"}}, []Sent{{"go", 0}, {"y", 1}, {"next", 0}}},
		"the same question again":     {[]step{{1, ""}, {0, "what\r"}, {1, ""}, {0, "y\r"}}, []Sent{{"what", 1}, {"y", 1}}},
		"half a paste":                {[]step{{0, "go\r"}, {0, pasteOf}, {1, ""}, {0, behind + "\r"}}, []Sent{{"go", 0}, {"", 1}}},
		"what follows a paste":        {[]step{{0, "go\r"}, {0, pasteOf + behind + "\r"}, {1, ""}}, []Sent{{"go", 0}, {"y", 0}}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newTypist(t)
			console, err := Open(Config{In: p.tty, Out: io.Discard, Act: func(Act, int) bool { return false }})
			if err != nil {
				t.Fatal(err)
			}
			defer console.Close()
			if err := console.Ask("", "weir> ", 0); err != nil {
				t.Fatal(err)
			}
			for _, s := range c.steps {
				if s.keys != "" {
					p.types(t, s.keys, console.keys.typed)
				} else if err := console.Ask("", "? ", s.question); err != nil {
					t.Fatal(err)
				}
			}
			for _, want := range c.want {
				if diff := cmp.Diff(want, <-console.Lines()); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

// TestATypewriterTakesNothingForAnAnswerThatWasTypedBefore types lines, and half
// of one, before questions come up.
func TestATypewriterTakesNothingForAnAnswerThatWasTypedBefore(t *testing.T) {
	p := newTypist(t)
	w := NewTypewriter(p.tty)
	line := func(want Sent) {
		t.Helper()
		got, err := w.Line()
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Error(err, diff)
		}
	}
	p.types(t, "go\n", w.keys.typed)
	line(Sent{"go", 0})
	p.types(t, "y\ny\n", w.keys.typed)
	if !w.Ask(1) || w.Ask(1) {
		t.Error("lost lines are not told, or told twice")
	}
	p.types(t, "n\n", w.keys.typed)
	line(Sent{"n", 1})
	p.types(t, "y\n", w.keys.typed)
	w.Ask(0)
	line(Sent{"y", 0})
	if w.Ask(2) {
		t.Error("nothing was lost")
	}
	p.types(t, "a\nb\n", w.keys.typed)
	line(Sent{"a", 2})
	line(Sent{"b", 2})
}

// TestHalfALineThatATypewriterHasIsNoAnswer has it in the terminal, where only
// the end of the line makes it readable.
func TestHalfALineThatATypewriterHasIsNoAnswer(t *testing.T) {
	p := newTypist(t)
	w := NewTypewriter(p.tty)
	before := w.keys.typed
	if _, err := p.master.WriteString("y"); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(p.master, make([]byte, 1)); err != nil { // its echo
		t.Fatal(err)
	}
	w.Ask(1)
	p.types(t, "\n", before)
	got, err := w.Line()
	if diff := cmp.Diff(Sent{"", 1}, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
}
