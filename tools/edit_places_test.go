package tools

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each byte is looked at once, however many places one line has: else this does
// not end.
func TestManyPlacesOnOneLineAreReplaced(t *testing.T) {
	const places = 400_000
	k := newKit(t, Config{})
	k.write("a.json", "{\r\n"+strings.Repeat(`"ab",`, places)+"}")
	k.call("edit_file", args{"path": "a.json", "edits": []args{{"old": ",", "new": ",\n", "all": true}}})
	got, err := os.ReadFile(filepath.Join(k.dir, "a.json"))
	if err != nil || string(got) != "{\r\n"+strings.Repeat("\"ab\",\r\n", places)+"}" {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// Where one place is wanted, no list of millions is made.
func TestPlacesAreCountedUpToABound(t *testing.T) {
	k := newKit(t, Config{})
	k.write("a.txt", strings.Repeat("a", 1<<20))
	got := k.call("edit_file", args{"path": "a.txt", "edits": []args{{"old": "aa", "new": "b"}}})
	if !strings.Contains(got.Text, "old occurs more than 1000 times") {
		t.Errorf("%+v", got)
	}
}

// The search takes time by the sum of the file and old, not by their product:
// else this does not end.
func TestALongOldIsLookedForInAFileOfItsBeginnings(t *testing.T) {
	k := newKit(t, Config{})
	k.write("a.txt", strings.Repeat("\r\n", 5<<20))
	why := k.refuse("edit_file", args{"path": "a.txt", "edits": one(strings.Repeat("\n", 20_000)+"x", "y")})
	has(t, why, "old was not found")
}

// A cancel ends the search, and is what the edit fails with.
func TestACancelEndsTheSearchForOld(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := applyEdits(ctx, []byte("a\r\nb"), one("a\nb", "c")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// looks is a context that is canceled once it has been looked at so often.
type looks struct {
	context.Context
	left int
}

// Err implements context.Context.
func (l *looks) Err() error {
	if l.left--; l.left < 0 {
		return context.Canceled
	}
	return nil
}

// The search itself looks whether it has been canceled, between two steps of a
// text without a place, and at each place of a text that is full of them.
func TestFindEndsWithItsContext(t *testing.T) {
	for name, c := range map[string]struct {
		text, old string
		all       bool
		looks     int // that a whole search takes
	}{
		"no place":    {strings.Repeat("x", 4*searchStep), "y", false, 4},
		"many places": {strings.Repeat("x", 100), "x", true, 101},
		"one of many": {strings.Repeat("x", 100), "x", false, 101},
	} {
		for left := range c.looks {
			if spans, err := find(&looks{t.Context(), left}, []byte(c.text), []byte(c.old), c.all); spans != nil || !errors.Is(err, context.Canceled) {
				t.Errorf("%s, canceled at look %d of %d: %d places, %v", name, left, c.looks, len(spans), err)
			}
		}
		if _, err := find(&looks{t.Context(), c.looks}, []byte(c.text), []byte(c.old), c.all); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The result says which line ends new lines got where both kinds stood.
func TestMixedLineEndsAreTold(t *testing.T) {
	k := newKit(t, Config{})
	k.write("f", "a\r\nb\nc\n")
	has(t, k.want("edit_file", args{"path": "f", "edits": one("a\nb\nc", "1\n2\n3\n4")}), "the new lines got LF as most of the file has")
}
