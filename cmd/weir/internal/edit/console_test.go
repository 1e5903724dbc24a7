package edit

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/cmd/weir/internal/vt"
)

// wall is a terminal of our own that sends no signals, since nobody's session
// has it.
type wall struct {
	tty    *os.File
	screen *vt.Terminal
	out    bytes.Buffer
}

func newWall(t *testing.T, width int) *wall {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = tty.Close(), master.Close() })
	w := &wall{tty: tty, screen: vt.New(width, Cluster)}
	w.screen.Height = 24
	w.resize(t, width)
	return w
}

// resize breaks the lines anew, and tells nobody.
func (w *wall) resize(t *testing.T, width int) {
	t.Helper()
	if err := pty.Setsize(w.tty, &pty.Winsize{Rows: 24, Cols: uint16(width)}); err != nil {
		t.Fatal(err)
	}
	w.screen.Resize(width)
}

func (w *wall) Write(p []byte) (int, error) {
	w.out.Write(p)
	return w.screen.Write(p)
}

// TestATerminalThatIsNarrowerBeforeItsSignalKeepsOneCopy draws while a block
// is open, by each of the ways that draw.
func TestATerminalThatIsNarrowerBeforeItsSignalKeepsOneCopy(t *testing.T) {
	row := strings.Repeat("word ", 11)
	for name, draw := range map[string]func(*Console) error{
		"more of the block": func(c *Console) error { return c.Show(nil, []byte(row+"\n"+row+"\nend")) },
		"output":            func(c *Console) error { return c.Show([]byte(row+"\n"+row+"\nend\n"), nil) },
		"a line of ours":    func(c *Console) error { _, err := c.Write([]byte("line\n")); return err },
		"the status":        func(c *Console) error { return c.Status("other") },
		"the prompt":        func(c *Console) error { return c.Ask("", "allow? ", 1) },
	} {
		t.Run(name, func(t *testing.T) {
			var got [2]string
			for i, told := range []bool{false, true} {
				w := newWall(t, 60)
				c, err := Open(Config{In: w.tty, Out: w})
				if err != nil {
					t.Fatal(err)
				}
				_, err = c.Write([]byte("above\n"))
				for _, do := range []func() error{
					func() error { return err },
					func() error { return c.Ask("", "weir> ", 0) },
					func() error { return c.Status("3s · step 1") },
					func() error { return c.Show(nil, []byte(row+"\n"+row)) },
					func() error {
						w.resize(t, 30)
						if told {
							c.resize()
						}
						return draw(c)
					},
				} {
					if err := do(); err != nil {
						t.Fatal(err)
					}
				}
				got[i] = w.screen.Text()
				c.Close()
			}
			if diff := cmp.Diff(got[1], got[0]); diff != "" || strings.Count(got[0], "above") != 1 {
				t.Errorf("the screen:\n%s", diff)
			}
		})
	}
}
