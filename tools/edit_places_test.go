package tools

import (
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
