package render_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/cmd/weir/internal/edit"
	"github.com/weir-agents/weir/cmd/weir/internal/render"
	"github.com/weir-agents/weir/cmd/weir/internal/vt"
	"github.com/weir-agents/weir/pipeline"
)

const prompt = "weir>"

// device is what draws on a terminal.
type device interface {
	io.Writer
	Show(output, open []byte) error
	Size() (columns, rows int)
}

// TestATerminalShowsTheWordsOfTheBuffer plays the stories behind the golden
// files through what draws on a terminal, one character at a time, and reads the
// screen with all that has scrolled away: after each event it holds the words
// that a buffer holds, and what is still open, in order, each once.
func TestATerminalShowsTheWordsOfTheBuffer(t *testing.T) {
	tty := terminal(t)
	for name, events := range render.Stories() {
		cut := inCharacters(events)
		for _, style := range []render.Style{{}, {Color: true, Verbose: true}, {Color: true, Markdown: true}} {
			for _, size := range []pty.Winsize{{Cols: 100, Rows: 24}, {Cols: 40, Rows: 24}, {Cols: 10, Rows: 12}} {
				if err := pty.Setsize(tty, &size); err != nil {
					t.Fatal(err)
				}
				t.Run(fmt.Sprintf("%s, %+v, %d columns", name, style, size.Cols), func(t *testing.T) {
					onPaper(t, tty, style, size, events)
					onConsole(t, tty, style, size, events)
					for i := range 4 { // left with what is open
						onConsole(t, tty, style, size, cut[:len(cut)*i/4])
					}
				})
			}
		}
	}
}

func terminal(t *testing.T) *os.File {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = tty.Close(), master.Close() })
	return tty
}

func screenOf(size pty.Winsize) *vt.Terminal {
	screen := vt.New(int(size.Cols), edit.Cluster)
	screen.Height = int(size.Rows)
	return screen
}

func onPaper(t *testing.T, tty *os.File, style render.Style, size pty.Winsize, events []pipeline.Event) {
	t.Helper()
	screen := screenOf(size)
	draw(t, edit.NewPaper(tty, screen), style, events, func(words string) {
		if diff := cmp.Diff(words, squeeze(screen.Text())); diff != "" {
			t.Fatalf("the screen:\n%s", diff)
		}
	})
}

// onConsole has a prompt and a status under what is drawn.
func onConsole(t *testing.T, tty *os.File, style render.Style, size pty.Winsize, events []pipeline.Event) {
	t.Helper()
	screen := screenOf(size)
	c, err := edit.Open(edit.Config{In: tty, Out: screen})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Ask("", prompt+" ", 0); err != nil {
		t.Fatal(err)
	}
	status, n := "", 0
	all := draw(t, c, style, events, func(words string) {
		look := func() {
			t.Helper()
			if diff := cmp.Diff(words+status+prompt, squeeze(screen.Text())); diff != "" {
				t.Fatalf("the screen:\n%s", diff)
			}
		}
		look()
		status = fmt.Sprintf("%ds", n)
		n++
		if err := c.Status(status); err != nil {
			t.Fatal(err)
		}
		look()
	})
	c.Close()
	if diff := cmp.Diff(all, squeeze(screen.Text())); diff != "" {
		t.Fatalf("the screen at the end:\n%s", diff)
	}
}

// draw draws events, hands check the words that are to be there after each, and
// returns the last ones. A third of the rows is for what is open: where it has
// more, its beginning comes later, and check is not called.
func draw(t *testing.T, d device, style render.Style, events []pipeline.Event, check func(words string)) (words string) {
	t.Helper()
	s := render.Screen{Style: style}
	var buffer []byte
	for _, e := range inCharacters(events) {
		s.Resize(d.Size())
		out := s.Append(nil, e)
		buffer = append(buffer, out...)
		var err error
		if style.Markdown {
			err = d.Show(out, s.Open())
		} else {
			_, err = d.Write(out)
		}
		if err != nil {
			t.Fatalf("%v in %q", err, out)
		}
		words = squeeze(string(buffer) + string(s.Open()))
		if _, rows := d.Size(); bytes.Count(s.Open(), []byte("\n")) < rows/3 {
			check(words)
		}
	}
	if whole := buffered(d, style, events); squeeze(whole) != squeeze(string(buffer)) {
		t.Fatalf("in characters it is %q, else %q", buffer, whole)
	}
	return words
}

// buffered is what the golden files hold: no terminal, no character alone.
func buffered(d device, style render.Style, events []pipeline.Event) string {
	style.Color = false
	s := render.Screen{Style: style}
	s.Resize(d.Size())
	var out []byte
	for _, e := range events {
		out = s.Append(out, e)
	}
	return string(out)
}

// inCharacters cuts the deltas of answers, so that what is open is drawn often.
func inCharacters(events []pipeline.Event) []pipeline.Event {
	var cut []pipeline.Event
	for _, e := range events {
		delta, ok := e.(pipeline.TextDelta)
		if !ok {
			cut = append(cut, e)
			continue
		}
		for _, r := range delta.Text {
			cut = append(cut, pipeline.TextDelta{Text: string(r)})
		}
	}
	return cut
}

// squeeze leaves the words of a text, without what breaks them where a row ends
// and without colour.
func squeeze(text string) string {
	for {
		before, rest, ok := strings.Cut(text, "\x1b[")
		if !ok {
			return strings.Join(strings.Fields(text), "")
		}
		_, rest, _ = strings.Cut(rest, "m")
		text = before + rest
	}
}
