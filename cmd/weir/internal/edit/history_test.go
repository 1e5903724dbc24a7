package edit

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestALongHistoryIsMadeShorterOnDisk loads one with too many entries, and one
// that others may read.
func TestALongHistoryIsMadeShorterOnDisk(t *testing.T) {
	for _, entries := range []int{entriesMax + 10, 3} {
		dir := t.TempDir()
		file := filepath.Join(dir, "history")
		var b strings.Builder
		for i := range entries {
			fmt.Fprintf(&b, "\"entry %d\"\n", i)
		}
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		h, err := LoadHistory(file)
		if err != nil {
			t.Fatal(err)
		}
		want := min(entries, entriesMax)
		data, err := os.ReadFile(file)
		if lines := strings.Count(string(data), "\n"); err != nil || lines != want || len(h.entries) != want {
			t.Errorf("%d entries: %d lines, %d in memory, %v", entries, lines, len(h.entries), err)
		}
		if last := fmt.Sprintf("\"entry %d\"\n", entries-1); !strings.HasSuffix(string(data), last) {
			t.Errorf("%d entries: the newest is gone", entries)
		}
		info, err := os.Stat(file)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
		if rest, err := os.ReadDir(dir); err != nil || len(rest) != 1 {
			t.Errorf("%v, %v", rest, err)
		}
	}
}
