package sandbox

import (
	"os"
	"os/exec"
	"testing"
)

// What each kind adds to the time of a command that does nothing.
func BenchmarkWrap(b *testing.B) {
	exe, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	here := Detect(exe)
	reports := map[string]*Report{"none": {}}
	for _, kind := range here.kinds() {
		report := here
		if kind != Bubblewrap {
			report.Bubblewrap = ""
		}
		report.Namespaces = kind == Namespaces
		reports[kind.String()] = &report
	}
	for name, report := range reports {
		b.Run(name, func(b *testing.B) {
			root := b.TempDir()
			s, _, err := New(Config{Exe: exe, Roots: []string{root}, Report: report})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			for b.Loop() {
				cmd := exec.Command("/bin/true")
				cmd.Dir = root // the source may lie in a folder that commands do not see
				if err := s.Wrap(cmd); err != nil {
					b.Fatal(err)
				}
				if err := cmd.Run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
