package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a command of the person's own says is shown as it comes, a line at a time,
// made harmless and no more than the cap.
func TestWhatAnOwnCommandShows(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("0123456", 9) + "\n"
	most := strings.Repeat(line, shellBytes/len(line))
	for command, want := range map[string][]string{
		"echo one; echo two >&2":    {"one", "two"},
		"printf 'no end'":           {"no end"},
		"printf '\\377\\n'; exit 3": {"\ufffd", "exit status 3"},
		"echo; echo; kill -TERM $$": {"", "", "signal: terminated"},
		"true":                      nil,
		"yes " + line[:63] + " | head -n 5000": append(strings.Split(strings.TrimSuffix(most, "\n"), "\n"),
			"… the rest is not shown", fmt.Sprintf("… %d bytes more", 5000*len(line)-shellBytes)),
		"head -c 100000 /dev/zero | tr '\\0' x": {strings.Repeat("x", shellBytes), "… the rest is not shown", "… 34464 bytes more"},
	} {
		var got []string
		text, err := shell(t.Context(), "", t.TempDir(), command, func(lines string) { got = append(got, strings.Split(lines, "\n")...) })
		if text != "" {
			got = append(got, text)
		}
		if err != nil {
			got = append(got, err.Error())
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %s", command, cmp.Diff(want, got))
		}
	}
}

// TestAnOwnCommandShowsItsLinesLive holds a command back until what it said before
// is on the screen, also while an answer of the model's streams.
func TestAnOwnCommandShowsItsLinesLive(t *testing.T) {
	t.Parallel()
	gate := t.TempDir() + "/gate"
	if err := syscall.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, env := range []string{"NO_COLOR=1", "TERM=dumb"} {
		end := enter
		if env == "TERM=dumb" {
			end = "\n"
		}
		for _, turn := range []string{"", "go"} { // A talk each: one command at a time runs in a talk.
			d := onDesktopWith(t, t.TempDir(), []string{env}, "--script", scriptFile(t, stalls))
			d.sees(t, "weir> ")
			if turn != "" {
				d.types(t, turn+end)
				d.holds(t, "● Half an answer")
			}
			d.types(t, fmt.Sprintf(`!echo o''ne%[1]s; printf 't\033[2Jwo%[1]s\nhal'; read x <%[2]s; echo f%[1]s`, turn, gate)+end)
			d.holds(t, fmt.Sprintf("\n  one%[1]s\n  t\\x1b[2Jwo%[1]s", turn))
			if err := os.WriteFile(gate, []byte("go on\n"), 0); err != nil {
				t.Fatal(err)
			}
			d.holds(t, "\n  half"+turn)
			if turn != "" {
				d.types(t, ctrlC)
				d.sees(t, "weir> ")
			}
			d.types(t, ctrlD)
			<-d.ended
		}
	}
}
