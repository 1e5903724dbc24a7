package edit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weir-agents/weir/cmd/weir/internal/vt"
)

// show writes out to the screen; only sequences of ours may be in it.
func show(t *rapid.T, screen *vt.Terminal, out []byte) {
	if _, err := screen.Write(out); err != nil {
		t.Fatal(err)
	}
}

// TestOutputAndInputShareTheScreen writes output in any pieces while things
// are typed, and finds on the screen each line of output once, in order, the
// open one under it, and the input at the bottom with the cursor in its place.
func TestOutputAndInputShareTheScreen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(12, 60).Draw(t, "width")
		screen := vt.New(width, Cluster)
		a := &area{width: width, height: 200} // no line is long enough to be let go
		e := &Editor{History: &History{}}
		output := ""
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			var out []byte
			switch rapid.IntRange(0, 2).Draw(t, "what") {
			case 0:
				piece := rapid.SampledFrom([]string{"word ", "日本語", "a\n", "\n", "\x1b[2mdim ", "\x1b[0m", "👩‍👩‍👧", strings.Repeat("long ", 9)}).Draw(t, "output")
				output += piece
				out = a.put(a.erase(nil), []byte(piece))
			case 1:
				typed(e, rapid.SampledFrom([]string{"x", "日", "\n", "\x7f", left, up, "\x15", strings.Repeat("typed ", 5)}).Draw(t, "key"))
				out = a.erase(nil)
			default:
				a.status = rapid.SampledFrom([]string{"", "12s", strings.Repeat("status ", 20)}).Draw(t, "status")
				out = a.erase(nil)
			}
			a.bottom = e.View("weir> ", width, 20)
			show(t, screen, a.draw(out))
			check(t, screen, a, output)
		}
	})
}

func check(t *rapid.T, screen *vt.Terminal, a *area, output string) {
	want := vt.New(a.width, Cluster)
	end := strings.LastIndexByte(output, '\n') + 1
	show(t, want, []byte(output[:end]))
	if rest := output[end:]; rest != "" {
		for _, row := range a.rows("", []byte(rest)) {
			show(t, want, []byte(row+"\n"))
		}
	}
	if a.status != "" {
		show(t, want, []byte(Wrap(a.status, a.width-1)[0]+"\n"))
	}
	top := want.Row
	show(t, want, []byte(strings.Join(a.bottom.Rows, "\n")))
	if diff := cmp.Diff(want.Text(), screen.Text()); diff != "" {
		t.Fatalf("the screen:\n%s", diff)
	}
	if screen.Row != top+a.bottom.Row || screen.Column != a.bottom.Column {
		t.Fatalf("the cursor is at %d, %d, want %d, %d", screen.Row, screen.Column, top+a.bottom.Row, a.bottom.Column)
	}
}

func TestB140_ANarrowerTerminalKeepsOneCopy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := &Editor{History: &History{}}
		typed(e, strings.Repeat("日本語👍e\u0301 ", 12))
		wide, narrow := 80, rapid.IntRange(20, 79).Draw(t, "width")
		a := &area{width: wide, height: 50, bottom: e.View("weir> ", wide, 20)}
		out := a.draw(a.put(nil, []byte("above\n")))
		screen := vt.New(wide, Cluster)
		show(t, screen, out)
		screen.Resize(narrow)
		a.width = narrow
		out = a.erase(nil)
		a.bottom = e.View("weir> ", narrow, 20)
		show(t, screen, a.draw(out))
		check(t, screen, a, "above\n")
	})
}

func TestALineLongerThanTheScreenIsLetGo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := &area{width: 20, height: 8, bottom: View{Rows: []string{"weir> "}, Column: 6}}
		screen := vt.New(20, Cluster)
		for i := range 60 {
			show(t, screen, a.draw(a.put(a.erase(nil), fmt.Appendf(nil, "\x1b[2mword%02d ", i))))
			if len(a.drawn) > 6 {
				t.Fatalf("%d rows are drawn again and again", len(a.drawn))
			}
		}
		text := strings.ReplaceAll(screen.Text(), "\n", "")
		for i := range 60 {
			if strings.Count(text, fmt.Sprintf("word%02d", i)) != 1 {
				t.Fatalf("word%02d is not there once:\n%s", i, screen.Text())
			}
		}
	})
}
