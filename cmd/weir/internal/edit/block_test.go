package edit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weir-agents/weir/cmd/weir/internal/vt"
)

// blockOf draws what is still open: nothing, or rows of any number.
func blockOf(t *rapid.T) string {
	rows := rapid.SliceOfN(rapid.SampledFrom([]string{"row", "", "日本語 👩‍👩‍👧", "\x1b[1mbold\x1b[0m row", strings.Repeat("long ", 9)}), 0, 20).Draw(t, "block")
	return strings.Join(rows, "\n")
}

// TestWhatIsOpenNeverStaysInTheScrollBack draws blocks of any height over and
// over on a screen with a bottom. Above what is drawn stands each line of output
// once, in order, also where it has scrolled away; and no more than the end of
// the block is drawn, as much as has room.
func TestWhatIsOpenNeverStaysInTheScrollBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := &area{width: rapid.IntRange(12, 60).Draw(t, "width"), height: rapid.IntRange(1, 24).Draw(t, "height")}
		screen := vt.New(a.width, Cluster)
		screen.Height = a.height
		e := &Editor{History: &History{}}
		var lines []string
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			out := a.erase(nil)
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				lines = append(lines, fmt.Sprintf("line %d", len(lines)))
				out = a.put(out, []byte(lines[len(lines)-1]+"\n"))
			case 1:
				a.block = blockOf(t)
			case 2:
				typed(e, rapid.SampledFrom([]string{"x", "日", "\n", "\x7f", "\x15", strings.Repeat("typed ", 5)}).Draw(t, "key"))
			default:
				a.status = rapid.SampledFrom([]string{"", "12s", strings.Repeat("status ", 20)}).Draw(t, "status")
			}
			a.bottom = e.View("weir> ", a.width, max(a.height/3, 1))
			show(t, screen, a.draw(out))
			wantUnder(t, screen, a, strings.Join(append(lines, ""), "\n"))
		}
	})
}

// wantUnder checks the whole screen: output, the end of the block, the status,
// what is typed.
func wantUnder(t *rapid.T, screen *vt.Terminal, a *area, output string) {
	want := vt.New(a.width, Cluster)
	show(t, want, []byte(output))
	if a.block != "" && a.room() > 0 {
		block := a.rows("", []byte(a.block))
		show(t, want, []byte(strings.Join(block[max(0, len(block)-a.room()):], "\n")+"\n"))
	}
	if a.showsStatus() {
		show(t, want, []byte(Wrap(a.status, a.width-1)[0]+"\n"))
	}
	show(t, want, []byte(strings.Join(a.bottom.Rows, "\n")))
	if diff := cmp.Diff(want.Text(), screen.Text()); diff != "" {
		t.Fatalf("the screen:\n%s", diff)
	}
}

// TestAHighBlockOnATerminalOfHalfTheWidthStaysNowhere narrows a terminal that
// scrolls, with a block open that is higher than the screen.
func TestAHighBlockOnATerminalOfHalfTheWidthStaysNowhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := &area{width: 60, height: rapid.IntRange(16, 50).Draw(t, "height"), status: "3s · step 1"}
		screen := vt.New(a.width, Cluster)
		screen.Height = a.height
		e := &Editor{History: &History{}}
		a.block = strings.Repeat(strings.Repeat("word ", 11)+"\n", 60) + "end"
		a.bottom = e.View("weir> ", a.width, a.height/3)
		show(t, screen, a.draw(a.put(nil, []byte("above\n"))))
		a.width = 30
		screen.Resize(a.width)
		out := a.erase(nil)
		a.bottom = e.View("weir> ", a.width, a.height/3)
		show(t, screen, a.draw(out))
		wantUnder(t, screen, a, "above\n")
	})
}

// TestAResizeWhileABlockIsOpenRepeatsNothing changes the width between two
// drawings, on a terminal that breaks its lines anew.
func TestAResizeWhileABlockIsOpenRepeatsNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := &area{width: 60, height: 40}
		screen := vt.New(a.width, Cluster)
		e := &Editor{History: &History{}}
		typed(e, "日本語 typed")
		output := ""
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			a.status, a.block = "3s · step 1", blockOf(t)
			a.bottom = e.View("weir> ", a.width, 13)
			output += "above\n"
			show(t, screen, a.draw(a.put(a.erase(nil), []byte("above\n"))))
			a.width = rapid.IntRange(12, 80).Draw(t, "width")
			screen.Resize(a.width)
			out := a.erase(nil)
			a.bottom = e.View("weir> ", a.width, 13)
			show(t, screen, a.draw(out))
			wantUnder(t, screen, a, output)
		}
	})
}
