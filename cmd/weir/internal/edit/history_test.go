package edit

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
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

// Promise 10: what somebody has put in the place of the history before is neither
// followed nor waited for.
func TestPromise10NothingPlantedIsTakenForTheHistory(t *testing.T) {
	for name, plant := range map[string]func(victim, file string) error{
		"a link": os.Symlink,
		"a pipe": func(_, file string) error { return syscall.Mkfifo(file, 0o600) },
	} {
		dir := t.TempDir()
		victim, file := filepath.Join(dir, "victim"), filepath.Join(dir, "history")
		if err := os.WriteFile(victim, []byte("\"kept\"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := plant(victim, file); err != nil {
			t.Fatal(err)
		}
		h, err := LoadHistory(file)
		if err == nil || len(h.entries) != 0 {
			t.Errorf("%s: %q, %v", name, h.entries, err)
		}
		if err := h.Add("typed"); err == nil {
			t.Errorf("%s: written", name)
		}
		info, err := os.Stat(victim)
		if data, _ := os.ReadFile(victim); err != nil || string(data) != "\"kept\"\n" || info.Mode().Perm() != 0o644 {
			t.Errorf("%s: the victim holds %q, %v, %v", name, data, info.Mode(), err)
		}
	}
}
